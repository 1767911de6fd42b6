/** What the doctor says of records that the storage lost. */
import { type RecordLoss, RecordLosses } from "@pointsman/core/ports"
import { Effect } from "effect"
import { type CheckLine, ok, wrong } from "./Checkup.ts"

export const lossLine = (loss: RecordLoss | null): CheckLine => {
  if (loss === null || loss.ended !== null) return ok("records", "no loss of records is known")
  const recovered = loss.recovered.length === 0 ? "none" : loss.recovered.join(", ")
  return wrong(
    "records",
    `records since ${new Date(loss.since).toISOString()} may be missing (${loss.reason}). Recovered connections: ` +
      `${recovered}; nothing is sent for workspaces with others. Run \`pointsman recover\``
  )
}

export const recordLossLine = Effect.gen(function* () {
  return lossLine(yield* (yield* RecordLosses).newest)
})
