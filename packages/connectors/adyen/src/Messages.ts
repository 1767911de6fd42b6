/**
 * Adyen's standard webhooks: the signature, and only then what they say
 * (https://docs.adyen.com/development-resources/webhooks/webhook-types,
 * https://docs.adyen.com/api-explorer/Webhooks/1/overview).
 *
 * The rule that a reader would otherwise break: Adyen signs eight fields and not the body. That money is held or taken,
 * how much of it and whose, is read from those eight alone. The time, the words of a refusal and all additional data may
 * have been changed on the way.
 */
import {
  type ChargeName,
  type ChargeState,
  fieldOf,
  type MessageAbout,
  MessageUnreadable,
  MessageUnverified,
  type Money,
  type ProviderMessage,
  type RawMessage,
  type RefundState
} from "@pointsman/core/connector"
import { Effect, Layer, Redacted, Result, Schema } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import { Base64, Hex } from "effect/encoding"
import { fromAdyen } from "./Amounts.ts"
import type { Clean } from "./Clean.ts"
import { declineOf } from "./Declines.ts"
import * as Protocol from "./Protocol.ts"
import { attemptOf, readReference } from "./Reference.ts"

export const readMessage = Effect.fnUntraced(function* (
  { body, secret }: RawMessage,
  merchantAccount: string,
  clean: Clean
): Effect.fn.Return<ProviderMessage, MessageUnverified | MessageUnreadable> {
  const signed = yield* signedItem(body, secret)
  const item = yield* Effect.mapError(
    Effect.fromResult(readItem(signed)),
    (error) => new MessageUnreadable({ reason: `it is not as Adyen describes its webhooks${at(error)}` })
  )
  if (item.merchantAccountCode !== merchantAccount) {
    return yield* new MessageUnreadable({ reason: "its merchantAccountCode is not the connection's" })
  }
  const about = yield* aboutOf(item, clean)
  return { id: idOf(item), at: Date.parse(item.eventDate), about }
})

/** Where the reading stopped, in names of Adyen's own fields. */
const at = (error: Schema.SchemaError): string => {
  const field = fieldOf(error)
  return field === "" ? "" : ` at ${field}`
}

// The signature.

const crypto = Layer.provide(Mac.layerWebCrypto, SecureRandom.layerWebCrypto)
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const bytes = new TextEncoder()

const readEnvelope = Schema.decodeUnknownResult(
  Schema.Struct({ notificationItems: Schema.Array(Schema.Struct({ NotificationRequestItem: Schema.Unknown })) })
)
const readSigned = Schema.decodeUnknownResult(Protocol.SignedItem)
const readItem = Schema.decodeUnknownResult(Protocol.Item)

/**
 * The item of a webhook that is signed with the key. The signature lies inside the item, so that it has to be found
 * before it can be checked; until then, whatever is wrong is a message that nobody signed.
 *
 * Each webhook that Adyen describes holds one item (https://docs.adyen.com/api-explorer/Webhooks/1/overview). Of several,
 * one message of ours could tell only the first: they are refused whole, and Adyen sends them again until somebody looks.
 */
const signedItem = Effect.fnUntraced(function* (
  body: Uint8Array,
  secret: Redacted.Redacted<string>
): Effect.fn.Return<unknown, MessageUnverified, Mac.Mac> {
  const parsed = yield* Effect.try({
    try: (): unknown => JSON.parse(utf8.decode(body)),
    // Without its cause: a parser's message quotes what it was given.
    catch: () => new MessageUnverified({ reason: "it is not JSON in UTF-8" })
  })
  const { notificationItems } = yield* signable(readEnvelope(parsed))
  const [first, ...others] = notificationItems
  if (first === undefined || others.length > 0) {
    return yield* new MessageUnverified({ reason: "it has no item or several in place of one" })
  }
  const item = yield* signable(readSigned(first.NotificationRequestItem))
  const key = Result.getOrUndefined(Hex.decode(Redacted.value(secret)))
  // An empty key is nobody's: anybody could sign with it.
  if (key === undefined || key.length === 0) {
    return yield* new MessageUnverified({ reason: "the connection's webhook secret is no key in hexadecimal digits" })
  }
  const mac = yield* Mac.Mac
  const tag = yield* Mac.key(Mac.hmacSha256, key).pipe(
    Effect.flatMap((made) => mac.sign(made, bytes.encode(signedText(item)))),
    Effect.orDie
  )
  return Mac.timingSafeEqual(bytes.encode(item.additionalData.hmacSignature), bytes.encode(Base64.encode(tag)))
    ? first.NotificationRequestItem
    : yield* new MessageUnverified({ reason: "its signature is not of the connection's webhook secret" })
}, Effect.provide(crypto))

const signable = <A>(read: Result.Result<A, Schema.SchemaError>): Effect.Effect<A, MessageUnverified> =>
  Effect.mapError(
    Effect.fromResult(read),
    (error) => new MessageUnverified({ reason: `its signature cannot be checked${at(error)}` })
  )

/** What Adyen signs (https://docs.adyen.com/development-resources/webhooks/verify-hmac-signatures). */
const signedText = (item: Protocol.SignedItem): string =>
  [
    item.pspReference,
    item.originalReference,
    item.merchantAccountCode,
    item.merchantReference,
    item.amount?.value,
    item.amount?.currency,
    item.eventCode,
    item.success
  ]
    .map((field) => (field === undefined || field === null ? "" : String(field)))
    .join(":")

/**
 * The same for a message that comes again
 * (https://docs.adyen.com/development-resources/webhooks/handle-webhook-events#handle-duplicates). A refusal and the
 * success of a later try are two.
 */
const idOf = ({ eventCode, pspReference, success }: Protocol.Item): string => `${pspReference}:${eventCode}:${success}`

// What it says.

/**
 * What each event code means. One that is not here changes nothing, and is logged as unreadable: switch it off for the
 * webhook. Which these are, the package's README says.
 */
const aboutOf = Effect.fnUntraced(function* (
  item: Protocol.Item,
  clean: Clean
): Effect.fn.Return<MessageAbout, MessageUnreadable> {
  const isSuccess = String(item.success) === "true"
  switch (item.eventCode) {
    case "AUTHORISATION":
      return isSuccess ? yield* authorized(item) : yield* refused(item, clean)
    case "CAPTURE":
      return isSuccess ? yield* captured(item) : yield* undone(item, "a capture failed", clean)
    // Its success is that of telling so.
    case "CAPTURE_FAILED":
      return yield* undone(item, "a capture failed that it had told to be done", clean)
    case "CANCELLATION":
    case "TECHNICAL_CANCEL":
      return isSuccess ? yield* canceled(item) : yield* undone(item, "a cancel failed", clean)
    case "CANCEL_OR_REFUND":
      return yield* canceledOrRefunded(item, isSuccess, clean)
    // Nobody captured in time.
    case "EXPIRE":
      return yield* isSuccess ? canceled(item) : unused(item)
    case "OFFER_CLOSED":
      return yield* isSuccess ? offerClosed(item) : unused(item)
    case "REFUND":
      return yield* refundTold(item, isSuccess, clean)
    // Mostly after it had told that the refund was done: that stands, and a person has to look.
    case "REFUND_FAILED":
    case "REFUNDED_REVERSED":
      yield* tellOperations(`of refund ${item.merchantReference ?? ""} that its money came back`, item, clean)
      return yield* refundTold(item, false, clean)
    default: {
      const verdict = verdicts.get(item.eventCode)
      return verdict === undefined || !isSuccess ? yield* unused(item) : yield* disputed(item, verdict)
    }
  }
})

/** Of the payment itself: its own reference is `pspReference`, and ours tells what was asked. */
const authorized = Effect.fnUntraced(function* (
  item: Protocol.Item
): Effect.fn.Return<MessageAbout, MessageUnreadable> {
  const ours = readReference(item.merchantReference ?? "")
  const stated = yield* amountOf(item)
  const charge = ours === undefined ? { providerRef: item.pspReference } : { attemptId: ours.attemptId }
  // Of a payment that was not asked for here nothing more is known than that its money is held.
  const _tag = ours?.purpose === "taken" ? "Captured" : "Authorized"
  return { _tag: "Charge", charge, state: () => ({ _tag, providerRef: item.pspReference, stated }) }
})

/** On a page the customer may try again, with another card, so that no refusal there is the last word. */
const refused = Effect.fnUntraced(function* (
  item: Protocol.Item,
  clean: Clean
): Effect.fn.Return<MessageAbout, MessageUnreadable> {
  const ours = readReference(item.merchantReference ?? "")
  if (ours === undefined) return yield* notOurs(item)
  const decline = declineOf(item.additionalData.refusalReasonCode ?? undefined, item.reason ?? undefined)
  const state: ChargeState = ours.isOnPage
    ? stillOnPage
    : { ...decline, _tag: "Declined", providerRef: item.pspReference, code: clean(decline.code) }
  return { _tag: "Charge", charge: { attemptId: ours.attemptId }, state: () => state }
})

/** The customer is still at it, or went away; the end of the page is the end of the payment. */
const stillOnPage: ChargeState = { _tag: "NeedsCustomer", providerRef: null }

const offerClosed = Effect.fnUntraced(function* (
  item: Protocol.Item
): Effect.fn.Return<MessageAbout, MessageUnreadable> {
  const ours = readReference(item.merchantReference ?? "")
  if (ours === undefined) return yield* notOurs(item)
  const state: ChargeState = ours.isOnPage ? stillOnPage : { _tag: "Canceled", providerRef: item.pspReference }
  return { _tag: "Charge", charge: { attemptId: ours.attemptId }, state: () => state }
})

const captured = Effect.fnUntraced(function* (item: Protocol.Item): Effect.fn.Return<MessageAbout, MessageUnreadable> {
  const { charge, providerRef } = yield* paymentOf(item)
  const stated = yield* amountOf(item)
  return { _tag: "Charge", charge, state: () => ({ _tag: "Captured", providerRef, stated }) }
})

/** Of an authorization that expired Adyen may name no original; the attempt alone tells then which it was. */
const canceled = Effect.fnUntraced(function* (item: Protocol.Item): Effect.fn.Return<MessageAbout, MessageUnreadable> {
  const charge = yield* chargeOf(item)
  const providerRef = item.originalReference || null
  return { _tag: "Charge", charge, state: () => ({ _tag: "Canceled", providerRef }) }
})

/**
 * Somebody reversed it by hand: nothing here asks for that. Which of both it was stands beside the signature; a cancel
 * is believed, because it says of no money that it was taken, and is not heard of a payment that was captured.
 */
const canceledOrRefunded = (item: Protocol.Item, isSuccess: boolean, clean: Clean) => {
  if (!isSuccess) return undone(item, "a cancel or refund failed", clean)
  return item.additionalData["modification.action"] === "cancel" ? canceled(item) : unused(item)
}

/**
 * Something that was asked for did not happen. A message can confirm and never deny (decisions, section 3), so that no
 * payment moves; it is recorded with its payment, and told to operations.
 */
const undone = Effect.fnUntraced(function* (
  item: Protocol.Item,
  what: string,
  clean: Clean
): Effect.fn.Return<MessageAbout, MessageUnreadable> {
  const { charge, providerRef } = yield* paymentOf(item)
  yield* tellOperations(`of payment ${providerRef} that ${what}`, item, clean)
  return { _tag: "Charge", charge, state: () => ({ _tag: "Pending", providerRef }) }
})

const tellOperations = (what: string, { reason }: Protocol.Item, clean: Clean) =>
  Effect.logWarning(`Adyen says ${what}${reason ? `: ${clean(reason)}` : ""}; see the Customer Area`)

const refundTold = Effect.fnUntraced(function* (
  item: Protocol.Item,
  isSuccess: boolean,
  clean: Clean
): Effect.fn.Return<MessageAbout, MessageUnreadable> {
  const { merchantReference: refundId, pspReference: providerRefundId } = item
  if ((refundId ?? "") === "") return yield* notOurs(item)
  const stated = yield* amountOf(item)
  const state: RefundState = isSuccess
    ? { _tag: "Succeeded", providerRefundId, stated }
    : { _tag: "RefundFailed", providerRefundId, reason: clean(item.reason ?? "") || null }
  return { _tag: "Refund", refundId: refundId ?? "", state: () => state }
})

type Verdict = Extract<MessageAbout, { readonly _tag: "Dispute" }>["verdict"]

/**
 * Disputes by their event codes (https://docs.adyen.com/risk-management/disputes-api/dispute-notifications). The money
 * is gone from `NOTIFICATION_OF_CHARGEBACK` on or soon after; a reversal may be followed by a second chargeback, and the
 * later of both counts. A request for information takes no money and is no dispute yet.
 */
const verdicts: ReadonlyMap<string, Verdict> = new Map([
  ["NOTIFICATION_OF_CHARGEBACK", "opened"],
  ["CHARGEBACK", "opened"],
  ["CHARGEBACK_REVERSED", "won"],
  ["ISSUER_RESPONSE_TIMEFRAME_EXPIRED", "won"],
  ["SECOND_CHARGEBACK", "lost"],
  ["PREARBITRATION_WON", "won"],
  ["PREARBITRATION_LOST", "lost"],
  ["SCHEME_ARBITRATION_WON", "won"],
  ["SCHEME_ARBITRATION_LOST", "lost"]
])

/** All messages of one dispute have the same `pspReference`. Some examples of Adyen's leave `originalReference` out. */
const disputed = Effect.fnUntraced(function* (
  item: Protocol.Item,
  verdict: Verdict
): Effect.fn.Return<MessageAbout, MessageUnreadable> {
  return { _tag: "Dispute", charge: yield* chargeOf(item), disputeId: item.pspReference, verdict }
})

/** The payment that a modification is of: by our attempt where the reference is ours, and Adyen's own name for it. */
const paymentOf = Effect.fnUntraced(function* (item: Protocol.Item) {
  const providerRef = item.originalReference ?? ""
  if (providerRef === "") return yield* new MessageUnreadable({ reason: "its originalReference is missing" })
  return { charge: yield* chargeOf(item), providerRef }
})

/** Somebody may have captured or cancelled by hand, under a reference of their own. */
const chargeOf = (item: Protocol.Item): Effect.Effect<ChargeName, MessageUnreadable> => {
  const attemptId = attemptOf(item.merchantReference ?? "")
  if (attemptId !== undefined) return Effect.succeed({ attemptId })
  return item.originalReference ? Effect.succeed({ providerRef: item.originalReference }) : notOurs(item)
}

/** The message's amount in minor units of ours. */
const amountOf = (item: Protocol.Item): Effect.Effect<Money, MessageUnreadable> => {
  const stated = fromAdyen(item.amount)
  return stated === undefined
    ? Effect.fail(new MessageUnreadable({ reason: "its amount is none of this currency" }))
    : Effect.succeed(stated)
}

const notOurs = ({ eventCode }: Protocol.Item) =>
  Effect.fail(new MessageUnreadable({ reason: `its merchantReference is none of ours (${eventCode})` }))

const unused = ({ eventCode }: Protocol.Item) =>
  Effect.fail(new MessageUnreadable({ reason: `nothing is done about ${eventCode}` }))
