/**
 * What a refund without an id of ours means: it was made at the provider, or it is one of ours whose request was not
 * answered. Only the provider's id says which. Pure.
 */
import type { Attempt } from "../../model/Attempt.ts"
import { type Payment, refundableMinor } from "../../model/Payment.ts"
import { bookAfter, type PaymentBook, refundTotals } from "../../model/PaymentBook.ts"
import { taken } from "../../model/PaymentMachine.ts"
import { type RefundState, Unanswered } from "../../model/ProviderStatement.ts"
import { begunRefund, columnOf, type Refund, withRefund } from "../../model/Refund.ts"
import { nothingReported, type RefundByHand } from "../../model/Reported.ts"
import type { Money } from "../../money/Money.ts"
import { type Applied, inOneStep, unchanged } from "../Applied.ts"
import { holdingAttempt } from "../Holding.ts"
import { applyRefundFact, refundFactOf } from "../RefundFact.ts"
import { asUsableRefund } from "../UsableAnswer.ts"
import { isUnderWay } from "../WithReview.ts"
import { datedRefund } from "./ConfirmedAt.ts"
import { confirms, contradicts, type Interpretation, keep, moves, older, waits } from "./Interpretation.ts"
import { ofRefund } from "./InterpretRefund.ts"
import { isCurrent, type Source, type Weighing } from "./Statement.ts"

/** Of one payment: a provider writes here. */
const mostWaiting = 50

export const ofUnnamedRefund = (
  book: PaymentBook,
  attempt: Attempt,
  { refundId, state }: Partial<Pick<RefundByHand, "refundId">> & Pick<RefundByHand, "state">,
  source: Weighing
): Interpretation => {
  const usable = asUsableRefund(state)
  if (usable instanceof Unanswered) return { _tag: "Malformed", reason: usable.reason }
  const known = book.refunds.find(
    ({ connectionId, id, providerRefundId }) =>
      id === refundId || (connectionId === attempt.connectionId && providerRefundId === state.providerRefundId)
  )
  if (known !== undefined) return ofRefund(book, known, state, source)
  if (refundId === undefined) return { _tag: "Malformed", reason: "a refund without an id" }
  if (state._tag === "RefundFailed") return ofFailed(book, refundId, state, source)
  const { stated } = state
  if (stated === undefined) return { _tag: "Malformed", reason: "a refund without an id of ours has no amount" }
  if (book.refunds.some((one) => one.connectionId === attempt.connectionId && isUnnamed(one, stated)))
    return contradicts(book, nameOf(state), evidenceOf(attempt.id, state), source.now)
  const order = orderOfFailed(book.payment, refundId, source)
  if (order === "older") return older
  // It is pending until a lookup decides.
  const stateThen = order === "undecided" ? ({ ...state, _tag: "RefundPending" } as const) : state
  const said: RefundByHand = { refundId, attemptId: attempt.id, state: stateThen, at: source.at }
  if (openMinor(book, attempt.connectionId) > 0 || isUnderWay(book.payment.state))
    return waiting(book, said, source.now)
  const room = holdingAttempt(book)?.id === attempt.id ? roomFor(book.payment, stated) : 0
  return stated.minorUnits > room
    ? ofExcess(book, attempt, said.state, stated, source.now)
    : recorded(book, said, stated, source)
}

/** A row of a report named it by our id alone: one of its amount that the provider names may be the same. */
const isUnnamed = ({ money, providerRefundId, stage }: Refund, stated: Money): boolean =>
  providerRefundId === null &&
  stage === "Succeeded" &&
  money.minorUnits === stated.minorUnits &&
  money.currency === stated.currency

const roomFor = (payment: Payment, { currency }: Money): number =>
  taken.has(payment.state) && currency === payment.money.currency ? refundableMinor(payment) : 0

/** In minor units: what refunds of ours at the connection take that may be this one. */
const openMinor = ({ refunds }: PaymentBook, connection: string): number =>
  refunds
    .filter(
      ({ connectionId, providerRefundId, stage }) =>
        connectionId === connection && providerRefundId === null && columnOf[stage] === "pending"
    )
    .reduce((sum, { money }) => sum + money.minorUnits, 0)

const waitingIn = ({ reported }: Payment): ReadonlyArray<RefundByHand> => reported?.refundsByHand ?? []

/** In minor units: what refunds that were made at the provider take beside those of ours that may be the same. */
export const reservedByHand = (book: PaymentBook): number => {
  const { attempts, payment } = book
  const byHand = waitingIn(payment)
  const connection = attempts.find(({ id }) => id === byHand[0]?.attemptId)?.connectionId
  if (connection === undefined) return 0
  const minorUnits = byHand.reduce(
    (sum, { state }) => sum + ("stated" in state ? (state.stated?.minorUnits ?? 0) : 0),
    0
  )
  return Math.max(0, minorUnits - openMinor(book, connection))
}

const waiting = (book: PaymentBook, said: RefundByHand, now: number): Interpretation => {
  const reported = book.payment.reported ?? nothingReported
  const all = waitingIn(book.payment)
  const others = all.filter(({ refundId }) => refundId !== said.refundId)
  const before = all.find(({ refundId }) => refundId === said.refundId)
  if (before?.state._tag === said.state._tag || before?.state._tag === "Succeeded") return waits
  if (others.length === mostWaiting)
    return contradicts(book, nameOf(said.state), evidenceOf(said.attemptId, said.state), now)
  return { _tag: "Waits", applied: keep(book.payment, { ...reported, refundsByHand: [...others, said] }, now) }
}

/** What its failure, which was heard before anything else, says about a later statement of the refund. */
const orderOfFailed = ({ reported }: Payment, refundId: string, source: Source): "older" | "newer" | "undecided" => {
  const failed = reported?.failedByHand?.find((one) => one.refundId === refundId)
  if (failed === undefined || isCurrent(source)) return "newer"
  if (failed.at === null || source.at === null || failed.at === source.at) return "undecided"
  return source.at < failed.at ? "older" : "newer"
}

/** It moved nothing, as is recorded. One that waits was not made after all, unless it succeeded later. */
const ofFailed = (
  book: PaymentBook,
  refundId: string,
  { isFinal }: Extract<RefundState, { readonly _tag: "RefundFailed" }>,
  source: Weighing
): Interpretation => {
  const { payment } = book
  const waits = waitingIn(payment).find((one) => one.refundId === refundId)
  const { failedByHand = [], ...reported } = payment.reported ?? nothingReported
  const at = isCurrent(source) ? source.askedAt : source.at
  const isOlder = waits !== undefined && at !== null && waits.at !== null && at < waits.at
  const known = failedByHand.find((one) => one.refundId === refundId)
  const isKnown = known !== undefined && (isCurrent(source) || at === null || at <= (known.at ?? at))
  // The provider tries it again, and says so.
  if (isOlder || isFinal === false || (isKnown && waits === undefined)) return confirms
  const others = failedByHand.filter((one) => one.refundId !== refundId)
  const left = waitingIn(payment).filter((one) => one !== waits)
  const noted = [...others, { refundId, at }].slice(-mostWaiting)
  const applied = keep(payment, { ...reported, refundsByHand: left, failedByHand: noted }, source.now)
  return waits === undefined ? { _tag: "Confirms", applied } : moves(applied)
}

const nameOf = ({ providerRefundId }: RefundState): string => `refund:${providerRefundId}`

const evidenceOf = (attemptId: string, state: RefundState) => ({
  attempt_id: attemptId,
  provider_refund_id: state.providerRefundId,
  stated: state._tag === "Succeeded" ? "refunded" : "refund_pending",
  ...("stated" in state && state.stated !== undefined
    ? { stated_amount: state.stated.minorUnits, stated_currency: state.stated.currency }
    : {})
})

/** The provider gave back what is not on record as captured, or is given back already. */
const ofExcess = (
  book: PaymentBook,
  attempt: Attempt,
  state: RefundState,
  stated: Money,
  now: number
): Interpretation => {
  const isOfPayment = holdingAttempt(book)?.id === attempt.id && stated.currency === book.payment.money.currency
  return contradicts(book, nameOf(state), evidenceOf(attempt.id, state), now, { isRefundExcess: isOfPayment })
}

/** Recorded as a refund of ours would be whose request was answered so. */
const recorded = (
  book: PaymentBook,
  { at, refundId, state }: RefundByHand,
  money: Money,
  source: Weighing
): Interpretation => {
  const { payment } = book
  const begun: Refund = {
    ...begunRefund,
    id: refundId,
    claimedBy: null,
    paymentId: payment.id,
    origin: "provider",
    money,
    requestedMinor: null,
    reason: null,
    idempotencyKey: null,
    connectionId: payment.connectionId ?? "",
    providerRef: payment.providerRef ?? "",
    timeoutMillis: 0,
    sentAt: at ?? source.now,
    answeredAt: source.now
  }
  const refunds = withRefund(book.refunds, begun)
  const reserved: Payment = { ...payment, ...refundTotals(refunds) }
  const dated = { at, isCurrent: isCurrent(source) }
  const after = applyRefundFact(reserved, refunds, begun, refundFactOf(money, state), source.now, dated)
  const meaning = moves({ ...unchanged, payment: after.payment, refunds: [after.refund], events: after.events })
  return state._tag === "Succeeded" ? datedRefund(book, after.refund, meaning, source) : meaning
}

/** What waited for the end of ours, weighed once it has come; `undefined` where nothing changes. `book`: as it is then. */
export const weighRefundsByHand = (book: PaymentBook, now: number): Applied | undefined => {
  let all: Applied | undefined
  for (const said of waitingIn(book.payment)) {
    const current = all === undefined ? book : bookAfter(book, all)
    const attempt = current.attempts.find(({ id }) => id === said.attemptId)
    if (attempt === undefined) continue
    const isWaiting = openMinor(current, attempt.connectionId) > 0 || isUnderWay(current.payment.state)
    const isNamed = current.refunds.some(({ providerRefundId }) => providerRefundId === said.state.providerRefundId)
    if (isWaiting && !isNamed) continue
    const left = waitingIn(current.payment).filter(({ refundId }) => refundId !== said.refundId)
    const reported = { ...(current.payment.reported ?? nothingReported), refundsByHand: left }
    const cleared = keep(current.payment, reported, now)
    const source: Weighing = { via: "message", at: said.at, askedAt: now, now }
    const meaning = ofUnnamedRefund(bookAfter(current, cleared), attempt, said, source)
    const weighed =
      "applied" in meaning && meaning.applied !== undefined ? inOneStep(cleared, meaning.applied) : cleared
    all = all === undefined ? weighed : inOneStep(all, weighed)
  }
  return all
}

/** With what the same step ends the waiting of. */
export const withRefundsByHand = (book: PaymentBook, meaning: Interpretation, now: number): Interpretation => {
  const applied = "applied" in meaning ? meaning.applied : undefined
  if (applied === undefined || waitingIn(applied.payment).length === 0) return meaning
  const weighed = weighRefundsByHand(bookAfter(book, applied), now)
  return weighed === undefined ? meaning : moves(inOneStep(applied, weighed))
}
