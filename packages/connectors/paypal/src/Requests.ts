/**
 * What is sent to PayPal. Every object carries our id: an order has the attempt's as `custom_id`, which its captures,
 * authorizations, messages and disputes bring back, a capture of an authorization the operation's as `invoice_id`, and a refund
 * the refund's as `custom_id`.
 *
 * The same request must come again unchanged after a loss of records
 * (decision 30), so that nothing that is drawn goes here, the payment's id included.
 */
import type {
  CaptureRequest,
  ChargeRequest,
  CheckoutRequest,
  ProviderMethods,
  RefundRequest
} from "@pointsman/core/connector"
import { Redacted } from "effect"
import type { Amount } from "./Amounts.ts"

/** `vault_id` (`checkout_orders_v2`): the id of a payment method token. `undefined` for what is none. */
export const vaultIdOf = (token: Redacted.Redacted<string>): string | undefined => {
  const text = Redacted.value(token)
  return /^[0-9a-zA-Z_-]{1,255}$/u.test(text) ? text : undefined
}

/** As the field has it in the description; PayPal counts characters. */
const cut = (text: string, most: number): string => [...text.toWellFormed()].slice(0, most).join("")

const unit = ({ attemptId, reference }: Pick<ChargeRequest, "attemptId" | "reference">, amount: Amount) => ({
  custom_id: attemptId,
  // PayPal refuses a second payment with one invoice id, where the account is set to block those.
  invoice_id: attemptId,
  ...(reference === null || reference === "" ? {} : { description: cut(reference, 127) }),
  amount
})

/**
 * A stored card: who begins the payment (`card_stored_credential`). "`payment_type=ONE_TIME` is compatible only with
 * `payment_initiator=CUSTOMER`", and which payments of a merchant are on a fixed schedule is not known here.
 */
const storedCredential = ({ initiator }: ChargeRequest) =>
  initiator === "mit"
    ? { payment_initiator: "MERCHANT", payment_type: "UNSCHEDULED", usage: "SUBSEQUENT" }
    : { payment_initiator: "CUSTOMER", payment_type: "ONE_TIME", usage: "SUBSEQUENT" }

/**
 * A direct charge: an order with a vaulted payment method, which PayPal captures or authorizes at once ("single-step create
 * order", https://developer.paypal.com/docs/api/orders/v2/#orders_create).
 */
export const charge = (request: ChargeRequest, amount: Amount, vaultId: string) => ({
  intent: request.capture ? "CAPTURE" : "AUTHORIZE",
  purchase_units: [unit(request, amount)],
  payment_source:
    request.method === "card"
      ? { card: { vault_id: vaultId, stored_credential: storedCredential(request) } }
      : { paypal: { vault_id: vaultId } }
})

/**
 * A checkout: an order that takes nothing until its customer approved it and a further request captures or authorizes it.
 * `PAY_NOW`: the amount is final when the customer approves. The shop knows where it ships to, and PayPal is not told.
 */
export const checkout = (request: CheckoutRequest, amount: Amount) => ({
  intent: request.capture ? "CAPTURE" : "AUTHORIZE",
  purchase_units: [unit(request, amount)],
  payment_source: {
    paypal: {
      experience_context: {
        user_action: "PAY_NOW",
        shipping_preference: "NO_SHIPPING",
        return_url: request.returnUrl,
        // The page that it leads to shows the state of the payment, whichever way the customer came.
        cancel_url: request.returnUrl
      }
    }
  }
})

/** `final_capture`: what is not captured is released. */
export const capture = ({ operationId }: CaptureRequest, amount: Amount) => ({
  amount,
  invoice_id: operationId,
  final_capture: true
})

/** The reason is the merchant's own: PayPal would show `note_to_payer` to the customer. */
export const refund = ({ refundId }: RefundRequest, amount: Amount) => ({ amount, custom_id: refundId })

/**
 * Payment methods as `payment_source` of an order names them, of those that can be vaulted and charged directly: cards and
 * PayPal accounts (https://developer.paypal.com/docs/api/orders/v2/#orders_create). The name follows from the payment's kind.
 * Both are captured at once or later, by the order's `intent`.
 */
export const namedMethods: ProviderMethods = {
  card: { providerName: "card" },
  paypal: { providerName: "paypal" }
}
