/** A stored row of a report, as the journal takes it. Pure. */
import type { PostedMovement } from "../../model/Journal.ts"

/** What of a stored row says how it is posted. */
export interface StoredRow extends Omit<PostedMovement, "recordedAt"> {
  /** The row's place in its report, counted from 1; 0 for an entry that no row made. */
  readonly number: number
  readonly result: string
  /** `same_row`: the row's own id came before, with other contents; its `rowId` is that id, `#`, and what tells it apart. */
  readonly reason: string
  /** When the difference was found, in epoch milliseconds; `null` for a row that matched. */
  readonly openedAt: number | null
  /** When the difference was closed; `null` while it is open, and for a row that matched. */
  readonly closed: { readonly at: number } | null
}

/**
 * The versions of one row that are posted. `storedAt`: when it was stored, in epoch milliseconds. An entry without a row
 * moves no money. A row that was matched with its payment only later is posted as unexplained first, as it was then.
 */
export const movementsOfEntry = (row: StoredRow, storedAt: number): ReadonlyArray<PostedMovement> => {
  if (row.number === 0) return []
  const {
    closed,
    connectionId,
    converted,
    fee,
    gross,
    kind,
    net,
    occurredAt,
    openedAt,
    paymentId,
    payoutId,
    refundId
  } = row
  const rowId = row.reason === "same_row" ? row.rowId.slice(0, Math.max(0, row.rowId.lastIndexOf("#"))) : row.rowId
  const posted: PostedMovement = {
    ...{ connectionId, rowId, kind, paymentId, refundId, gross, converted, fee, net, payoutId, occurredAt },
    recordedAt: openedAt ?? storedAt
  }
  return row.result === "missing_here" && paymentId !== null && closed !== null
    ? [
        { ...posted, paymentId: null, refundId: null },
        { ...posted, recordedAt: closed.at }
      ]
    : [posted]
}
