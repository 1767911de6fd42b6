import { StripeConnector } from "@pointsman/connector-stripe"
import type { ProviderAnswer, ProviderAnswers } from "@pointsman/contracts/connector"
import type { TransportAnswer } from "@pointsman/core/connector"
import {
  answer,
  decline,
  failure,
  keyReused,
  list,
  paymentIntent,
  refund,
  refundList,
  secretKey,
  session
} from "./Stripe.ts"

const lifecycle = "https://docs.stripe.com/payments/paymentintents/lifecycle"
const codes = "https://docs.stripe.com/declines/codes"
const errors = "https://docs.stripe.com/error-low-level"
const keys = "https://docs.stripe.com/api/idempotent_requests"
const refunds = "https://docs.stripe.com/api/refunds/object"
const pages = "https://docs.stripe.com/api/checkout/sessions/object"

const row = (
  operation: ProviderAnswer["operation"],
  says: string,
  page: string,
  answer: TransportAnswer
): ProviderAnswer => ({ operation, says, page, answer })

/** By Stripe's clock, long after everything was sent. */
const late = { date: "Sat, 21 Nov 2026 12:00:00 GMT" }
const early = { date: "Thu, 01 Jan 1970 12:00:00 GMT" }
const intent = (fields: Readonly<Record<string, unknown>>) => answer(200, paymentIntent({ id: "pi_1", ...fields }))
const held = { status: "requires_capture", amount_capturable: 1234 }
const taken = { status: "succeeded", amount_received: 1234 }
const made = (status: string) => refund({ amount: 1234, status, metadata: { refund_id: "rf_1" } })

export const providerAnswers: ProviderAnswers = {
  title: "Stripe",
  definition: StripeConnector.definition,
  credentials: { secretKey },
  instrument: "cus_1/pm_1",
  providerRef: "pi_1",
  rows: [
    row("charge", "status `succeeded`", lifecycle, intent(taken)),
    row("charge", "status `requires_capture`", lifecycle, intent(held)),
    row("charge", "status `processing`", lifecycle, intent({ status: "processing" })),
    row("charge", "status `requires_action`", lifecycle, intent({ status: "requires_action" })),
    row("charge", "status `canceled`", lifecycle, intent({ status: "canceled" })),
    row("charge", "402, `insufficient_funds`", codes, decline("insufficient_funds")),
    row("charge", "402, `do_not_honor`", codes, decline("do_not_honor")),
    row("charge", "402, `authentication_required`", codes, decline("authentication_required")),
    row("charge", "402, an unknown code", codes, decline("a_code_of_tomorrow")),
    ...[400, 401, 403, 404, 409, 429, 500, 503].map((status) =>
      row(
        "charge",
        `any operation: error ${status}`,
        errors,
        failure(status, status === 429 ? { code: "rate_limit" } : {})
      )
    ),
    row("charge", "any operation: error 429, `lock_timeout`", errors, failure(429, { code: "lock_timeout" })),
    ...keyReused("att_1")
      .slice(0, 1)
      .map((answer) => row("charge", "any operation: `idempotency_error`", keys, answer)),
    row("openCheckout", "a session", pages, answer(200, session({ url: "https://checkout.stripe.com/c/pay/1" }))),
    row("capture", "status `succeeded`", lifecycle, intent(taken)),
    row(
      "capture",
      "`payment_intent_unexpected_state`, status `canceled`",
      lifecycle,
      failure(400, {
        code: "payment_intent_unexpected_state",
        payment_intent: paymentIntent({ id: "pi_1", status: "canceled" })
      })
    ),
    row("void", "status `canceled`", lifecycle, intent({ status: "canceled" })),
    row(
      "void",
      "`payment_intent_unexpected_state`, status `succeeded`",
      lifecycle,
      failure(400, {
        code: "payment_intent_unexpected_state",
        payment_intent: paymentIntent({ id: "pi_1", ...taken })
      })
    ),
    ...["succeeded", "pending", "requires_action", "failed", "canceled"].map((status) =>
      row("refund", `status \`${status}\``, refunds, answer(200, made(status)))
    ),
    row("lookUpCharge", "in the list, status `succeeded`", lifecycle, answer(200, list([paymentIntent(taken)]))),
    row("lookUpRefund", "in the list, status `succeeded`", refunds, answer(200, refundList([made("succeeded")]))),
    row("lookUpRefund", "not in the list, within 24 hours", keys, answer(200, refundList([]), early)),
    row("lookUpRefund", "not in the list, after 24 hours", errors, answer(200, refundList([]), late))
  ]
}
