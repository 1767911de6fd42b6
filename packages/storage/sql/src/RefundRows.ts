/** How refunds lie in their table. */
import type { Payment, Refund } from "@pointsman/core"
import { columnOf } from "@pointsman/core/internal"
import { type Columns, type Owner, type Parts, type Row, readMoney } from "./Columns.ts"
import { bindReply, readReply } from "./ReplyColumn.ts"

export const makeRefundRows = <V>(parts: Parts<V>) => {
  const { bindText, bindTextOrNull, readText, readTextOrNull, tenantColumns } = parts

  const refundColumns: Columns<Refund, V, Owner> = {
    ...tenantColumns,
    payment_id: ({ paymentId }) => bindText(paymentId),
    id: ({ id }) => bindText(id),
    claimed_by: ({ claimedBy }) => bindTextOrNull(claimedBy),
    origin: ({ origin }) => origin,
    stage: ({ stage }) => stage,
    balance: ({ stage }) => columnOf[stage],
    amount_minor: ({ money }) => money.minorUnits,
    currency: ({ money }) => money.currency,
    requested_minor: ({ requestedMinor }) => requestedMinor,
    reason: ({ reason }) => bindTextOrNull(reason),
    idempotency_key: ({ idempotencyKey }) => bindTextOrNull(idempotencyKey),
    connection_id: ({ connectionId }) => bindText(connectionId),
    provider_ref: ({ providerRef }) => bindText(providerRef),
    provider_refund_id: ({ providerRefundId }) => bindTextOrNull(providerRefundId),
    timeout_millis: ({ timeoutMillis }) => timeoutMillis,
    sent_at: ({ sentAt }) => sentAt,
    answered_at: ({ answeredAt }) => answeredAt,
    settled_at: ({ settledAt }) => settledAt,
    code: ({ code }) => bindTextOrNull(code),
    failure_reason: ({ failureReason }) => bindTextOrNull(failureReason),
    reply: ({ answeredAt, reply }, owner) => bindReply(reply, answeredAt, owner)
  }

  const readRefund = (row: Row, payment: Payment): Refund => ({
    id: readText(row["id"]),
    claimedBy: readTextOrNull(row["claimed_by"]),
    paymentId: readText(row["payment_id"]),
    origin: row["origin"] as Refund["origin"],
    stage: row["stage"] as Refund["stage"],
    money: readMoney(row),
    requestedMinor: row["requested_minor"] as number | null,
    reason: readTextOrNull(row["reason"]),
    idempotencyKey: readTextOrNull(row["idempotency_key"]),
    connectionId: readText(row["connection_id"]),
    providerRef: readText(row["provider_ref"]),
    providerRefundId: readTextOrNull(row["provider_refund_id"]),
    timeoutMillis: row["timeout_millis"] as number,
    sentAt: row["sent_at"] as number,
    answeredAt: row["answered_at"] as number | null,
    settledAt: row["settled_at"] as number | null,
    code: readTextOrNull(row["code"]),
    failureReason: readTextOrNull(row["failure_reason"]),
    reply: readReply<Refund["reply"]>(row, payment)
  })

  return { refundColumns, readRefund }
}
