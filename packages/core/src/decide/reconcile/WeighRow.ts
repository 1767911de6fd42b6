/**
 * Compares a row of a provider's report with what is recorded of its payment. This says whether the two agree, and it
 * decides no money. What the row states goes to `interpret` like every other statement of the provider, and only where
 * that would change the record. Pure.
 */
import type { PaymentBook } from "../../model/PaymentBook.ts"
import { taken } from "../../model/PaymentMachine.ts"
import { openDisputes } from "../../model/Reported.ts"
import { isOfItsSign, type ReportRow, type ReportRowKind, type SignedMoney } from "../../model/ReportRow.ts"
import type { MatchReason, SettlementResult } from "../../model/SettlementEntry.ts"
import { type FourEyes, needsSecondPerson } from "../../model/Workspace.ts"
import { holdingAttempt } from "../Holding.ts"
import { interpret } from "../interpret/Interpret.ts"
import type { StatementAbout } from "../interpret/Statement.ts"
import { hasFailed } from "../RefundFact.ts"
import { countedBefore, type EarlierRow, type PartialCapture, partialCaptureOf } from "./PartialCapture.ts"
import { holdsStated, payoutOf, type RowSubject, statementOf, subjectOf } from "./RowStatement.ts"

/** The payment that a row belongs to, if there is one. */
export interface FoundPayment {
  readonly book: PaymentBook | undefined
  readonly reason: MatchReason
}

export interface WeighedRow {
  readonly result: SettlementResult
  readonly reason: MatchReason
  readonly paymentId: string | null
  readonly refundId: string | null
  /** What is recorded instead; `null` for what matches. */
  readonly expected: string | null
  /** What the row states, where that would change the record. */
  readonly statement: StatementAbout | undefined
  /** The entries of earlier rows whose differences end with this one. */
  readonly closes?: ReadonlyArray<string> | undefined
}

export interface WeighOrder {
  readonly connectionId: string
  readonly found: FoundPayment
  /** Rows of the payment that came before. */
  readonly before: ReadonlyArray<EarlierRow>
  /** What the connection's fee rules say, in minor units of the payment's currency; `undefined` where they say nothing. */
  readonly feeMinor: number | undefined
  /** From which amounts on the workspace asks for two people; `undefined` where one is enough. */
  readonly limits: FourEyes | undefined
  /** That the refund of the row has here, if it was made at the provider; `undefined` where the row names none. */
  readonly byHandId: string | undefined
  /** Epoch milliseconds. */
  readonly now: number
}

/** Rows that belong to no payment. */
export const isWithoutPayment = (kind: ReportRowKind): boolean => withoutPayment.has(kind)
const withoutPayment: ReadonlySet<ReportRowKind> = new Set(["fee", "payout", "payout_failed", "adjustment"])

type Difference = Pick<WeighedRow, "result" | "expected">

const matched: Difference = { result: "matched", expected: null }
const text = ({ currency, minorUnits }: SignedMoney): string => `${minorUnits} ${currency}`

export const weighRow = (row: ReportRow, order: WeighOrder): WeighedRow => {
  const { connectionId, found, now } = order
  const { book, reason } = found
  const none = { reason, paymentId: book?.payment.id ?? null, refundId: null, statement: undefined }
  if (isWithoutPayment(row.kind)) {
    const failed: Difference | undefined =
      row.kind === "payout_failed" ? { result: "status_differs", expected: "payout paid" } : undefined
    return { ...none, ...(failed ?? sumsOf(row) ?? matched) }
  }
  if (book === undefined) return { ...none, result: "missing_here", expected: null }
  const subject = subjectOf(book, connectionId, row)
  if (subject.isOther) {
    return { ...none, reason: "not_found", paymentId: null, result: "missing_here", expected: null }
  }
  const refundId = subject.refund?.id ?? null
  const isRefund = row.kind === "refund" || row.kind === "refund_failed"
  if (isRefund && refundId === null) return weighRefundByHand(row, order, book, subject, none)
  const about = { ...none, refundId }
  if (!isOfItsSign(row)) return { ...about, result: "amount_differs", expected: "an amount of the other sign" }
  const isDuplicate = isRepeated(row.kind) && countedBefore(order.before, row.kind, refundId) > 0
  // A duplicate completes no pair; one row of a pair says nothing of what was captured, however often it comes.
  const pairedWith = isDuplicate ? [] : order.before
  const part = subject.operation === undefined ? partialCaptureOf(row, book, connectionId, pairedWith) : undefined
  const partly = part === undefined ? differenceOfFailure(row, book) : differenceOfPart(part, book)
  const stated = partly === undefined ? statementOf(row, subject) : part && payoutOf(row, subject, part)
  const meaning = stated && interpret(book, connectionId, { about: stated, ...sourceOf(row, now) }, now)
  const applied = meaning !== undefined && "applied" in meaning ? meaning.applied : undefined
  const isChange = stated !== undefined && applied !== undefined && holdsStated(applied.payment, stated)
  const isPair = partly?.result === "matched"
  const differs = isPair
    ? undefined
    : (partly ??
      (isDispute(row.kind) ? differenceOfDispute(row, book, order.before) : undefined) ??
      differenceOf(row, book, subject, isChange) ??
      feesOf(row, book, order.feeMinor))
  const compared = differs ?? sumsOf(row) ?? matched
  const difference: Difference = isDuplicate ? { result: "duplicate", expected: `one ${row.kind}` } : compared
  const isKnownDispute = isDispute(row.kind) && difference.result !== "status_differs"
  const statement = isChange && !isKnownDispute ? stated : undefined
  if (statement !== undefined && isForTwo(row, book, subject, compared, order.limits)) {
    return { ...about, ...difference, expected: `${difference.expected}; two people: propose a correction` }
  }
  const isEvened = isDispute(row.kind) && difference.result === "matched"
  const pair = isPair && part?.other !== undefined ? [part.other] : []
  const closes = isEvened ? evenedBy(row, order.before) : pair
  return { ...about, ...difference, statement, closes }
}

/** A refund that is not recorded: the row states that it was made at the provider, or it is missing here. */
const weighRefundByHand = (
  row: ReportRow,
  { before, byHandId, limits, now, connectionId }: WeighOrder,
  book: PaymentBook,
  subject: RowSubject,
  none: Omit<WeighedRow, "result" | "expected">
): WeighedRow => {
  const missing = { ...none, result: "missing_here", expected: null } as const
  const said = isOfItsSign(row) ? statementOf(row, subject) : undefined
  if (said?._tag !== "UnnamedRefund" || byHandId === undefined) return missing
  if (countedBefore(before, row.kind, byHandId) > 0) {
    return { ...none, refundId: byHandId, result: "duplicate", expected: "one refund" }
  }
  const named = { ...said, refundId: byHandId }
  const meaning = interpret(book, connectionId, { about: named, ...sourceOf(row, now) }, now)
  if (!("applied" in meaning) || meaning.applied === undefined) return missing
  const differs = { ...none, refundId: byHandId, result: "status_differs", expected: "no refund" } as const
  return isForTwo(row, book, subject, differs, limits)
    ? { ...differs, expected: "no refund; two people: propose a correction" }
    : { ...differs, statement: named }
}

/**
 * With four eyes, a report is read by one person, who may have written it: a row that differs from the record decides no
 * amount for which two are asked. A row that agrees with the record may still say that the money is paid out.
 */
const isForTwo = (
  { gross }: ReportRow,
  { payment }: PaymentBook,
  { refund }: RowSubject,
  { result }: Difference,
  limits: FourEyes | undefined
): boolean => {
  if (result !== "status_differs" && result !== "amount_differs") return false
  const stated = { ...gross, minorUnits: Math.abs(gross.minorUnits) }
  return [refund?.money ?? payment.money, stated].some((amount) => needsSecondPerson(limits, amount))
}

/** One row of a pair is a difference until the other comes, and until the capture is known. */
const differenceOfPart = (
  { capturedMinor, isConfirmed, other }: PartialCapture,
  { payment }: PaymentBook
): Difference => {
  if (!isConfirmed) return { result: "status_differs", expected: payment.state }
  if (other !== undefined) return matched
  return { result: "amount_differs", expected: text({ minorUnits: capturedMinor, currency: payment.money.currency }) }
}

/** A failure takes back all that is captured: a row of another amount is no failure, and states nothing. */
const differenceOfFailure = ({ gross, kind }: ReportRow, { payment }: PaymentBook): Difference | undefined => {
  const { capturedMinor, money } = payment
  if (kind !== "charge_failed" || capturedMinor === 0) return undefined
  return amountOf(-gross.minorUnits, gross.currency, capturedMinor, money.currency)
}

/** A row is a message: it may be late, repeated and out of order. */
export const sourceOf = ({ occurredAt }: Pick<ReportRow, "occurredAt">, now: number) => ({
  via: "message" as const,
  at: occurredAt,
  askedAt: now
})

/** Money that a payment, or a refund, moves once. */
const isRepeated = (kind: ReportRowKind): boolean => kind === "charge" || kind === "refund"

const differenceOf = (
  row: ReportRow,
  book: PaymentBook,
  subject: RowSubject,
  isChange: boolean
): Difference | undefined => {
  const { payment } = book
  const status: Difference = { result: "status_differs", expected: payment.state }
  switch (row.kind) {
    case "charge": {
      const isHeld = holdingAttempt(book)?.id === subject.attempt?.id && subject.attempt !== undefined
      if (!taken.has(payment.state) || payment.capturedMinor === 0 || !isHeld) return status
      return amountOf(row.gross.minorUnits, row.gross.currency, payment.capturedMinor, payment.money.currency)
    }
    case "refund": {
      const { refund } = subject
      if (refund === undefined) return undefined
      if (refund.stage !== "Succeeded") return { result: "status_differs", expected: refund.stage }
      return amountOf(-row.gross.minorUnits, row.gross.currency, refund.money.minorUnits, refund.money.currency)
    }
    case "refund_failed": {
      const { refund } = subject
      const isKnown = refund === undefined || hasFailed(refund) || refund.stage === "Refused"
      return isKnown ? undefined : { result: "status_differs", expected: refund.stage }
    }
    case "charge_failed":
      return isChange ? status : undefined
    default:
      return undefined
  }
}

const amountOf = (
  statedMinor: number,
  statedCurrency: string,
  recordedMinor: number,
  recordedCurrency: string
): Difference | undefined =>
  statedMinor === recordedMinor && statedCurrency === recordedCurrency
    ? undefined
    : { result: "amount_differs", expected: text({ minorUnits: recordedMinor, currency: recordedCurrency }) }

const isDispute = (kind: ReportRowKind): boolean => kind === "dispute" || kind === "dispute_reversed"

/** Disputes whose money the rows say is taken, against those recorded and not won; without an id, any of them. */
const differenceOfDispute = (
  row: ReportRow,
  { payment }: PaymentBook,
  before: ReadonlyArray<EarlierRow>
): Difference | undefined => {
  const { disputeId } = row.names
  const recorded = (payment.reported?.disputes ?? []).filter((one) => disputeId === null || one.disputeId === disputeId)
  const moves = [...disputeMoves(row, before), row]
  const count = (kind: ReportRowKind) => moves.filter((one) => one.kind === kind).length
  const takenCount = openDisputes({ disputes: recorded }).length
  const isSame = recorded.length > 0 && count("dispute") - count("dispute_reversed") === takenCount
  return isSame ? undefined : { result: "status_differs", expected: payment.state }
}

const disputeMoves = ({ names }: ReportRow, before: ReadonlyArray<EarlierRow>): ReadonlyArray<EarlierRow> =>
  before.filter(
    (one) => isDispute(one.kind) && isOfItsSign(one) && (names.disputeId === null || one.disputeId === names.disputeId)
  )

/** Rows come in any order: once they add up to what is recorded, all of them are explained. */
const evenedBy = (row: ReportRow, before: ReadonlyArray<EarlierRow>): ReadonlyArray<string> =>
  disputeMoves(row, before).flatMap(({ result, rowId }) => (result === "status_differs" ? [rowId] : []))

/** Only a fee in the currency of the payment can be compared: a fee is never converted. */
const feesOf = (
  { fee, kind }: ReportRow,
  { payment }: PaymentBook,
  feeMinor: number | undefined
): Difference | undefined => {
  const { currency } = payment.money
  if (kind !== "charge" || fee === null || feeMinor === undefined || fee.currency !== currency) return undefined
  if (fee.minorUnits === feeMinor) return undefined
  return { result: "fee_differs", expected: text({ minorUnits: feeMinor, currency }) }
}

/** What is paid out is what moved, without the fee. */
const sumsOf = ({ converted, fee, gross, net }: ReportRow): Difference | undefined => {
  const moved = converted ?? gross
  if (fee === null || net === null || fee.currency !== net.currency || moved.currency !== net.currency) return undefined
  const expected = moved.minorUnits - fee.minorUnits
  if (net.minorUnits === expected) return undefined
  return { result: "fee_differs", expected: `net ${text({ minorUnits: expected, currency: net.currency })}` }
}
