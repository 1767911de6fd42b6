/** What a row says about a payment, as providers state it. `interpret` decides what it means. Pure. */
import type { Attempt } from "../../model/Attempt.ts"
import type { Operation } from "../../model/Operation.ts"
import type { Payment } from "../../model/Payment.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import type { ChargeName, RefundOfRow, RefundState } from "../../model/ProviderStatement.ts"
import type { Refund } from "../../model/Refund.ts"
import type { ReportRow } from "../../model/ReportRow.ts"
import { money } from "../../money/Money.ts"
import { holdingAttempt } from "../Holding.ts"
import { attemptNamed } from "../interpret/Interpret.ts"
import type { StatementAbout } from "../interpret/Statement.ts"
import type { PartialCapture } from "./PartialCapture.ts"

/** What of a payment a row is about. */
export interface RowSubject {
  readonly attempt: Attempt | undefined
  readonly operation: Operation | undefined
  readonly refund: Refund | undefined
  /** The provider names another charge than that of the payment. */
  readonly isOther: boolean
}

export const subjectOf = (book: PaymentBook, connectionId: string, row: ReportRow): RowSubject => {
  const { attemptId, operationId, providerRef } = row.names
  const ofConnection = <A extends { readonly connectionId: string }>(one: A): boolean =>
    one.connectionId === connectionId
  const named =
    (attemptId === null ? undefined : attemptNamed(book, connectionId, { attemptId })) ??
    (providerRef === null ? undefined : attemptNamed(book, connectionId, { providerRef }))
  const operation = book.operations.find((one) => ofConnection(one) && one.kind === "capture" && one.id === operationId)
  const held = [holdingAttempt(book), book.attempts.at(-1)].find((one) => one !== undefined && ofConnection(one))
  const isOther =
    named === undefined && operation === undefined && !isOfRefund(row) && isOtherCharge(providerRef, held?.providerRef)
  return {
    attempt: named ?? (isOther ? undefined : held),
    operation,
    refund: isOfRefund(row) ? refundOf(book, connectionId, row) : undefined,
    isOther
  }
}

/** Two references of a provider that are both known name one charge only where they are equal. */
export const isOtherCharge = (stated: string | null, recorded: string | null | undefined): boolean =>
  stated !== null && recorded !== null && recorded !== undefined && stated !== recorded

const isOfRefund = ({ kind }: ReportRow): boolean => kind === "refund" || kind === "refund_failed"

const refundOf = (book: PaymentBook, connectionId: string, { names }: ReportRow): Refund | undefined => {
  const refunds = book.refunds.filter((one) => one.connectionId === connectionId)
  const { providerRefundId, refundId } = names
  return (
    refunds.find(({ id }) => id === refundId) ??
    (providerRefundId === null ? undefined : refunds.find((one) => one.providerRefundId === providerRefundId))
  )
}

/** That a capture is paid out, whose amount the row does not say: once both rows of the pair are there. */
export const payoutOf = (
  { payoutId }: ReportRow,
  { attempt }: RowSubject,
  { isConfirmed, other }: PartialCapture
): StatementAbout | undefined =>
  payoutId === null || attempt === undefined || !isConfirmed || other === undefined
    ? undefined
    : { _tag: "Settled", charge: { attemptId: attempt.id }, state: null }

/** Whether the payment says of a dispute what was stated. A verdict that the provider dates later stays. */
export const holdsStated = ({ reported }: Payment, about: StatementAbout): boolean =>
  about._tag !== "Dispute" ||
  (reported?.disputes ?? []).some(
    ({ disputeId, verdict }) =>
      disputeId === about.disputeId && (verdict === about.verdict || (about.verdict === "opened" && verdict === "lost"))
  )

/** `undefined` where the row states nothing, or does not name what it is about well enough. */
export const statementOf = (row: ReportRow, { attempt, operation, refund }: RowSubject): StatementAbout | undefined => {
  const { names } = row
  const stated = money(Math.abs(row.gross.minorUnits), row.gross.currency)
  const charge: ChargeName | undefined = attempt === undefined ? undefined : { attemptId: attempt.id }
  switch (row.kind) {
    case "charge": {
      const providerRef = names.providerRef ?? attempt?.providerRef ?? null
      if (charge === undefined || providerRef === null) return undefined
      const state = () => ({ _tag: "Captured" as const, providerRef, stated })
      return row.payoutId === null ? { _tag: "Charge", charge, state } : { _tag: "Settled", charge, state }
    }
    case "charge_failed": {
      if (operation !== undefined) {
        const state = () => ({ _tag: "OperationFailed" as const, isFinal: true, reason: null, stated })
        return { _tag: "Operation", operationId: operation.id, state }
      }
      return charge && { _tag: "CaptureFailed", charge, reason: null }
    }
    case "refund":
    case "refund_failed": {
      if (refund === undefined) return row.kind === "refund" ? refundByHand(row, attempt) : undefined
      const providerRefundId = names.providerRefundId ?? refund.providerRefundId
      const state = () =>
        row.kind === "refund"
          ? ({ _tag: "Succeeded", providerRefundId, stated } as RefundState | RefundOfRow)
          : ({ _tag: "RefundFailed", providerRefundId: providerRefundId ?? row.id, reason: null } as const)
      return { _tag: "Refund", refundId: refund.id, state }
    }
    case "dispute":
    case "dispute_reversed": {
      const { disputeId } = names
      // Without an id, a row may be a hold, its end, or the verdict.
      if (charge === undefined || disputeId === null) return undefined
      return row.kind === "dispute"
        ? { _tag: "Dispute", charge, disputeId, verdict: "opened", money: stated }
        : { _tag: "Dispute", charge, disputeId, verdict: "won" }
    }
    default:
      return undefined
  }
}

/** Of a charge that the row names itself, and without an id of ours: it was made at the provider. */
const refundByHand = ({ gross, names }: ReportRow, attempt: Attempt | undefined): StatementAbout | undefined => {
  const { attemptId, providerRef, providerRefundId, refundId } = names
  const isOfAttempt = attempt !== undefined && (attemptId === attempt.id || providerRef === attempt.providerRef)
  if (!isOfAttempt || providerRefundId === null || refundId !== null) return undefined
  const stated = money(Math.abs(gross.minorUnits), gross.currency)
  const state = () => ({ _tag: "Succeeded" as const, providerRefundId, stated })
  return { _tag: "UnnamedRefund", charge: { attemptId: attempt.id }, providerRefundId, state }
}
