/**
 * Checkout.com's webhooks: the signature over the bytes as they came, and only then what they say
 * (https://www.checkout.com/docs/developer-resources/event-notifications/receive-webhooks,
 * https://www.checkout.com/docs/developer-resources/event-notifications/event-types).
 *
 * The signature has no time, so that the age of a message is that of its event; a refusal on a payment link is not the
 * last word; and a failure is reported for the operation that our id names, never of the charge alone. Of a type that
 * is not here, or that cannot be read, nothing is shown but the name of a field: the payment that it names is looked
 * up.
 */
import {
  type ChargeName,
  type ChargeState,
  type Clean,
  type Environment,
  keptFields,
  type MessageAbout,
  MessageUnreadable,
  MessageUnverified,
  messageReader,
  messageTag,
  type OperationState,
  orChanged,
  type ProviderMessage,
  type RawMessage,
  type RefundState,
  signatureToleranceSeconds,
  type VerifiedBody,
  verifiedJson
} from "@pointsman/core/connector"
import { Effect, Redacted, Result, Schema } from "effect"
import { Mac } from "effect/crypto"
import { Hex } from "effect/encoding"
import { fromCheckout } from "./Amounts.ts"
import { declined, stateOf } from "./Answers.ts"
import { disputed, verdictOf, verdicts } from "./Disputes.ts"
import * as Protocol from "./Protocol.ts"
import { attemptIn, type Kind, readReference } from "./Reference.ts"

/** Whose messages are read. */
export interface Receiver {
  readonly prefix: string
  readonly processingChannelId: string | null
  readonly environment: Environment
  readonly clean: Clean
}

type Unusable = MessageUnverified | MessageUnreadable

export const readMessage = Effect.fnUntraced(function* (
  message: RawMessage,
  receiver: Receiver
): Effect.fn.Return<ProviderMessage, Unusable> {
  yield* verified(message)
  const event = yield* eventIn(message)
  const at = yield* timeOf(event)
  const age = message.receivedAt - at
  if (age > ageAtMostMillis || age < -aheadAtMostMillis) {
    return yield* new MessageUnverified({ reason: "its event is too old, or of the future" })
  }
  return yield* read(event, at, receiver)
})

/** A message that was verified when it came. */
export const readStored = Effect.fnUntraced(function* (
  message: VerifiedBody,
  receiver: Receiver
): Effect.fn.Return<ProviderMessage, MessageUnreadable> {
  const event = yield* eventIn(message)
  return yield* read(event, yield* timeOf(event), receiver)
})

// The signature.

/**
 * Checkout.com sends a message again up to eight times, the last time 30 hours after the first
 * (https://www.checkout.com/docs/developer-resources/event-notifications/receive-webhooks). Some hours more are for an event
 * that waits before it is first sent. A message that was applied is known again by its id, however young it is.
 */
const ageAtMostMillis = 36 * 60 * 60 * 1000

/** How far Checkout.com's clock may be ahead of ours. */
const aheadAtMostMillis = signatureToleranceSeconds * 1000

const bytes = new TextEncoder()

/**
 * "Hash the payload with the SHA-256 hash function, using your webhook signature key as the hash key", hex-encoded in
 * `Cko-Signature`
 * (https://www.checkout.com/docs/developer-resources/event-notifications/receive-webhooks/configure-your-webhook-server).
 * The key is the secret's text as it is.
 */
const verified = Effect.fnUntraced(function* ({
  body,
  headers,
  secret
}: RawMessage): Effect.fn.Return<void, MessageUnverified> {
  const signature = headers["cko-signature"]?.toLowerCase()
  if (signature === undefined) return yield* new MessageUnverified({ reason: "its signature is missing" })
  if (!/^[0-9a-f]{64}$/u.test(signature)) return yield* new MessageUnverified({ reason: "its signature is malformed" })
  // Anybody could sign with an empty key.
  const key = Redacted.value(secret)
  if (key === "") return yield* new MessageUnverified({ reason: "the connection has no webhook secret" })
  const tag = yield* messageTag(bytes.encode(key), body)
  if (!Mac.timingSafeEqual(bytes.encode(signature), bytes.encode(Hex.encode(tag)))) {
    return yield* new MessageUnverified({ reason: "its signature does not match the connection's webhook secret" })
  }
})

// What it says.

const readNames = Schema.decodeUnknownResult(Protocol.Names)
const decoded = messageReader("it is not as documented")

const unreadable = (reason: string): MessageUnreadable => new MessageUnreadable({ reason })

type Event = typeof Protocol.Event.Type

const eventIn = ({ body }: VerifiedBody): Effect.Effect<Event, MessageUnreadable> =>
  Effect.flatMap(verifiedJson(body), (parsed) => decoded(Protocol.Event, parsed))

const timeOf = ({ created_on, timestamp }: Event): Effect.Effect<number, MessageUnreadable> => {
  const time = created_on ?? timestamp ?? undefined
  return time === undefined ? Effect.fail(unreadable("its created_on is missing")) : Effect.succeed(Date.parse(time))
}

const read = Effect.fnUntraced(function* (
  event: Event,
  at: number,
  receiver: Receiver
): Effect.fn.Return<ProviderMessage, MessageUnreadable> {
  yield* ofReceiver(event, receiver)
  const reading = Effect.map(aboutOf(event, receiver.clean), (about) => ({ about }))
  const { about } = yield* orChanged(reading, chargeIn(event, receiver.clean))
  return { id: event.id, at, about }
})

/** Not about the money of one payment: a stored card, and plans to try again. */
const isQuiet = (type: string): boolean => /^payment_(?:instrument|retry)/u.test(type)

/** The payment that an event names, whatever else of it cannot be read. */
const chargeIn = ({ data, type }: Event, clean: Clean): ChargeName | undefined => {
  const names = /^(?:payment|dispute)_/u.test(type) && !isQuiet(type) ? readNames(data) : undefined
  if (names === undefined || Result.isFailure(names)) return undefined
  const { id, metadata, payment_id, payment_reference, reference } = names.success
  const isDispute = type.startsWith("dispute_")
  const attemptId =
    textIn(metadata?.attempt_id) ?? attemptIn(readReference((isDispute ? payment_reference : reference) ?? ""))
  if (attemptId !== undefined) return { attemptId }
  const providerRef = isDispute ? payment_id : id
  return providerRef == null || clean.shows(providerRef) ? undefined : { providerRef }
}

/** `https://{prefix}.api.checkout.com/…`, in the sandbox `….api.sandbox.checkout.com`; older examples have no prefix. */
const ownAddress = /^https:\/\/(?:([a-z0-9-]+)\.)?api\.(sandbox\.)?checkout\.com\//u

/**
 * A message must not be of another account, channel or environment: the address of its event names the account's prefix,
 * and a dispute names the client and the channel. What it does not name is not held against it.
 */
const ofReceiver = Effect.fnUntraced(function* (
  { _links, data }: Event,
  { environment, prefix, processingChannelId }: Receiver
): Effect.fn.Return<void, MessageUnreadable> {
  const address = ownAddress.exec(_links?.self?.href ?? "")
  if (address !== null) {
    if ((address[1] ?? prefix) !== prefix)
      return yield* unreadable("it belongs to another account, at _links.self.href")
    if ((address[2] === undefined) !== (environment === "production")) {
      return yield* unreadable("it belongs to the other environment, at _links.self.href")
    }
  }
  const { client_id, processing_channel_id } = yield* decoded(Protocol.Owner, data)
  // "The first eight characters of your unique client_id, excluding the cli_ prefix"
  // (https://www.checkout.com/docs/developer-resources/api/api-endpoints).
  const client = client_id?.slice("cli_".length, "cli_".length + prefixLength)
  if (prefix.length === prefixLength && (client ?? prefix) !== prefix) {
    return yield* unreadable("it belongs to another account, at data.client_id")
  }
  if (processingChannelId !== null && (processing_channel_id ?? processingChannelId) !== processingChannelId) {
    return yield* unreadable("it belongs to another processing channel, at data.processing_channel_id")
  }
})

const prefixLength = 8

type About = Effect.Effect<MessageAbout, MessageUnreadable>

const aboutOf = ({ data, type }: Event, clean: Clean): About => {
  const of = (tell: (data: Protocol.PaymentData) => About) => Effect.flatMap(decoded(Protocol.PaymentData, data), tell)
  switch (type) {
    case "payment_approved":
      return of((data) => tellCharge(data, "Authorized", clean))
    case "payment_captured":
      return of((data) => tellCharge(data, "Captured", clean))
    case "payment_voided":
      return of((data) => tellCharge(data, "Voided", clean))
    case "payment_pending":
      return of((data) => (isOnPage(data) ? stillOnPage(data) : tellCharge(data, "Pending", clean)))
    case "payment_declined":
      return of((data) => refused(data, clean))
    // Before the money was held: an authorization that is not captured in time is voided
    // (https://www.checkout.com/docs/payments/manage-payments/capture-a-payment).
    case "payment_canceled":
    case "payment_expired":
      return of((data) => (isOnPage(data) ? stillOnPage(data) : tellCharge(data, "Canceled", clean)))
    case "payment_capture_pending":
      return of((data) => operation(data, "capture", { _tag: "OperationPending" }))
    case "payment_capture_declined":
      return of((data) => captureFailed(data, clean))
    case "payment_void_declined":
      return of((data) => operation(data, "void", failed(data, clean)))
    case "payment_refunded":
    case "payment_refund_declined":
    case "payment_refund_pending":
      return of((data) => refundTold(type, data, clean))
    default: {
      const verdict = verdicts.get(type)
      return verdict === undefined
        ? Effect.fail(unreadable("its type is not supported"))
        : Effect.map(
            decoded(Protocol.DisputeData, data),
            (dispute): MessageAbout => ({ _tag: "Dispute", ...disputed(dispute, verdictOf(verdict, dispute)) })
          )
    }
  }
}

// Our names. Metadata says the same as the reference; an action may carry that of its payment or its own.

const textIn = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" && value.isWellFormed() && !/\p{Cc}/u.test(value) ? value : undefined

const idOf = ({ reference }: Protocol.PaymentData, kind: Kind): string | undefined => {
  const ours = readReference(reference ?? "")
  return ours?.kind === kind ? ours.id : undefined
}

/**
 * Metadata of a payment request comes back with its events. No page says so of a payment link's, so that only a payment
 * that is marked as a direct one is taken for one.
 */
const isOnPage = ({ metadata }: Protocol.PaymentData): boolean => metadata?.page !== "false"

/** The merchant may have captured or voided by hand, under another reference. */
const chargeOf = ({ id, metadata, reference }: Protocol.PaymentData): ChargeName => {
  const attemptId = textIn(metadata?.attempt_id) ?? attemptIn(readReference(reference ?? ""))
  return attemptId === undefined ? { providerRef: id } : { attemptId }
}

/** The events about a payment say of it what its record would, under the record's own words. */
const tellCharge = (
  data: Protocol.PaymentData,
  status: "Authorized" | "Captured" | "Voided" | "Pending" | "Canceled",
  clean: Clean
): About => {
  const { amount, balances, currency, id } = data
  const isOfMoney = status === "Authorized" || status === "Captured" || status === "Pending"
  if (isOfMoney && (amount ?? undefined) === undefined) return Effect.fail(unreadable("its data.amount is missing"))
  if (isOfMoney && (currency ?? undefined) === undefined) return Effect.fail(unreadable("its data.currency is missing"))
  const told = { amount: amount ?? 0, currency: currency ?? "" }
  // Without balances, the amount of a capture is what it took.
  const total = balances?.total_captured ?? undefined
  const captured = total ?? (status === "Captured" ? told.amount : 0)
  const state = stateOf({ id, status, ...told, balances: { ...balances, total_captured: captured } }, clean)
  if (typeof state === "string") return Effect.fail(unreadable(`it is not to be understood at data.${state}`))
  const said = state._tag === "Captured" && total === undefined ? asOneCapture(state, data) : state
  return Effect.succeed({ _tag: "Charge", charge: chargeOf(data), state: () => said })
}

/**
 * By the id of the action that captured. Older events have no balances
 * (https://www.checkout.com/docs/reporting-and-insights/webhooks/webhook-examples/payment_captured).
 */
const asOneCapture = (
  { providerRef, stated }: Extract<ChargeState, { readonly _tag: "Captured" }>,
  data: Protocol.PaymentData
): ChargeState => {
  const id = data.action_id ?? undefined
  if (id === undefined || stated === undefined) return { _tag: "Captured", providerRef, stated }
  const operationId = operationIdIn(data, "capture")
  const capture = { id, money: stated, ...(operationId === undefined ? {} : { operationId }) }
  return { _tag: "Captured", providerRef, capture }
}

/** The customer is still at it, or went away; the end of the page is the end of the payment. */
const stillOnPage = (data: Protocol.PaymentData): About =>
  Effect.succeed({
    _tag: "Charge",
    charge: chargeOf(data),
    state: () => ({ _tag: "NeedsCustomer", providerRef: null })
  })

const refused = (data: Protocol.PaymentData, clean: Clean): About => {
  if (isOnPage(data)) return stillOnPage(data)
  const state: ChargeState = declined(data.response_code, data.id, clean)
  return Effect.succeed({ _tag: "Charge", charge: chargeOf(data), state: () => state })
}

/** Checkout.com says nothing about trying again: a request that it declined is over. */
const failed = ({ response_code, response_summary }: Protocol.PaymentData, clean: Clean): OperationState => ({
  _tag: "OperationFailed",
  isFinal: true,
  reason: clean(response_summary ?? "") || clean(response_code ?? "") || null
})

const operationIdIn = (data: Protocol.PaymentData, kind: "capture" | "void"): string | undefined =>
  textIn(data.metadata?.operation_id) ?? idOf(data, kind)

const operation = (data: Protocol.PaymentData, kind: "capture" | "void", state: OperationState): About => {
  const operationId = operationIdIn(data, kind)
  return operationId === undefined
    ? Effect.fail(unreadable("its operation is unknown, at data.reference"))
    : Effect.succeed({ _tag: "Operation", operationId, state: () => state })
}

/** Where no operation of ours asked for it, it is a capture that Checkout.com makes by itself, or one that a person makes in its dashboard. */
const captureFailed = (data: Protocol.PaymentData, clean: Clean): About => {
  const state = failed(data, clean)
  const isAutomatic = data.metadata?.capture === "automatic" && operationIdIn(data, "capture") === undefined
  if (!isAutomatic) return operation(data, "capture", state)
  const reason = state._tag === "OperationFailed" ? state.reason : null
  return Effect.succeed({ _tag: "CaptureFailed", charge: chargeOf(data), reason })
}

/**
 * One made in the Dashboard has no id of ours: its reference and metadata are the payment's, or their own
 * (https://www.checkout.com/docs/developer-resources/webhooks/webhook-event-types/payment_refund_declined shows the
 * fields). Checkout.com's ids of the payment and of the action are in each of them.
 */
const refundTold = (
  type: "payment_refunded" | "payment_refund_declined" | "payment_refund_pending",
  data: Protocol.PaymentData,
  clean: Clean
): About => {
  const { amount, currency, id: providerRef } = data
  const providerRefundId = data.action_id ?? undefined
  if (providerRefundId === undefined) return Effect.fail(unreadable("its data.action_id is missing"))
  const refundId = textIn(data.metadata?.refund_id) ?? idOf(data, "refund")
  const tell = (state: RefundState): About =>
    Effect.succeed(
      refundId === undefined
        ? { _tag: "UnnamedRefund", charge: { providerRef }, providerRefundId, state: () => state }
        : { _tag: "Refund", refundId, state: () => state }
    )
  if (type === "payment_refund_declined") {
    const { reason } = { reason: null, ...failed(data, clean) }
    return tell({ _tag: "RefundFailed", providerRefundId, reason })
  }
  const stated = (amount ?? undefined) === undefined ? undefined : fromCheckout(amount ?? 0, currency ?? "")
  if (stated === undefined) return Effect.fail(unreadable("it is not to be understood at data.amount"))
  return tell({ _tag: type === "payment_refunded" ? "Succeeded" : "RefundPending", providerRefundId, stated })
}

/** Keeps the fields of a message that `Protocol.ts` reads: no names, addresses, e-mail, card details or client secrets. */
export const keptOfMessage = keptFields(
  new Set(
    (
      "id type created_on timestamp data amount currency reference metadata attempt_id operation_id refund_id " +
      "capture page action_id response_code response_summary balances total_authorized total_captured payment_id " +
      "payment_reference resolved_reason evidence_required_by client_id processing_channel_id _links self href"
    ).split(" ")
  )
)
