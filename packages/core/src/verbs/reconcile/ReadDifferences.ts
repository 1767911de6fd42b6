/** Differences for operators: how they are read, and how one is closed. */
import { Clock, Effect, Schema } from "effect"
import { Directory } from "../../ports/Directory.ts"
import { Settlements } from "../../ports/Settlements.ts"

/** The connection has no open difference with this row id. */
export class DifferenceNotFound extends Schema.TaggedError<DifferenceNotFound>()("pointsman/DifferenceNotFound", {}) {}

export interface ClosingOrder {
  readonly connectionId: string
  readonly rowId: string
  /** What explains the difference, by the person who closes it. */
  readonly note: string
}

/** Closes a difference that somebody explained. It moves no money. */
export const closeDifference = Effect.fnUntraced(function* ({ connectionId, note, rowId }: ClosingOrder) {
  const directory = yield* Directory
  const settlements = yield* Settlements
  const connection = yield* Effect.fromOption(yield* directory.connection(connectionId), () => new DifferenceNotFound())
  const { environment, workspaceId } = connection
  const closed = { by: "person" as const, note, at: yield* Clock.currentTimeMillis }
  const isClosed = yield* settlements.close({ workspaceId, environment }, connectionId, { rowId, closed })
  if (!isClosed) return yield* new DifferenceNotFound()
})
