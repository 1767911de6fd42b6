/** The rows of `provider-answers.snap.txt`: what Mollie answers, and the page that says so. */
import type { TransportAnswer } from "@pointsman/core/connector"
import { declines } from "../src/Declines.ts"
import { providerRef, sample, scripted } from "./Calls.ts"
import { answer, capture, failure, list, opened, payment, refund } from "./Mollie.ts"

const status = "https://docs.mollie.com/docs/handling-payment-status"
const reasons = "https://docs.mollie.com/docs/handling-errors-with-mollie-components"
const captures = "https://docs.mollie.com/docs/place-a-hold-for-a-payment"
const refunds = "https://docs.mollie.com/docs/refunds"
const errors = "https://docs.mollie.com/reference/handling-errors"
const keys = "https://docs.mollie.com/reference/api-idempotency"
const release = "https://docs.mollie.com/reference/release-authorization"

const requests = { ...sample, hints: providerRef }

const connect = (...script: ReadonlyArray<TransportAnswer>) => scripted(script).connector

type Operation = keyof typeof requests

const row = (operation: Operation, says: string, page: string, answer: TransportAnswer) =>
  [operation, says, [answer], page] as const

const statuses = ["open", "pending", "authorized", "paid", "canceled", "expired"] as const
/** By Mollie's clock: more than an hour after everything was sent, and less. */
const late = { date: "Sat, 21 Nov 2026 13:00:00 GMT" }
const early = { date: "Sat, 21 Nov 2026 12:59:00 GMT" }
const part = { currency: "EUR", value: "8.00" }

/** Each error says the same of every operation that moves money. */
const errorRows = ([400, 401, 403, 404, 405, 409, 410, 415, 422, 429, 500, 502, 503, 504] as const).map((code) =>
  row("charge", `any operation: error ${code}`, code === 400 || code === 409 ? keys : errors, failure(code))
)

const rows = [
  ...statuses.map((one) => row("charge", `status \`${one}\``, status, answer(201, payment({ status: one })))),
  ...Object.keys(declines).map((failureReason) =>
    row(
      "charge",
      `status \`failed\`, \`failureReason\` \`${failureReason}\``,
      reasons,
      answer(201, payment({ status: "failed", details: { failureReason } }))
    )
  ),
  row("charge", "status `failed`, without a reason", status, answer(201, payment({ status: "failed" }))),
  row("charge", "an unknown status", status, answer(201, payment({ status: "settled" }))),
  row("charge", "a payment of another attempt", keys, answer(201, payment({ metadata: { attempt_id: "att_2" } }))),
  ...errorRows,
  row("charge", "any operation: an error that is not in Mollie's form", errors, answer(422, "<html>")),
  row("openCheckout", "status `open`, with a checkout link", status, answer(201, opened())),
  ...(["succeeded", "pending", "failed"] as const).map((one) =>
    row("capture", `status \`${one}\``, captures, answer(201, capture({ status: one })))
  ),
  row("capture", "status `succeeded`, of a part", captures, answer(201, capture({ amount: part }))),
  row("void", "202", release, answer(202, "")),
  ...(["queued", "pending", "processing", "refunded", "failed", "canceled"] as const).map((one) =>
    row("refund", `status \`${one}\``, refunds, answer(201, refund({ status: one })))
  ),
  ...statuses.map((one) =>
    row(
      "lookUpCharge",
      `in the list, status \`${one}\``,
      status,
      answer(200, list("payments", [payment({ status: one })]))
    )
  ),
  row(
    "lookUpCharge",
    "in the list, status `authorized`, of which a part was captured",
    captures,
    answer(200, list("payments", [payment({ status: "authorized", amountCaptured: part })]))
  ),
  row("lookUpCharge", "not in the list, within the hour", keys, answer(200, list("payments", []), early)),
  row("lookUpCharge", "not in the list, after an hour", keys, answer(200, list("payments", []), late)),
  ...(["succeeded", "pending", "failed"] as const).map((one) =>
    row(
      "lookUpOperation",
      `in the list, status \`${one}\``,
      captures,
      answer(200, list("captures", [capture({ status: one })]))
    )
  ),
  row("lookUpOperation", "not in the list, after an hour", keys, answer(200, list("captures", []), late)),
  ...(["queued", "refunded", "failed"] as const).map((one) =>
    row(
      "lookUpRefund",
      `in the list, status \`${one}\``,
      refunds,
      answer(200, list("refunds", [refund({ status: one })]))
    )
  ),
  row("lookUpRefund", "not in the list, after an hour", keys, answer(200, list("refunds", []), late)),
  ...(["queued", "canceled"] as const).map(
    (one) =>
      [
        ...row(
          "lookUpRefund",
          `by its id, made by hand, status \`${one}\``,
          refunds,
          answer(200, refund({ metadata: null, status: one }))
        ),
        { ...requests.lookUpRefund, providerRefundId: "re_4qqhO89gsT" }
      ] as const
  ),
  ...statuses.map((one) => row("hints", `status \`${one}\``, status, answer(200, payment({ status: one })))),
  row("hints", "a payment of another program", status, answer(200, payment({ metadata: null }))),
  row("hints", "error 404", errors, failure(404, { title: "Not Found", detail: "No payment exists with this token." }))
]

export const providerAnswers = { requests, connect, rows }
