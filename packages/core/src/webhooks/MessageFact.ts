/**
 * What a provider's message means for the payment that it is about (decisions, section 3). The direct answer, a
 * look-up and a message become the same facts, applied by the same code. Pure.
 *
 * The rule that a reader would otherwise break: messages come late, twice and out of order, so that they can confirm
 * and never deny. Silence, an authorization or an acceptance says nothing about a capture, a void or a refund that was
 * asked for since. That money is held or taken is believed whenever it comes.
 */
import { Result } from "effect"
import { paymentEvent } from "../events/PaymentEvents.ts"
import { checkoutFactOf } from "../hosted/CheckoutFact.ts"
import { step } from "../machine/Machine.ts"
import {
  type Applied,
  endedBy,
  ofChargeFact,
  ofRival,
  replaced,
  secondChargeOf,
  unchanged
} from "../payment/Applied.ts"
import type { Attempt } from "../payment/Attempt.ts"
import { type ChargeFact, chargeFactOf, tellsOfMoney } from "../payment/ChargeFact.ts"
import { holdingAttempt, openOperation } from "../payment/Holding.ts"
import { applyOperationFact, operationFactOf } from "../payment/OperationFact.ts"
import type { Payment } from "../payment/Payment.ts"
import { type PaymentEvent, PaymentMachine, type PaymentState } from "../payment/PaymentMachine.ts"
import { asUsable } from "../payment/SendCharge.ts"
import type { ChargeName, ChargeState, ProviderMessage } from "../ports/Connector.ts"
import type { MessageBook, MessageNote, PaymentBook } from "../ports/Ledger.ts"
import { Unanswered } from "../ports/Transport.ts"
import { applyRefundFact, refundFactOf } from "../refunds/RefundFact.ts"
import { asUsableRefund } from "../refunds/UsableRefund.ts"

/** `undefined`: nothing changes. `connectionId`: where the message came in; it touches nothing of another one. */
export const applyMessage = (
  { book, told }: MessageBook,
  connectionId: string,
  { about, at }: Pick<ProviderMessage, "about" | "at">,
  now: number
): Applied | undefined => {
  if (about._tag === "Refund") return ofRefund(book, connectionId, about, now)
  const attempt = attemptNamed(book, connectionId, about.charge)
  if (attempt === undefined) return undefined
  switch (about._tag) {
    case "Charge":
      return ofCharge(book, attempt, about.state(attempt.money), at, now)
    case "Settled": {
      // What is paid out was taken: where we did not know that yet, we do now.
      const said = about.state === null ? undefined : about.state(attempt.money)
      const charged = said === undefined ? undefined : ofCharge(book, attempt, said, at, now)
      if (said !== undefined && isOfAnotherCharge(book.payment, said)) return charged
      const settled = ofSettlement(charged === undefined ? book : after(book, charged), told, attempt, now)
      return charged === undefined || settled === undefined ? (settled ?? charged) : both(charged, settled)
    }
    case "Dispute":
      return ofDispute(book, told, attempt, { ...about, at }, now)
  }
}

/** What a message of the connection names, among what that connection was asked. */
export const attemptNamed = (
  { attempts }: PaymentBook,
  connectionId: string,
  charge: ChargeName
): Attempt | undefined =>
  attempts.findLast(
    (one) =>
      one.connectionId === connectionId &&
      ("attemptId" in charge ? one.id === charge.attemptId : one.providerRef === charge.providerRef)
  )

const after = (book: PaymentBook, { attempts, payment }: Applied): PaymentBook => ({
  ...book,
  payment,
  attempts: replaced(book.attempts, attempts)
})

const both = (first: Applied, second: Applied): Applied => ({
  ...first,
  payment: { ...second.payment, version: first.payment.version },
  events: [...first.events, ...second.events]
})

// Charges.

const operating: ReadonlySet<PaymentState> = new Set([
  "Capturing",
  "CapturePending",
  "CaptureUnknown",
  "Voiding",
  "VoidPending",
  "VoidUnknown"
])
const taken: ReadonlySet<PaymentState> = new Set(["Captured", "PartiallyRefunded", "Refunded", "Settled"])
const held: ReadonlySet<PaymentState> = new Set(["Authorized", ...operating, ...taken, "ChargedBack"])

const ofCharge = (
  book: PaymentBook,
  attempt: Attempt,
  said: ChargeState,
  at: number,
  now: number
): Applied | undefined => {
  const state = asUsable(said)
  if (state instanceof Unanswered) return undefined
  if (!held.has(book.payment.state)) {
    const fact = factWhereNobodyHolds(book, attempt, state, at, now)
    return fact === undefined ? undefined : ofChargeFact(book, endedBy(attempt, state, fact, now), fact, now)
  }
  if (holdingAttempt(book)?.id !== attempt.id) return ofRival(book, attempt, state, now)
  return isOfAnotherCharge(book.payment, state)
    ? ofSecondCharge(book, attempt, state, now)
    : ofHolder(book, attempt, state, now)
}

const factWhereNobodyHolds = (
  { attempts, payment }: PaymentBook,
  attempt: Attempt,
  state: ChargeState,
  at: number,
  now: number
): ChargeFact | undefined => {
  const isLast = attempts.at(-1)?.id === attempt.id
  const fact = chargeFactOf(payment, attempt.connectionId, state)
  switch (payment.state) {
    case "Charging":
    case "CheckoutOpen":
    case "ChargePending":
    case "ChargeUnknown":
      // An attempt that another one followed had executed nothing: it is heard where it tells of money after all.
      if (!isLast) return tellsOfMoney(fact) ? fact : undefined
      // The request itself is told, and may go on to the next connection.
      if (attempt.outcome === null && state._tag === "Declined" && state.soft) return undefined
      // A refusal that was written while the customer could try again is not the last word, however late it comes.
      return attempt.checkout === null
        ? fact
        : checkoutFactOf(
            payment,
            { ...attempt, checkout: attempt.checkout },
            { _tag: "Found", state },
            Math.min(at, now)
          )
    case "ChargeMismatched":
      // Only a stated amount can correct a stated amount.
      if (attempt.connectionId !== payment.connectionId) return undefined
      return state._tag === "Canceled" || ("stated" in state && state.stated !== undefined) ? fact : undefined
    case "Failed":
    case "Declined":
    case "Cancelled": {
      if (state._tag !== "Authorized") return tellsOfMoney(fact) ? fact : undefined
      // It was released again: an older word of the authorization comes late.
      if (attempt.outcome === "Canceled" && at < (attempt.answeredAt ?? now)) return undefined
      // Nobody waits for the provider to capture: what it holds is held, however it was asked for.
      return chargeFactOf({ ...payment, captureMethod: "manual" }, attempt.connectionId, state)
    }
    default:
      // Our own void stands, unless the money was taken.
      return fact.on === "ChargeCaptured" ? fact : undefined
  }
}

/**
 * A charge keeps its reference, so that under another one there is another: a customer can pay twice under one attempt
 * (https://help.adyen.com/knowledge/payments/payment-statuses/why-are-there-duplicate-payments).
 */
const isOfAnotherCharge = ({ providerRef, state }: Payment, said: ChargeState): boolean =>
  held.has(state) && providerRef !== null && said.providerRef !== null && said.providerRef !== providerRef

/** Operations are told once while they look at it, and what becomes of it then says nothing of the first charge. */
const ofSecondCharge = (book: PaymentBook, attempt: Attempt, state: ChargeState, now: number): Applied | undefined =>
  (state._tag === "Authorized" || state._tag === "Captured") &&
  book.payment.review?.reasons.includes("double_charge") !== true
    ? ofChargeFact(book, attempt, secondChargeOf(attempt, state), now)
    : undefined

/** Of the charge that holds the payment's money. */
const ofHolder = (book: PaymentBook, attempt: Attempt, state: ChargeState, now: number): Applied | undefined => {
  const { payment } = book
  const operation = operating.has(payment.state) ? openOperation(book) : undefined
  if (operation !== undefined) {
    const isHeard = state._tag === "Captured" || (state._tag === "Canceled" && operation.kind === "void")
    if (!isHeard) return undefined
    const fact = operationFactOf(operation, payment.authorizedMinor, state)
    const operated = applyOperationFact(payment, operation, fact, now)
    return { ...unchanged, payment: operated.payment, operations: [operated.operation], events: operated.events }
  }
  if (payment.state !== "Authorized") return undefined
  if (state._tag === "Canceled") return ofChargeFact(book, attempt, { on: "AuthorizationLapsed" }, now)
  if (state._tag !== "Captured") return undefined
  const fact = chargeFactOf(payment, attempt.connectionId, state)
  return ofChargeFact(book, endedBy(attempt, state, fact, now), fact, now)
}

// Refunds.

const ofRefund = (
  { payment, refunds }: PaymentBook,
  connectionId: string,
  about: Extract<ProviderMessage["about"], { readonly _tag: "Refund" }>,
  now: number
): Applied | undefined => {
  const refund = refunds.find((one) => one.id === about.refundId && one.connectionId === connectionId)
  if (refund === undefined) return undefined
  const state = asUsableRefund(about.state(refund.money))
  if (state instanceof Unanswered) return undefined
  // It was under way before it failed.
  const isOver = refund.stage === "Refused" || refund.stage === "Failed"
  if (isOver && state._tag === "RefundPending") return undefined
  const refunded = applyRefundFact(payment, refunds, refund, refundFactOf(refund.money, state), now)
  if (refunded.refund === refund && refunded.events.length === 0) return undefined
  // What its request is told is left to the request.
  return { ...unchanged, payment: refunded.payment, refunds: [refunded.refund], events: refunded.events }
}

// Settlement and disputes.

const ofSettlement = (
  book: PaymentBook,
  told: ReadonlyArray<MessageNote>,
  attempt: Attempt,
  now: number
): Applied | undefined =>
  holdingAttempt(book)?.id !== attempt.id || wasSettled(told)
    ? undefined
    : moveBy(book.payment, "SettlementReported", now)

const wasSettled = (told: ReadonlyArray<MessageNote>): boolean =>
  told.some(({ about, isApplied }) => about === "settlement" && isApplied)

interface DisputeWord {
  readonly disputeId: string | null
  readonly verdict: "opened" | "won" | "lost"
  /** Epoch milliseconds. */
  readonly at: number
}

const ofDispute = (
  book: PaymentBook,
  told: ReadonlyArray<MessageNote>,
  attempt: Attempt,
  word: DisputeWord,
  now: number
): Applied | undefined => {
  const { payment } = book
  if (holdingAttempt(book)?.id !== attempt.id) return undefined
  const earlier = told.flatMap(
    ({ disputeId, subjectId, verdict, writtenAt }): ReadonlyArray<DisputeWord> =>
      verdict === null || subjectId !== attempt.id ? [] : [{ disputeId, verdict, at: writtenAt }]
  )
  const isDisputed = areStanding([...earlier, word])
  const moved =
    isDisputed && taken.has(payment.state)
      ? moveBy(payment, "DisputeOpened", now)
      : !isDisputed && payment.state === "ChargedBack"
        ? moveBy(payment, wonBy(payment, told), now)
        : undefined
  // A new version in any case: what the other messages about disputes are decided on is this record, too.
  return moved ?? { ...unchanged, payment: { ...payment, version: payment.version + 1 } }
}

/** Whether one of the disputes is open or lost. `won` and `lost` beat `opened`, and each other by their time. */
const areStanding = (words: ReadonlyArray<DisputeWord>): boolean =>
  [...Map.groupBy(words, ({ disputeId }) => disputeId).values()].some((ofOne) => {
    const ends = ofOne.filter(({ verdict }) => verdict !== "opened")
    const last = ends.reduce<DisputeWord | undefined>(
      (latest, one) => (latest === undefined || one.at >= latest.at ? one : latest),
      undefined
    )
    return last?.verdict !== "won"
  })

/** Where the ledger says that the payment stands without the dispute. */
const wonBy = (payment: Payment, told: ReadonlyArray<MessageNote>): PaymentEvent => {
  if (payment.refundedMinor === 0) return wasSettled(told) ? "DisputeWonSettled" : "DisputeWonUnrefunded"
  return payment.refundedMinor === payment.capturedMinor ? "DisputeWonRefunded" : "DisputeWonPartlyRefunded"
}

const moveBy = (payment: Payment, on: PaymentEvent, now: number): Applied | undefined => {
  const row = Result.getOrUndefined(step(PaymentMachine, payment.state, on))
  if (row === undefined) return undefined
  const moved: Payment = { ...payment, state: row.to, version: payment.version + 1, updatedAt: now }
  return { ...unchanged, payment: moved, events: row.emits.map((type) => paymentEvent(type, moved)) }
}
