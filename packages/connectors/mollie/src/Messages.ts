/**
 * Mollie's signed webhooks: the signature over the bytes as they came, and only then what they say
 * (https://docs.mollie.com/reference/webhooks-new). Their payload is a snapshot of the object as its GET endpoint returns it
 * (https://docs.mollie.com/reference/payments-api-webhooks, and the same page of captures, refunds and chargebacks).
 *
 * Mollie signs no time, so that the age of a message is that of its event; and an
 * event without its snapshot says nothing and is unreadable. The unsigned webhooks are in `Hints.ts`.
 */
import {
  type ChargeName,
  keptFields,
  type MessageAbout,
  MessageUnreadable,
  MessageUnverified,
  messageReader,
  orChanged,
  type ProviderMessage,
  type RawMessage,
  type StatedDispute,
  type VerifiedBody,
  verifiedJson
} from "@pointsman/core/connector"
import { Effect, Result, Schema } from "effect"
import { fromMollie } from "./Amounts.ts"
import { type Reader, stateOf, stateOfRefund } from "./Answers.ts"
import { stateOfCapture } from "./Lookups.ts"
import * as Protocol from "./Protocol.ts"
import { verifySignature } from "./Signature.ts"

/**
 * The age of an event up to which a message is accepted, in milliseconds. Mollie sends one up to ten times within 26 hours
 * (https://docs.mollie.com/reference/webhooks-new); twice as long bears an event that waited before its first time.
 */
const oldestMillis = 52 * 60 * 60 * 1000

/** An event may be so far in the future, by clocks that differ. */
const futureMillis = 5 * 60 * 1000

export const readMessage = Effect.fnUntraced(function* (
  { body, headers, receivedAt, secret }: RawMessage,
  reader: Reader
): Effect.fn.Return<ProviderMessage, MessageUnverified | MessageUnreadable> {
  yield* verifySignature(headers["x-mollie-signature"], secret, body)
  const event = yield* eventIn(body)
  const createdAt = event.createdAt ?? undefined
  if (createdAt === undefined) return yield* unreadable("it names no time, at createdAt")
  const age = receivedAt - Date.parse(createdAt)
  if (age > oldestMillis || age < -futureMillis) {
    return yield* new MessageUnverified({ reason: "its event is too old or too new, by createdAt" })
  }
  return yield* messageOf(event, reader)
})

/** A message that was verified when it came, or an event that we wrote down after a hint. */
export const readStored = Effect.fnUntraced(function* (
  { body }: VerifiedBody,
  reader: Reader
): Effect.fn.Return<ProviderMessage, MessageUnreadable> {
  return yield* messageOf(yield* eventIn(body), reader)
})

const decoded = messageReader("it is not as Mollie describes its webhooks")
const unreadable = (reason: string): MessageUnreadable => new MessageUnreadable({ reason })

type Event = typeof Protocol.Event.Type

const eventIn = (body: Uint8Array): Effect.Effect<Event, MessageUnreadable> =>
  Effect.flatMap(verifiedJson(body), (parsed) => decoded(Protocol.Event, parsed))

const messageOf = Effect.fnUntraced(function* (
  event: Event,
  reader: Reader
): Effect.fn.Return<ProviderMessage, MessageUnreadable> {
  const at = event.createdAt === undefined || event.createdAt === null ? null : Date.parse(event.createdAt)
  if (event._embedded === undefined) {
    return yield* unreadable("it has no snapshot, at _embedded.entity: let the webhook send the full payload")
  }
  const { entity } = event._embedded
  const reading = Effect.map(aboutOf(event, entity, reader), (about) => ({ about }))
  const { about } = yield* orChanged(reading, chargeIn(event, entity, reader))
  return { id: event.id, at, about }
})

const readNames = Schema.decodeUnknownResult(Protocol.Names)

/** The payment that an event about money names, whatever else of it cannot be read. */
const chargeIn = ({ attempt_id, type }: Event, entity: unknown, { mode }: Reader): ChargeName | undefined => {
  const kind = /^(payment|capture|refund|chargeback)\./u.exec(type)?.[1]
  const names = kind === undefined ? undefined : Result.getOrUndefined(readNames(entity))
  // A chargeback has none.
  if (names === undefined || (names.mode ?? mode) !== mode) return undefined
  const attemptId = attempt_id ?? Protocol.markIn(names.metadata, "attempt_id")
  const providerRef = kind === "payment" ? names.id : names.paymentId
  return attemptId === null ? (providerRef == null ? undefined : { providerRef }) : { attemptId }
}

/** The types of https://docs.mollie.com/reference/webhooks-new#event-types that are about money of a payment. */
const aboutOf = (
  { attempt_id, type }: Event,
  entity: unknown,
  reader: Reader
): Effect.Effect<MessageAbout, MessageUnreadable> => {
  switch (type) {
    case "payment.authorized":
    case "payment.canceled":
    case "payment.expired":
    case "payment.failed":
    case "payment.paid":
    case "payment.pending":
      return aboutPayment(entity, reader)
    case "capture.failed":
    case "capture.succeeded":
      return aboutCapture(entity, reader)
    case "refund.canceled":
    case "refund.failed":
    case "refund.pending":
    case "refund.processing":
    case "refund.queued":
    case "refund.refunded":
      return aboutRefund(entity, attempt_id ?? null, reader)
    case "chargeback.received":
    case "chargeback.reversed":
      return Effect.map(
        decoded(Protocol.Chargeback, entity),
        (chargeback): MessageAbout => ({ _tag: "Dispute", ...chargebackIn(chargeback) })
      )
    default:
      return Effect.fail(unreadable("its type is not supported"))
  }
}

const wrongAt = (field: string): MessageUnreadable => unreadable(`it cannot be read at _embedded.entity.${field}`)

const aboutPayment = Effect.fnUntraced(function* (
  entity: unknown,
  reader: Reader
): Effect.fn.Return<MessageAbout, MessageUnreadable> {
  const payment = yield* decoded(Protocol.Payment, entity)
  const attemptId = Protocol.markIn(payment.metadata, "attempt_id")
  const charge: ChargeName = attemptId === null ? { providerRef: payment.id } : { attemptId }
  const state = stateOf(payment, reader)
  return typeof state === "string" ? yield* wrongAt(state) : { _tag: "Charge", charge, state: () => state }
})

const aboutCapture = Effect.fnUntraced(function* (
  entity: unknown,
  reader: Reader
): Effect.fn.Return<MessageAbout, MessageUnreadable> {
  const capture = yield* decoded(Protocol.Capture, entity)
  const operationId = Protocol.markIn(capture.metadata, "operation_id")
  if (operationId === null) return yield* wrongAt("metadata.operation_id")
  const state = stateOfCapture(capture, reader)
  return typeof state === "string" ? yield* wrongAt(state) : { _tag: "Operation", operationId, state: () => state }
})

/** `attemptId`: of the payment, where it is known; a refund that was made by hand names the payment alone. */
const aboutRefund = Effect.fnUntraced(function* (
  entity: unknown,
  attemptId: string | null,
  reader: Reader
): Effect.fn.Return<MessageAbout, MessageUnreadable> {
  const refund = yield* decoded(Protocol.Refund, entity)
  const refundId = Protocol.refundIdIn(refund.metadata)
  const state = stateOfRefund(refund, reader)
  if (typeof state === "string") return yield* wrongAt(state)
  if (refundId !== null) return { _tag: "Refund", refundId, state: () => state }
  const charge: ChargeName = attemptId === null ? { providerRef: refund.paymentId } : { attemptId }
  return { _tag: "UnnamedRefund", charge, providerRefundId: refund.id, state: () => state }
})

const isAmount = Schema.is(Protocol.Amount)

/**
 * The money went back with the chargeback; "reversed" returns it (https://docs.mollie.com/docs/chargebacks). Its amount may be
 * a part of the payment's. One that is not as documented is left out: the dispute counts without it.
 */
export const chargebackIn = ({ amount, id, paymentId, reversedAt }: typeof Protocol.Chargeback.Type) => {
  const verdict: StatedDispute["verdict"] = reversedAt === undefined || reversedAt === null ? "opened" : "won"
  const money = isAmount(amount) ? fromMollie(amount) : undefined
  return {
    ...{ charge: { providerRef: paymentId }, disputeId: id, verdict },
    ...(money === undefined ? {} : { money })
  }
}

/** Keeps the fields of a message that `Protocol.ts` reads: no names, card details, bank accounts or addresses. */
export const keptOfMessage = keptFields(
  new Set(
    (
      "resource id type entityId createdAt _embedded entity mode status amount currency value amountCaptured " +
      "metadata attempt_id operation_id refund_id checkout details failureReason bankReasonCode paymentId " +
      "reversedAt"
    ).split(" ")
  )
)
