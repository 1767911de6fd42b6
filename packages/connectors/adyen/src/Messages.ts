/**
 * Adyen's standard webhooks: the signature, and only then what they say
 * (https://docs.adyen.com/development-resources/webhooks/webhook-types,
 * https://docs.adyen.com/api-explorer/Webhooks/1/overview).
 *
 * Adyen signs eight fields and not the body. That money is held or taken,
 * how much of it and whose, is read from those eight alone. The time, the words of a refusal and all additional data may
 * have been changed on the way.
 */
import {
  atField,
  type ChargeName,
  type ChargeState,
  type Clean,
  type MessageAbout,
  MessageUnreadable,
  MessageUnverified,
  type Money,
  messageJson,
  messageReader,
  messageTag,
  type OperationState,
  orChanged,
  type ProviderMessage,
  type RawMessage,
  type RefundState,
  type VerifiedBody,
  verifiedJson
} from "@pointsman/core/connector"
import { Effect, Redacted, Result, Schema } from "effect"
import { Mac } from "effect/crypto"
import { Base64, Hex } from "effect/encoding"
import { fromAdyen } from "./Amounts.ts"
import { declineOf } from "./Declines.ts"
import { detailsOf, type Verdict, verdicts } from "./Disputes.ts"
import * as Protocol from "./Protocol.ts"
import { attemptOf, isRefundId, type OperationKind, readOperationReference, readReference } from "./Reference.ts"

export const readMessage = Effect.fnUntraced(function* (
  { body, secret }: RawMessage,
  merchantAccount: string,
  clean: Clean
): Effect.fn.Return<ProviderMessage, MessageUnverified | MessageUnreadable> {
  return yield* read(yield* signedItem(body, secret), merchantAccount, clean)
})

/** A message that was verified when it came. */
export const readStored = Effect.fnUntraced(function* (
  { body }: VerifiedBody,
  merchantAccount: string,
  clean: Clean
): Effect.fn.Return<ProviderMessage, MessageUnreadable> {
  const { notificationItems } = yield* decoded(Envelope, yield* verifiedJson(body))
  return yield* read(notificationItems[0]?.NotificationRequestItem, merchantAccount, clean)
})

const read = Effect.fnUntraced(function* (
  signed: unknown,
  merchantAccount: string,
  clean: Clean
): Effect.fn.Return<ProviderMessage, MessageUnreadable> {
  const item = yield* decoded(Protocol.Item, signed)
  if (item.merchantAccountCode !== merchantAccount) {
    return yield* new MessageUnreadable({ reason: "its merchantAccountCode is not the connection's" })
  }
  const reading = Effect.map(aboutOf(item, clean), (about) => ({ about }))
  const { about } = yield* orChanged(reading, chargeIn(item))
  return { id: idOf(item), at: Date.parse(item.eventDate), about }
})

const decoded = messageReader("it is not as Adyen describes its webhooks")

// The signature.

const bytes = new TextEncoder()

const Envelope = Schema.Struct({
  notificationItems: Schema.Array(Schema.Struct({ NotificationRequestItem: Schema.Unknown }))
})

/**
 * The item of a webhook that is signed with the key. The signature lies inside the item, so that it has to be found
 * before it can be checked; until then, anything malformed counts as an unsigned message.
 *
 * Each webhook that Adyen describes holds one item (https://docs.adyen.com/api-explorer/Webhooks/1/overview). Of
 * several, one of our messages could report only the first: they are refused whole, and Adyen sends them again until an
 * operator looks.
 */
const signedItem = Effect.fnUntraced(function* (
  body: Uint8Array,
  secret: Redacted.Redacted<string>
): Effect.fn.Return<unknown, MessageUnverified> {
  const parsed = yield* Effect.mapError(messageJson(body), (reason) => new MessageUnverified({ reason }))
  const { notificationItems } = yield* signable(Envelope, parsed)
  const [first, ...others] = notificationItems
  if (first === undefined || others.length > 0) {
    return yield* new MessageUnverified({ reason: "expected exactly one item" })
  }
  const item = yield* signable(Protocol.SignedItem, first.NotificationRequestItem)
  const key = Result.getOrUndefined(Hex.decode(Redacted.value(secret)))
  // Anybody could sign with an empty key.
  if (key === undefined || key.length === 0) {
    return yield* new MessageUnverified({ reason: "the connection's webhook secret is not a hexadecimal key" })
  }
  const tag = yield* messageTag(key, bytes.encode(signedText(item)))
  return Mac.timingSafeEqual(bytes.encode(item.additionalData.hmacSignature), bytes.encode(Base64.encode(tag)))
    ? first.NotificationRequestItem
    : yield* new MessageUnverified({ reason: "its signature does not match the connection's webhook secret" })
})

const signable = <A>(schema: Schema.Decoder<A>, value: unknown): Effect.Effect<A, MessageUnverified> =>
  Effect.mapError(
    Effect.fromResult(Schema.decodeUnknownResult(schema)(value)),
    (error) => new MessageUnverified({ reason: `its signature cannot be checked${atField(error)}` })
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
 * success of a later try are two, and so are the messages of one capture that Adyen tried again by itself: under the same
 * id the second would be taken for the first one come again, and be lost.
 */
const idOf = (item: Protocol.Item): string => {
  const { eventCode, pspReference, success } = item
  return [pspReference, eventCode, success, ...courseOf(item)].join(":")
}

/** What tells a message apart from an earlier one of the same capture or refund. */
const courseOf = ({ eventCode, reason }: Protocol.Item): ReadonlyArray<string> => {
  switch (eventCode) {
    case "CAPTURE":
      return isRecaptured(reason) ? ["recaptured"] : []
    case "CAPTURE_FAILED":
      return isNeverCaptured(reason) ? ["final"] : []
    case "REFUND_FAILED":
      return isTriedAgain(reason) ? ["tried-again"] : []
    default:
      return []
  }
}

/*
 * The words of Adyen's reasons (https://docs.adyen.com/online-payments/capture/failure-reasons, which is also about
 * refunds). They are not signed. Changing one in transit can make a failure look final or not, until the
 * next message; the failure itself is signed.
 */

/** "Transaction Recaptured" or "Transaction Auto-recaptured". */
const isRecaptured = (reason: Reason): boolean => /recaptured/iu.test(reason ?? "")

/**
 * Failures after which Adyen says that it can do nothing more: the shopper cancelled the payment at the bank, the capture
 * expired, or it cannot be captured again. After a technical issue, the most common one, Adyen "will try to fix the issue
 * and re-capture the transaction", for up to ten days; so it may after any that is not listed here.
 */
const isNeverCaptured = (reason: Reason): boolean =>
  /shopper cancell?ed|capture (?:has )?expired|can(?:not|['’]t) be re-?captured/iu.test(reason ?? "")

/** The scheme treats captures and refunds alike: after a technical issue Adyen sends a refund again too. */
const isTriedAgain = (reason: Reason): boolean => /technical issue/iu.test(reason ?? "")

type Reason = Protocol.Item["reason"]

// What it says.

/**
 * What is about the money of a payment, besides the disputes of `verdicts`: of the `webhooks` that
 * https://github.com/Adyen/adyen-openapi (`json/Webhooks-v1.json`) describes. Of those that `aboutOf` does not read, the payment is looked up; Adyen has no lookup, so that operators review it.
 */
const ofMoney: ReadonlySet<string> = new Set([
  "AUTHORISATION",
  "AUTHORISATION_ADJUSTMENT",
  "CANCELLATION",
  "CANCEL_OR_REFUND",
  "CAPTURE",
  "CAPTURE_FAILED",
  "DISPUTE_DEFENSE_PERIOD_ENDED",
  "EXPIRE",
  "OFFER_CLOSED",
  "POSTPONED_REFUND",
  "PREARBITRATION_ACCEPTED",
  "PREARBITRATION_DECLINED",
  "PREARBITRATION_ISSUER_WITHDRAWN",
  "PREARBITRATION_OPEN",
  "REFUND",
  "REFUNDED_REVERSED",
  "REFUND_FAILED",
  "REFUND_WITH_DATA",
  "SCHEME_ARBITRATION",
  "TECHNICAL_CANCEL",
  "VOID_PENDING_REFUND"
])

/** What takes no money, and says of the payment nothing that its other messages do not. */
const isQuiet = ({ eventCode, success }: Protocol.Item): boolean =>
  String(success) !== "true" && (eventCode === "EXPIRE" || eventCode === "OFFER_CLOSED")

/** The payment that an item names, whatever else of it cannot be read. All of these fields are signed. */
const chargeIn = (item: Protocol.Item): ChargeName | undefined => {
  const { eventCode, merchantReference, originalReference, pspReference } = item
  if ((!ofMoney.has(eventCode) && !verdicts.has(eventCode)) || isQuiet(item)) return undefined
  const attemptId = attemptOf(merchantReference ?? "")
  if (attemptId !== undefined) return { attemptId }
  const isOfPayment = eventCode === "AUTHORISATION" || eventCode === "OFFER_CLOSED"
  const providerRef = originalReference || (isOfPayment ? pspReference : undefined)
  return providerRef === undefined ? undefined : { providerRef }
}

/**
 * What each event code means. One that is not here, and is not about money, changes nothing, and is logged as unreadable:
 * switch it off for the webhook. Which these are, the package's README says.
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
      return isSuccess ? yield* captured(item) : yield* operationFailed(item, "capture", true, clean)
    // It had told that the capture was done. Its success is that of telling so.
    case "CAPTURE_FAILED":
      return yield* operationFailed(item, "capture", isNeverCaptured(item.reason), clean)
    case "CANCELLATION":
    case "TECHNICAL_CANCEL":
      return isSuccess ? yield* canceled(item) : yield* operationFailed(item, "void", true, clean)
    case "CANCEL_OR_REFUND":
      return yield* canceledOrRefunded(item, isSuccess, clean)
    // The capture did not come in time.
    case "EXPIRE":
      return yield* isSuccess ? canceled(item) : unused(item)
    case "OFFER_CLOSED":
      return yield* isSuccess ? offerClosed(item) : unused(item)
    case "REFUND":
      return yield* refundTold(item, isSuccess ? "Succeeded" : "RefundFailed", clean)
    // Mostly after it had told that the refund was done.
    case "REFUND_FAILED":
      return yield* refundTold(item, "RefundFailed", clean, !isTriedAgain(item.reason))
    // The money came back.
    case "REFUNDED_REVERSED":
      return yield* refundTold(item, "RefundFailed", clean)
    default: {
      const verdict = verdicts.get(item.eventCode)
      return verdict === undefined || !isSuccess ? yield* unused(item) : yield* disputed(item, verdict, clean)
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

/**
 * "The result of the request to capture a payment" (https://docs.adyen.com/api-explorer/Webhooks/1/post/CAPTURE): one
 * capture, by its `pspReference`, and an account may allow several of one payment
 * (https://docs.adyen.com/online-payments/capture). Where our reference has no room for the operation, the amount is all
 * that is known.
 */
const captured = Effect.fnUntraced(function* (item: Protocol.Item): Effect.fn.Return<MessageAbout, MessageUnreadable> {
  const { charge, providerRef } = yield* paymentOf(item)
  const money = yield* amountOf(item)
  const ours = readOperationReference(item.merchantReference ?? "")
  const operationId = ours?.kind === "capture" ? ours.operationId : undefined
  const amount =
    operationId === null
      ? { stated: money }
      : { capture: { id: item.pspReference, money, ...(operationId === undefined ? {} : { operationId }) } }
  return { _tag: "Charge", charge, state: () => ({ _tag: "Captured", providerRef, ...amount }) }
})

/** Of an authorization that expired Adyen may name no original; the attempt alone tells then which it was. */
const canceled = Effect.fnUntraced(function* (item: Protocol.Item): Effect.fn.Return<MessageAbout, MessageUnreadable> {
  const charge = yield* chargeOf(item)
  const providerRef = item.originalReference || null
  return { _tag: "Charge", charge, state: () => ({ _tag: "Canceled", providerRef }) }
})

/**
 * The merchant reversed it by hand: nothing here asks for that. Which of the two it was is not covered by the
 * signature, and needs not be: a cancel changes no captured money, and a refund none that is not captured.
 */
const canceledOrRefunded = (item: Protocol.Item, isSuccess: boolean, clean: Clean) => {
  const action = item.additionalData["modification.action"]
  if (action === "refund") return refundTold(item, isSuccess ? "Succeeded" : "RefundFailed", clean)
  if (!isSuccess) return notAsked(item)
  return action === "cancel" ? canceled(item) : unused(item)
}

/**
 * A capture or cancel did not happen, or is undone. That is a new fact about one operation, and never one about its
 * charge: it is tied to ours by the id in its reference, which is signed. Under the reference of a payment that was to
 * be taken at once, it is the capture that Adyen makes by itself.
 *
 * The refusal of a request is its end: "the event was not executed successfully", and only another request may succeed
 * (https://docs.adyen.com/api-explorer/Webhooks/latest/post/CANCELLATION). What was accepted and failed later, Adyen may
 * try again.
 */
const operationFailed = Effect.fnUntraced(function* (
  item: Protocol.Item,
  kind: OperationKind,
  isFinal: boolean,
  clean: Clean
): Effect.fn.Return<MessageAbout, MessageUnreadable> {
  const reason = clean(item.reason ?? "") || null
  const automatic = readReference(item.merchantReference ?? "")
  if (kind === "capture" && automatic?.purpose === "taken") {
    return { _tag: "CaptureFailed", charge: { attemptId: automatic.attemptId }, reason }
  }
  const ours = readOperationReference(item.merchantReference ?? "")
  if (ours === undefined || ours.operationId === null || ours.kind !== kind) return yield* notAsked(item)
  const { operationId } = ours
  const state: OperationState = {
    ...{ _tag: "OperationFailed", isFinal, reason },
    // A cancel is of no amount.
    ...(kind === "capture" ? { stated: yield* amountOf(item) } : {})
  }
  return { _tag: "Operation", operationId, state: () => state }
})

/**
 * The failure of a request made by hand in the Customer Area. It says nothing about one of our operations, so an
 * operator must check it.
 */
const notAsked = ({ eventCode }: Protocol.Item) =>
  Effect.fail(
    new MessageUnreadable({
      reason: `the failed operation is unknown to Pointsman (${eventCode}): see its originalReference in Adyen's Customer Area`
    })
  )

/**
 * A refund made in the Customer Area has the payment's reference, or one of their own
 * (https://docs.adyen.com/api-explorer/Webhooks/1/post/REFUND), and never the id of a refund of ours. Its charge is
 * named by Adyen's name of the payment: a customer may pay twice under one reference, and only one of the payments is
 * refunded.
 */
const refundTold = Effect.fnUntraced(function* (
  item: Protocol.Item,
  _tag: "Succeeded" | "RefundFailed",
  clean: Clean,
  isFinal = true
): Effect.fn.Return<MessageAbout, MessageUnreadable> {
  const { merchantReference, originalReference, pspReference: providerRefundId } = item
  const stated = yield* amountOf(item)
  const state: RefundState =
    _tag === "RefundFailed"
      ? { _tag, providerRefundId, reason: clean(item.reason ?? "") || null, ...(isFinal ? {} : { isFinal }) }
      : { _tag, providerRefundId, stated }
  if (merchantReference && isRefundId(merchantReference)) {
    return { _tag: "Refund", refundId: merchantReference, state: () => state }
  }
  if (!originalReference) return yield* withoutPayment
  return { _tag: "UnnamedRefund", charge: { providerRef: originalReference }, providerRefundId, state: () => state }
})

/** All messages of one dispute have the same `pspReference`. Some examples of Adyen's leave `originalReference` out. */
const disputed = Effect.fnUntraced(function* (
  item: Protocol.Item,
  verdict: Verdict,
  clean: Clean
): Effect.fn.Return<MessageAbout, MessageUnreadable> {
  const charge = yield* chargeOf(item)
  return { _tag: "Dispute", charge, disputeId: item.pspReference, verdict, ...detailsOf(item, clean) }
})

/** The payment that a modification is of: by our attempt where the reference is ours, and Adyen's own name for it. */
const paymentOf = Effect.fnUntraced(function* (item: Protocol.Item) {
  const providerRef = item.originalReference ?? ""
  if (providerRef === "") return yield* withoutPayment
  return { charge: yield* chargeOf(item), providerRef }
})

/** The merchant may have captured or cancelled by hand, under another reference. */
const chargeOf = (item: Protocol.Item): Effect.Effect<ChargeName, MessageUnreadable> => {
  const attemptId = attemptOf(item.merchantReference ?? "")
  if (attemptId !== undefined) return Effect.succeed({ attemptId })
  return item.originalReference ? Effect.succeed({ providerRef: item.originalReference }) : notOurs(item)
}

/** The message's amount in our minor units. */
const amountOf = (item: Protocol.Item): Effect.Effect<Money, MessageUnreadable> => {
  const stated = fromAdyen(item.amount)
  return stated === undefined
    ? Effect.fail(new MessageUnreadable({ reason: "its amount is invalid for its currency" }))
    : Effect.succeed(stated)
}

const withoutPayment = Effect.fail(new MessageUnreadable({ reason: "its originalReference is missing" }))

const notOurs = ({ eventCode }: Protocol.Item) =>
  Effect.fail(new MessageUnreadable({ reason: `its merchantReference is unknown (${eventCode})` }))

const unused = ({ eventCode }: Protocol.Item) =>
  Effect.fail(new MessageUnreadable({ reason: `${eventCode} is ignored` }))
