/**
 * A capture of less than was authorized, as Stripe reports it: a `charge` of the whole authorization, and a
 * `charge_failed` of the rest (https://docs.stripe.com/reports/reporting-categories, `partial_capture_reversal`).
 * Neither row alone says what was captured, so neither states an amount. Other providers report the captured amount in
 * one row. Pure.
 */
import type { OperationOutcome } from "../../model/Operation.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import { isOfItsSign, type ReportRow, type ReportRowKind, type SignedMoney } from "../../model/ReportRow.ts"
import type { SettlementResult } from "../../model/SettlementEntry.ts"

/** What of a row of the payment that came before is compared with. */
export interface EarlierRow {
  /** Of its entry. */
  readonly rowId: string
  readonly kind: ReportRowKind
  readonly refundId: string | null
  /** The provider's. */
  readonly disputeId: string | null
  readonly gross: SignedMoney
  readonly result: SettlementResult
}

export interface PartialCapture {
  /** In minor units of the payment's currency: what was captured, or was asked for. */
  readonly capturedMinor: number
  readonly isConfirmed: boolean
  /** The entry of the other row; `undefined` until it comes. */
  readonly other: string | undefined
}

/** `undefined` for a row that is no part of a pair. */
export const partialCaptureOf = (
  row: Pick<ReportRow, "kind" | "gross">,
  book: PaymentBook,
  connectionId: string,
  before: ReadonlyArray<EarlierRow>
): PartialCapture | undefined => {
  const captured = smallerCapture(book, connectionId)
  if (captured === undefined) return undefined
  const { capturedMinor } = captured
  const { authorizedMinor, money } = book.payment
  const rest = authorizedMinor - capturedMinor
  const rows = (kind: ReportRowKind, minorUnits: number): ReadonlyArray<EarlierRow> =>
    before.filter((one) => one.kind === kind && isAmount(one.gross, minorUnits, money.currency))
  const wholes = rows("charge", authorizedMinor)
  const rests = rows("charge_failed", -rest)
  if (row.kind === "charge") {
    if (!isAmount(row.gross, authorizedMinor, money.currency) || wholes.length > 0) return undefined
    return { ...captured, other: rests[0]?.rowId }
  }
  if (row.kind !== "charge_failed" || !isAmount(row.gross, -rest, money.currency) || rests.length > 0) return undefined
  // Half of the authorization was captured: what is taken back may be the capture itself.
  if (rest === capturedMinor && rows("charge", capturedMinor).length > 0) return undefined
  return { ...captured, other: wholes[0]?.rowId }
}

const isAmount = ({ currency, minorUnits }: SignedMoney, wanted: number, of: string): boolean =>
  minorUnits === wanted && currency === of

const mayHaveMoved: ReadonlySet<OperationOutcome> = new Set(["Confirmed", "Accepted", "Unanswered", "Failed"])

/** The last capture that was confirmed, or else asked for, if it is of less than was authorized. */
const smallerCapture = ({ operations, payment }: PaymentBook, connectionId: string) => {
  const captures = operations.filter(
    ({ connectionId: of, kind, outcome }) =>
      kind === "capture" && of === connectionId && (outcome === null || mayHaveMoved.has(outcome))
  )
  const confirmed = captures.findLast(({ outcome }) => outcome === "Confirmed")
  const capture = confirmed ?? captures.at(-1)
  if (capture === undefined) return undefined
  const isConfirmed = confirmed !== undefined && payment.capturedMinor > 0
  const capturedMinor = isConfirmed ? payment.capturedMinor : capture.money.minorUnits
  return capturedMinor < payment.authorizedMinor ? { capturedMinor, isConfirmed } : undefined
}

/** Rows of a kind that came before, less those that took one back. */
export const countedBefore = (
  before: ReadonlyArray<EarlierRow>,
  kind: ReportRowKind,
  refundId: string | null
): number => {
  const of = (wanted: ReportRowKind | undefined) =>
    before.filter((one) => one.kind === wanted && one.refundId === refundId && isOfItsSign(one))
  const moved = of(kind)
  // The rest of an authorization takes no capture back.
  const isBack = ({ gross }: EarlierRow) =>
    kind !== "charge" || moved.some((one) => one.gross.minorUnits === -gross.minorUnits)
  return moved.length - of(takenBackBy[kind]).filter(isBack).length
}

const takenBackBy: Partial<Record<ReportRowKind, ReportRowKind>> = { charge: "charge_failed", refund: "refund_failed" }
