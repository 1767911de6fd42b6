/** Whether a provider may have executed what the store does not know of any more (decision 31). */
import { Effect } from "effect"
import type { Connection } from "../model/Connection.ts"
import { PaymentSettings } from "../ports/PaymentSettings.ts"
import { RecordLosses, RecordsMissing } from "../ports/RecordLoss.ts"

const retryAfterMillis = 60_000

/** Why nothing may be sent for a request that could go to one of the connections; `undefined` where it may. */
export const missingRecords = Effect.fnUntraced(function* (connections: ReadonlyArray<Connection>) {
  const { afterRestore } = yield* PaymentSettings
  if (afterRestore === "serve") return undefined
  const loss = yield* (yield* RecordLosses).known
  if (loss === null || loss.ended !== null) return undefined
  const missing = connections.find(({ id }) => !loss.recovered.includes(id))
  return missing === undefined
    ? undefined
    : new RecordsMissing({ connectionId: missing.id, since: loss.since, retryAfterMillis, why: "unrecovered" })
})
