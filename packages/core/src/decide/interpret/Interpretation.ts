/** What interpreting one statement of a provider comes to. */
import type { Applied } from "../Applied.ts"

export type Interpretation =
  /** Facts to apply, with their events. */
  | { readonly _tag: "Moves"; readonly applied: Applied }
  /** The record says the same. `applied`: where the statement itself is kept on the payment. */
  | { readonly _tag: "Confirms"; readonly applied?: Applied | undefined }
  /** The record is newer, and the statement says nothing else. */
  | { readonly _tag: "Older" }
  /** It counts once a charge, a capture or a void that is under way has ended. */
  | { readonly _tag: "Waits"; readonly applied?: Applied | undefined }
  /** The record cannot take it. `applied`: a review with the statement as evidence; absent where it has one already. */
  | { readonly _tag: "Contradicts"; readonly applied?: Applied | undefined }
  /** A connector made a statement that is incomplete. */
  | { readonly _tag: "Malformed"; readonly reason: string }

export const confirms: Interpretation = { _tag: "Confirms" }
export const older: Interpretation = { _tag: "Older" }
export const waits: Interpretation = { _tag: "Waits" }
export const moves = (applied: Applied): Interpretation => ({ _tag: "Moves", applied })

export const moved = (applied: Applied | undefined): Interpretation =>
  applied === undefined ? { _tag: "Contradicts" } : moves(applied)
