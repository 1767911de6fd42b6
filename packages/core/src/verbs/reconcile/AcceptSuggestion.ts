/** An operator accepts a suggested payment: its row counts as if it carried our id, and its entry is replaced. */
import { Effect, Schema } from "effect"
import { Directory } from "../../ports/Directory.ts"
import { Settlements } from "../../ports/Settlements.ts"
import { applyCompared, underLease } from "./CompareDifferences.ts"
import { compareEntries } from "./CompareEntries.ts"
import { ReportBeingRead } from "./RunReport.ts"

/**
 * The connection has no open difference with this row id and this suggestion, or its row cannot be of that payment any more:
 * the payment has a row of its own by now, or another charge.
 */
export class SuggestionNotFound extends Schema.TaggedError<SuggestionNotFound>()("pointsman/SuggestionNotFound", {}) {}

export interface AcceptanceOrder {
  readonly connectionId: string
  readonly rowId: string
  /** The payment that is suggested for it. */
  readonly paymentId: string
}

export const acceptSuggestion = Effect.fnUntraced(function* ({ connectionId, paymentId, rowId }: AcceptanceOrder) {
  const directory = yield* Directory
  const settlements = yield* Settlements
  const connection = yield* Effect.fromOption(yield* directory.connection(connectionId), () => new SuggestionNotFound())
  const { environment, workspaceId } = connection
  yield* underLease(
    connection,
    Effect.fnUntraced(function* (write) {
      const [entry] = yield* settlements.known({ workspaceId, environment }, connectionId, [rowId])
      if (entry?.closed !== null || entry.suggestedPaymentId !== paymentId) return yield* new SuggestionNotFound()
      const first = yield* compareEntries(connection, [entry], paymentId)
      if (first.entries.length === 0) return yield* new SuggestionNotFound()
      yield* write(yield* applyCompared(connection, [entry], first, paymentId))
    }),
    ({ fileName, runId, since, until }) => Effect.fail(new ReportBeingRead({ runId, fileName, since, until }))
  )
})
