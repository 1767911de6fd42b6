/** The rows of all tables, in the form in which one database keeps them. */
import { brokenBalance } from "@pointsman/core/internal"
import type { PaymentBook } from "@pointsman/core/ports"
import { makeAttemptRows } from "./AttemptRows.ts"
import { makeAuditRows } from "./AuditRows.ts"
import { makeClaimRows } from "./ClaimRows.ts"
import { type Form, makeParts, type Row } from "./Columns.ts"
import { makeDeliveryRows } from "./DeliveryRows.ts"
import { makeDirectoryRows } from "./DirectoryRows.ts"
import { makeDisputeRows } from "./DisputeRows.ts"
import { makeEventRows } from "./EventRows.ts"
import { makeMerchantRows } from "./MerchantRows.ts"
import { makeMessageRows } from "./Messages.ts"
import { makeOperationRows } from "./OperationRows.ts"
import { makeOperatorRows } from "./OperatorRows.ts"
import { makePasskeyRows } from "./PasskeyRows.ts"
import { makePaymentRows } from "./PaymentRows.ts"
import { makeRefundRows } from "./RefundRows.ts"
import { makeRunRows, makeSettlementRows } from "./SettlementRows.ts"
import { makeSuccessRateRows } from "./SuccessRates.ts"

/** A payment with all that belongs to it. */
export interface BookRows {
  readonly payment: Row
  readonly attempts: ReadonlyArray<Row>
  readonly operations: ReadonlyArray<Row>
  readonly refunds: ReadonlyArray<Row>
}

export type Rows<V> = ReturnType<typeof makeRows<V>>

export const makeRows = <V>(form: Form<V>) => {
  const parts = makeParts(form)
  const payments = makePaymentRows(parts)
  const attempts = makeAttemptRows(parts)
  const operations = makeOperationRows(parts)
  const refunds = makeRefundRows(parts)

  /** Asserts at read what was asserted at write. */
  const readBook = (rows: BookRows): PaymentBook => {
    const payment = payments.readPayment(rows.payment)
    const given = rows.refunds.map((row) => refunds.readRefund(row, payment))
    const broken = brokenBalance(payment, given)
    if (broken !== undefined) throw new Error(`Ledger: payment ${payment.id}: ${broken}`)
    return {
      payment,
      attempts: rows.attempts.map(attempts.readAttempt),
      operations: rows.operations.map((row) => operations.readOperation(row, payment)),
      refunds: given
    }
  }

  return {
    ...parts,
    ...payments,
    ...attempts,
    ...operations,
    ...refunds,
    ...makeDisputeRows(parts),
    ...makeEventRows(parts),
    ...makeClaimRows(parts),
    ...makeMessageRows(parts),
    ...makeDirectoryRows(parts),
    ...makeDeliveryRows(parts),
    ...makeMerchantRows(parts),
    ...makeSettlementRows(parts),
    ...makeRunRows(parts),
    ...makeSuccessRateRows(parts),
    ...makeAuditRows(parts),
    ...makeOperatorRows(parts),
    ...makePasskeyRows(parts),
    readBook
  }
}
