/** How attempts are stored in their table. */
import type { Attempt } from "@pointsman/core"
import { bindJson, type Columns, type Owner, type Parts, type Row, readJson, readMoney } from "./Columns.ts"

export const makeAttemptRows = <V>(parts: Parts<V>) => {
  const { bindText, bindTextOrNull, readText, readTextOrNull, tenantColumns } = parts

  const attemptColumns: Columns<Attempt, V, Owner> = {
    ...tenantColumns,
    payment_id: ({ paymentId }) => bindText(paymentId),
    id: ({ id }) => bindText(id),
    claimed_by: ({ claimedBy }) => bindTextOrNull(claimedBy),
    number: ({ number }) => number,
    connection_id: ({ connectionId }) => bindText(connectionId),
    account: ({ account }) => bindJson(account),
    amount_minor: ({ money }) => money.minorUnits,
    currency: ({ money }) => money.currency,
    timeout_millis: ({ timeoutMillis }) => timeoutMillis,
    sent_at: ({ sentAt }) => sentAt,
    answered_at: ({ answeredAt }) => answeredAt,
    outcome: ({ outcome }) => outcome,
    provider_ref: ({ providerRef }) => bindTextOrNull(providerRef),
    decline_category: ({ declineCategory }) => declineCategory,
    code: ({ code }) => bindTextOrNull(code),
    reason: ({ reason }) => bindTextOrNull(reason),
    checkout: ({ checkout }) => bindJson(checkout)
  }

  const readAttempt = (row: Row): Attempt => ({
    id: readText(row["id"]),
    claimedBy: readTextOrNull(row["claimed_by"]),
    paymentId: readText(row["payment_id"]),
    number: row["number"] as number,
    connectionId: readText(row["connection_id"]),
    account: readJson(row["account"]),
    money: readMoney(row),
    timeoutMillis: row["timeout_millis"] as number,
    sentAt: row["sent_at"] as number,
    answeredAt: row["answered_at"] as number | null,
    outcome: row["outcome"] as Attempt["outcome"],
    providerRef: readTextOrNull(row["provider_ref"]),
    declineCategory: row["decline_category"] as Attempt["declineCategory"],
    code: readTextOrNull(row["code"]),
    reason: readTextOrNull(row["reason"]),
    checkout: readJson(row["checkout"])
  })

  return { attemptColumns, readAttempt }
}
