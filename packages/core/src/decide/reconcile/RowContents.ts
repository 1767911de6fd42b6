/** What tells two rows with one id apart. Pure. */
import type { ReportRow, SignedMoney } from "../../model/ReportRow.ts"

/**
 * A hash of 53 bits of everything that a row says, as 11 characters: whether a row came before with the same contents. It
 * compares two rows with one id, so that a collision is one in 10 ** 16, and nobody gains by one.
 */
export const contentsOf = (row: ReportRow): string => {
  const { attemptId, disputeId, operationId, providerRef, providerRefundId, reference, refundId } = row.names
  return hash(
    JSON.stringify([
      row.kind,
      [attemptId, operationId, refundId, providerRef, providerRefundId, disputeId, reference],
      [row.gross, row.converted, row.fee, row.net].map(amount),
      [row.payoutId, row.occurredAt, row.settledAt]
    ])
  )
}

const amount = (money: SignedMoney | null) => (money === null ? null : [money.minorUnits, money.currency])

/** Two multiplicative hashes of 32 bits, mixed at the end; multipliers of MurmurHash3 (public domain). */
const hash = (text: string): string => {
  let low = 0xdeadbeef
  let high = 0x41c6ce57
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    low = Math.imul(low ^ code, 0x85ebca6b)
    high = Math.imul(high ^ code, 0xc2b2ae35)
  }
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35)
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35)
  return (2 ** 32 * (high & 0x1fffff) + (low >>> 0)).toString(36).padStart(11, "0")
}
