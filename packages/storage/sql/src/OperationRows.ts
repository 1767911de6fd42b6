/** How operations lie in their table. */
import type { Operation, Payment } from "@pointsman/core"
import { type Columns, type Owner, type Parts, type Row, readMoney } from "./Columns.ts"
import { bindReply, readReply } from "./ReplyColumn.ts"

export const makeOperationRows = <V>(parts: Parts<V>) => {
  const { bindText, bindTextOrNull, readText, readTextOrNull, tenantColumns } = parts

  const operationColumns: Columns<Operation, V, Owner> = {
    ...tenantColumns,
    payment_id: ({ paymentId }) => bindText(paymentId),
    id: ({ id }) => bindText(id),
    claimed_by: ({ claimedBy }) => bindTextOrNull(claimedBy),
    kind: ({ kind }) => kind,
    idempotency_key: ({ idempotencyKey }) => bindTextOrNull(idempotencyKey),
    requested_minor: ({ requestedMinor }) => requestedMinor,
    amount_minor: ({ money }) => money.minorUnits,
    currency: ({ money }) => money.currency,
    connection_id: ({ connectionId }) => bindText(connectionId),
    provider_ref: ({ providerRef }) => bindText(providerRef),
    timeout_millis: ({ timeoutMillis }) => timeoutMillis,
    sent_at: ({ sentAt }) => sentAt,
    answered_at: ({ answeredAt }) => answeredAt,
    outcome: ({ outcome }) => outcome,
    code: ({ code }) => bindTextOrNull(code),
    reason: ({ reason }) => bindTextOrNull(reason),
    reply: ({ answeredAt, reply }, owner) => bindReply(reply, answeredAt, owner)
  }

  const readOperation = (row: Row, payment: Payment): Operation => ({
    id: readText(row["id"]),
    claimedBy: readTextOrNull(row["claimed_by"]),
    paymentId: readText(row["payment_id"]),
    kind: row["kind"] as Operation["kind"],
    idempotencyKey: readTextOrNull(row["idempotency_key"]),
    requestedMinor: row["requested_minor"] as number | null,
    money: readMoney(row),
    connectionId: readText(row["connection_id"]),
    providerRef: readText(row["provider_ref"]),
    timeoutMillis: row["timeout_millis"] as number,
    sentAt: row["sent_at"] as number,
    answeredAt: row["answered_at"] as number | null,
    outcome: row["outcome"] as Operation["outcome"],
    code: readTextOrNull(row["code"]),
    reason: readTextOrNull(row["reason"]),
    reply: readReply<Operation["reply"]>(row, payment)
  })

  return { operationColumns, readOperation }
}
