/** How claims of idempotency keys are stored in their table. */
import type { Claim, Payment } from "@pointsman/core"
import { bindJson, type Columns, type Owner, type Parts, type Row, readJson } from "./Columns.ts"

export const makeClaimRows = <V>(parts: Parts<V>) => {
  const { bindText, readText, tenantColumns } = parts

  const claimColumns: Columns<Claim, V, Owner> = {
    ...tenantColumns,
    key: ({ key }) => bindText(key),
    version: ({ version }) => version,
    state: ({ state }) => state,
    fingerprint: ({ fingerprint }) => fingerprint,
    payment_id: ({ paymentId }) => bindText(paymentId),
    claimed_at: ({ claimedAt }) => claimedAt,
    answered_at: ({ answeredAt }) => answeredAt,
    answer: ({ answer }) => bindJson(answer)
  }

  const readClaim = (row: Row): Claim => ({
    key: readText(row["key"]),
    version: row["version"] as number,
    state: row["state"] as Claim["state"],
    fingerprint: row["fingerprint"] as string,
    paymentId: readText(row["payment_id"]),
    claimedAt: row["claimed_at"] as number,
    answeredAt: row["answered_at"] as number | null,
    answer: answerOf(readJson(row["answer"]))
  })

  return { claimColumns, readClaim }
}

/** What payments did not keep when an earlier version stored an answer. */
const notKept = { reported: null, metadata: null, purchase: null }

const answerOf = (stored: Payment | null): Payment | null =>
  stored === null || stored.metadata !== undefined ? stored : { ...notKept, ...stored }
