/** How claims of idempotency keys are stored in their table. */
import type { Claim, Payment } from "@pointsman/core"
import { bindJson, type Columns, type Owner, type Parts, type Row, readJson } from "./Columns.ts"
import { answerOf, type StoredAnswer, shortAnswer } from "./ShortAnswer.ts"
import { fingerprintOf, shortFingerprint } from "./ShortText.ts"

export const makeClaimRows = <V>(parts: Parts<V>) => {
  const { bindText, readText, tenantColumns } = parts

  const claimColumns: Columns<Claim, V, Owner> = {
    ...tenantColumns,
    key: ({ key }) => bindText(key),
    version: ({ version }) => version,
    state: ({ state }) => state,
    fingerprint: ({ fingerprint }) => shortFingerprint(fingerprint),
    payment_id: ({ paymentId }) => bindText(paymentId),
    claimed_at: ({ claimedAt }) => claimedAt,
    answered_at: ({ answeredAt }) => answeredAt,
    answer: ({ answer, answeredAt, key }, { isDerived, payment }) =>
      bindJson(answer === null ? answer : shortAnswer(answer, { at: answeredAt, key }, payment.after, isDerived))
  }

  /** `payment`: the claim's, which completes the answer. `replacedRef`: the column of its row. */
  const readClaim = (row: Row, payment: Payment | undefined, replacedRef: string | null = null): Claim => {
    const key = readText(row["key"])
    const answeredAt = row["answered_at"] as number | null
    const stored = readJson<StoredAnswer | null>(row["answer"])
    return {
      key,
      version: row["version"] as number,
      state: row["state"] as Claim["state"],
      fingerprint: fingerprintOf(row["fingerprint"] as string),
      paymentId: readText(row["payment_id"]),
      claimedAt: row["claimed_at"] as number,
      answeredAt,
      answer: stored === null ? null : withNotKept(answerOf(stored, { at: answeredAt, key }, payment, replacedRef))
    }
  }

  return { claimColumns, readClaim }
}

/** What payments did not keep when an earlier version stored an answer. */
const notKept = { reported: null, metadata: null, purchase: null }

const withNotKept = (answer: Payment): Payment => (answer.metadata === undefined ? { ...notKept, ...answer } : answer)
