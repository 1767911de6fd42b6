/**
 * Stripe's webhooks: the signature over the bytes as they came, and only then what they say
 * (https://docs.stripe.com/webhooks#verify-manually, https://docs.stripe.com/api/events/types).
 *
 * An event concerns the account and the mode that it names, and another
 * account of a platform writes what it likes into its metadata; and a refusal on Stripe's page is not the last word
 * while the page is open. Of a type that is not here, or that cannot be read, nothing is shown but the name of a field: the
 * charge that it names is looked up.
 */
import {
  type ChargeName,
  type ChargeState,
  type Clean,
  keptFields,
  type MessageAbout,
  MessageUnreadable,
  type MessageUnverified,
  messageReader,
  orChanged,
  type ProviderMessage,
  type RawMessage,
  signedJson,
  type VerifiedBody,
  verifiedJson
} from "@pointsman/core/connector"
import { Effect, Result, Schema } from "effect"
import { fromStripe } from "./Amounts.ts"
import { stateOf, stateOfToldRefund } from "./Answers.ts"
import { statedIn } from "./Disputes.ts"
import * as Protocol from "./Protocol.ts"

/** Whose messages are read. */
export interface Receiver {
  /** The connected account; `null` for the key's own. */
  readonly account: string | null
  readonly isLive: boolean
  readonly clean: Clean
}

export const readMessage = Effect.fnUntraced(function* (
  message: RawMessage,
  receiver: Receiver
): Effect.fn.Return<ProviderMessage, MessageUnverified | MessageUnreadable> {
  // Stripe's scheme is that of our own webhooks, in another header: `t=…,v1=…`, one `v1` for each live secret, HMAC-SHA-256
  // of `<t>.<body>` in hex, 300 seconds.
  return yield* read(yield* signedJson(message, message.headers["stripe-signature"]), receiver)
})

/** A message that was verified when it came. */
export const readStored = Effect.fnUntraced(function* (
  { body }: VerifiedBody,
  receiver: Receiver
): Effect.fn.Return<ProviderMessage, MessageUnreadable> {
  return yield* read(yield* verifiedJson(body), receiver)
})

const read = Effect.fnUntraced(function* (
  parsed: unknown,
  { account, clean, isLive }: Receiver
): Effect.fn.Return<ProviderMessage, MessageUnreadable> {
  const event = yield* decoded(Protocol.Event, parsed)
  if ((event.account ?? null) !== account) return yield* unreadable("it belongs to another account, at account")
  if (event.livemode !== isLive) return yield* unreadable("it belongs to the other mode, at livemode")
  const reading = Effect.map(aboutOf(event, clean), (about) => ({ about }))
  const { about } = yield* orChanged(reading, chargeIn(event, clean))
  return { id: event.id, at: event.created * 1000, about }
})

/** All that are about a charge. That a payment was created says nothing about money. */
const isOfMoney = (type: string): boolean =>
  /^(?:charge|checkout\.session|payment_intent|refund)\./u.test(type) && type !== "payment_intent.created"

/**
 * The charge that an event names, whatever of it cannot be read: `charge.refunded` lists no refunds
 * (https://docs.stripe.com/api/charges/object#charge_object-refunds), for one.
 */
const chargeIn = ({ data: { object }, type }: typeof Protocol.Event.Type, clean: Clean): ChargeName | undefined => {
  const named = isOfMoney(type) ? Result.getOrUndefined(readNamed(object)) : undefined
  if (named === undefined) return undefined
  if (typeof named.metadata?.attempt_id === "string") return { attemptId: named.metadata.attempt_id }
  const providerRef = type.startsWith("payment_intent.") ? named.id : named.payment_intent
  return providerRef == null || clean.shows(providerRef) ? undefined : { providerRef }
}

const readNamed = Schema.decodeUnknownResult(Protocol.Named)
const decoded = messageReader("it is not as documented")

const unreadable = (reason: string): MessageUnreadable => new MessageUnreadable({ reason })

type About = Effect.Effect<MessageAbout, MessageUnreadable>

const aboutOf = ({ api_version, data: { object }, type }: typeof Protocol.Event.Type, clean: Clean): About => {
  switch (type) {
    case "payment_intent.amount_capturable_updated":
    case "payment_intent.canceled":
    case "payment_intent.payment_failed":
    case "payment_intent.processing":
    case "payment_intent.requires_action":
    case "payment_intent.succeeded":
      return aboutPaymentIntent(object, clean)
    case "charge.captured":
      return aboutCapturedCharge(object)
    case "checkout.session.async_payment_succeeded":
    case "checkout.session.completed":
      return aboutSession(object)
    case "checkout.session.async_payment_failed":
      return aboutEndedSession(object, (providerRef) => ({
        _tag: "Declined",
        providerRef,
        category: "other",
        code: "async_payment_failed",
        soft: false
      }))
    case "checkout.session.expired":
      return aboutEndedSession(object, (providerRef) => ({ _tag: "Canceled", providerRef }))
    case "charge.refund.updated":
    case "refund.created":
    case "refund.failed":
    case "refund.updated":
      return aboutRefund(object, api_version ?? null, clean)
    case "charge.dispute.closed":
    case "charge.dispute.created":
    case "charge.dispute.funds_reinstated":
    case "charge.dispute.funds_withdrawn":
    case "charge.dispute.updated":
      return aboutDispute(object)
    default:
      return Effect.fail(unreadable("its type is not supported"))
  }
}

const aboutPaymentIntent = Effect.fnUntraced(function* (
  object: unknown,
  clean: Clean
): Effect.fn.Return<MessageAbout, MessageUnreadable> {
  const paymentIntent = yield* decoded(Protocol.PaymentIntent, object)
  const charge = nameOf(paymentIntent.metadata, paymentIntent.id)
  const isOnPage = paymentIntent.metadata?.checkout === "true"
  const state: ChargeState | string =
    isOnPage && paymentIntent.status === "requires_payment_method"
      ? { _tag: "NeedsCustomer", providerRef: paymentIntent.id }
      : stateOf(paymentIntent, clean)
  if (typeof state === "string") return yield* unreadable(`it is not to be understood at data.object.${state}`)
  if (!("attemptId" in charge) && paymentIntent.status === "requires_payment_method") {
    return yield* unreadable(
      "without our id it does not say whether the customer may try again, at data.object.metadata"
    )
  }
  return { _tag: "Charge", charge, state: () => state }
})

/**
 * "Occurs whenever a previously uncaptured charge is captured" (https://docs.stripe.com/api/events/types), by us or by hand:
 * the amount is what was captured of the charge so far, and it may be less or more than was asked for. There is no event for a capture that
 * fails later: Stripe says at once whether it captured, and takes what it captures in the background for captured
 * (https://docs.stripe.com/payments/payment-intents/asynchronous-capture).
 */
const aboutCapturedCharge = Effect.fnUntraced(function* (
  object: unknown
): Effect.fn.Return<MessageAbout, MessageUnreadable> {
  const { amount_captured, currency, metadata, payment_intent } = yield* decoded(Protocol.CapturedCharge, object)
  const charge = nameOf(metadata, payment_intent)
  const stated = fromStripe(amount_captured, currency)
  if (stated === undefined) return yield* unreadable("it is not to be understood at data.object.amount_captured")
  return { _tag: "Charge", charge, state: () => ({ _tag: "Captured", providerRef: payment_intent, stated }) }
})

/** What was paid was captured. Anything else is accepted, and the payment's own messages report its outcome. */
const aboutSession = Effect.fnUntraced(function* (object: unknown): Effect.fn.Return<MessageAbout, MessageUnreadable> {
  const { amount_total, currency, metadata, payment_intent, payment_status } = yield* decoded(
    Protocol.ToldSession,
    object
  )
  const stated = fromStripe(amount_total, currency)
  if (payment_intent === null) return yield* unreadable("it has no payment at data.object.payment_intent")
  const charge = nameOf(metadata, payment_intent)
  if (stated === undefined) return yield* unreadable("unexpected value at data.object.amount_total")
  const state: ChargeState = {
    _tag: payment_status === "paid" ? "Captured" : "Pending",
    providerRef: payment_intent,
    stated
  }
  return { _tag: "Charge", charge, state: () => state }
})

const aboutEndedSession = Effect.fnUntraced(function* (
  object: unknown,
  stateFor: (providerRef: string | null) => ChargeState
): Effect.fn.Return<MessageAbout, MessageUnreadable> {
  const { metadata, payment_intent } = yield* decoded(Protocol.EndedSession, object)
  const providerRef = payment_intent ?? null
  if (providerRef === null && typeof metadata?.attempt_id !== "string") {
    return yield* unreadable("its charge is unknown, at data.object.metadata.attempt_id")
  }
  const charge = nameOf(metadata, providerRef ?? "")
  const state = stateFor(providerRef)
  return { _tag: "Charge", charge, state: () => state }
})

/**
 * Before this version, what a capture leaves and what a cancellation releases is a Refund too, without our id
 * (https://docs.stripe.com/changelog/basil/2025-03-31/remove-refund-from-partial-capture-and-payment-cancellation-flow).
 */
const versionOfTrueRefunds = "2025-03-31"

/** One without our id was made in the dashboard or by another program, and names the payment. */
const aboutRefund = Effect.fnUntraced(function* (
  object: unknown,
  version: string | null,
  clean: Clean
): Effect.fn.Return<MessageAbout, MessageUnreadable> {
  const refund = yield* decoded(Protocol.ToldRefund, object)
  const refundId = Protocol.refundIdIn(refund.metadata)
  const state = stateOfToldRefund(refund, clean)
  if (typeof state === "string") return yield* unreadable(`it is not to be understood at data.object.${state}`)
  if (refundId !== null) return { _tag: "Refund", refundId, state: () => state }
  if (version === null || version < versionOfTrueRefunds) {
    return yield* unreadable("without our id it may be no refund in this version, at api_version")
  }
  const providerRef = refund.payment_intent ?? null
  if (providerRef === null) return yield* unreadable("it has no payment at data.object.payment_intent")
  return { _tag: "UnnamedRefund", charge: { providerRef }, providerRefundId: refund.id, state: () => state }
})

/** A dispute has metadata of its own, and names the payment alone. */
const aboutDispute = Effect.fnUntraced(function* (object: unknown): Effect.fn.Return<MessageAbout, MessageUnreadable> {
  const dispute = yield* decoded(Protocol.Dispute, object)
  const { id, payment_intent } = dispute
  const stated = statedIn(dispute)
  if (stated === undefined) return yield* unreadable("it has no final status yet, at data.object.status")
  if (payment_intent === undefined || payment_intent === null) {
    return yield* unreadable("it has no payment at data.object.payment_intent")
  }
  return { _tag: "Dispute", charge: { providerRef: payment_intent }, disputeId: id, ...stated }
})

/** The merchant may have changed the metadata by hand. */
const nameOf = (metadata: Protocol.Metadata | null | undefined, providerRef: string): ChargeName =>
  typeof metadata?.attempt_id === "string" ? { attemptId: metadata.attempt_id } : { providerRef }

/** Keeps the fields of a message that `Protocol.ts` reads: no names, addresses, e-mail, card details or client secrets. */
export const keptOfMessage = keptFields(
  new Set(
    (
      "id type created api_version livemode account data object status amount amount_capturable amount_received " +
      "amount_captured amount_total captured currency metadata attempt_id refund_id checkout last_payment_error " +
      "code decline_code advice_code payment_intent payment_status failure_reason reason evidence_details due_by " +
      "payment_method_details card case_type"
    ).split(" ")
  )
)
