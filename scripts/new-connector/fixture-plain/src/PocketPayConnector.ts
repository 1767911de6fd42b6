/** The connector `pocket-pay`, of a made-up provider, in plain functions. */
import { createHmac, timingSafeEqual } from "node:crypto"
import {
  type ChargeResult,
  defineConnector,
  type Given,
  type HttpAnswer,
  type HttpRequest,
  type Message,
  type OperationResult,
  type RefundResult
} from "@pointsman/node/connector"

const credentials = { url: "url", apiKey: "secret" } as const
type PocketPay = Given<typeof credentials>

/** A charge, an operation or a refund, as Pocket Pay writes it. */
interface Entry {
  readonly id: string
  readonly status: string
  readonly amount: number
  readonly currency: string
  readonly reason?: string
}

const ask = ({ credentials: { apiKey, url }, http }: PocketPay, path: string, id: string, json?: object) => {
  const headers = { authorization: `Bearer ${apiKey}`, "idempotency-key": id }
  const request: HttpRequest = json === undefined ? { headers } : { headers, json }
  const address = `${url.replace(/\/+$/u, "")}${path}`
  return json === undefined ? http.get(address, request) : http.post(address, request)
}

const entryOf = (answer: HttpAnswer): Entry => {
  if (answer.status !== 200) throw new Error(`status ${answer.status}`)
  return answer.json() as Entry
}

const amountOf = ({ amount, currency }: Entry) => ({ minorUnits: amount, currency })

const categories: Readonly<Record<string, string>> = {
  no_funds: "insufficient_funds",
  stolen: "lost_or_stolen",
  bank_closed: "issuer_unavailable"
}

const held = { held: "authorized", paid: "captured", working: "pending" } as const
const ended = { challenge: "requires_authentication", released: "canceled" } as const

const chargeOf = (entry: Entry): ChargeResult => {
  const { id: reference, reason = "refused", status } = entry
  if (status in held) return { status: held[status as keyof typeof held], reference, amount: amountOf(entry) }
  if (status in ended) return { status: ended[status as keyof typeof ended], reference }
  if (status === "refused") {
    return { status: "declined", reference, code: reason, category: categories[reason] ?? "other" }
  }
  throw new Error("an unknown status")
}

const refundOf = (entry: Entry): RefundResult => {
  const { id: refundReference, reason = null, status } = entry
  if (status === "failed") return { status, refundReference, reason }
  if (status === "done") return { status: "succeeded", refundReference, amount: amountOf(entry) }
  if (status === "working") return { status: "pending", refundReference, amount: amountOf(entry) }
  throw new Error("an unknown status")
}

const operationOf = (entry: Entry): OperationResult => {
  const { reason = null, status } = entry
  if (status === "done") return { status: "confirmed", amount: amountOf(entry) }
  if (status === "working") return { status: "pending" }
  if (status === "retrying" || status === "failed") return { status: "failed", final: status === "failed", reason }
  throw new Error("an unknown status")
}

interface Refusal {
  readonly error: { readonly code: string; readonly message: string }
}

/** Pocket Pay promises that it did nothing when it answers so. */
const refused = (answer: HttpAnswer) =>
  [400, 401, 422].includes(answer.status)
    ? ({ status: "rejected", ...(answer.json() as Refusal).error } as const)
    : null

/** "Never received" is believed from Pocket Pay alone, and not from a page of something on the way. */
const neverReceived = (answer: HttpAnswer) =>
  answer.status === 404 && (answer.json() as Refusal).error.code === "never_received"
    ? ({ status: "not_found", conclusive: true } as const)
    : null

const chargePath = (attemptId: string) => `/charges/${encodeURIComponent(attemptId)}`

/** `t=<seconds>,v1=<HMAC-SHA-256 in hexadecimal digits>` over `<seconds>.<body>`, at most five minutes old. */
const isSigned = (signature: string, body: Uint8Array, secret: string, receivedAt: number): boolean => {
  const [, t = "", tag = ""] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/u.exec(signature) ?? []
  if (Math.abs(receivedAt / 1_000 - Number(t)) > 300) return false
  const expected = createHmac("sha256", secret).update(`${t}.`).update(body).digest()
  return tag !== "" && timingSafeEqual(expected, Buffer.from(tag, "hex"))
}

const messageOf = (text: string): Message => {
  const { at, attempt, charge, id, operation, ours, refund } = JSON.parse(text)
  if (charge !== undefined) return { id, at, about: "charge", charge: { attemptId: attempt }, result: chargeOf(charge) }
  if (operation !== undefined) {
    return { id, at, about: "operation", operationId: operation.id, result: operationOf(operation) }
  }
  return { id, at, about: "refund", refundId: ours, result: refundOf(refund) }
}

export const definition = defineConnector({
  name: "pocket-pay",
  supports: { methods: ["card"], currencies: ["EUR", "JPY", "KWD"] },
  credentials,
  charge: async ({ amount, attemptId, capture, instrument }, given) => {
    const { currency, minorUnits } = amount
    const answer = await ask(given, "/charges", attemptId, { amount: minorUnits, currency, capture, card: instrument })
    return refused(answer) ?? chargeOf(entryOf(answer))
  },
  lookUpCharge: async ({ attemptId }, given) => {
    const answer = await ask(given, chargePath(attemptId), attemptId)
    return neverReceived(answer) ?? chargeOf(entryOf(answer))
  },
  capture: async ({ amount, attemptId, operationId }, given) => {
    const answer = await ask(given, `${chargePath(attemptId)}/capture`, operationId, { amount: amount.minorUnits })
    return refused(answer) ?? chargeOf(entryOf(answer))
  },
  void: async ({ attemptId, operationId }, given) => {
    const answer = await ask(given, `${chargePath(attemptId)}/release`, operationId, {})
    return refused(answer) ?? chargeOf(entryOf(answer))
  },
  refund: async ({ amount, attemptId, refundId }, given) => {
    const answer = await ask(given, `${chargePath(attemptId)}/refunds`, refundId, { amount: amount.minorUnits })
    return refused(answer) ?? refundOf(entryOf(answer))
  },
  lookUpOperation: async ({ attemptId, operationId }, given) => {
    const path = `${chargePath(attemptId)}/operations/${encodeURIComponent(operationId)}`
    const answer = await ask(given, path, operationId)
    const nothing = neverReceived(answer)
    if (nothing !== null) return nothing
    const entry = entryOf(answer)
    if (entry.id !== operationId) throw new Error("another operation")
    return operationOf(entry)
  },
  lookUpRefund: async ({ refundId }, given) => {
    const answer = await ask(given, `/refunds/${encodeURIComponent(refundId)}`, refundId)
    return neverReceived(answer) ?? refundOf(entryOf(answer))
  },
  account: async (given) => {
    const { account } = entryOf(await ask(given, "/account", "")) as unknown as { readonly account: string }
    return { id: account }
  },
  verifyMessage: ({ body, headers, receivedAt, secret }) =>
    isSigned(headers["x-service-signature"] ?? "", body, secret, receivedAt),
  readMessage: messageOf
})
