/** Losses of records in memory: there are none but those that a test declares. */
import { declaredLoss, type RecordLoss, type RecordLosses } from "@pointsman/core/ports"
import { Effect } from "effect"

export const make = (): RecordLosses => {
  let stored: RecordLoss | null = null
  const isOpen = ({ declaredAt, number }: Pick<RecordLoss, "number" | "declaredAt">) =>
    stored !== null && stored.ended === null && stored.number === number && stored.declaredAt === declaredAt
  const newest = Effect.sync(() => stored)
  const change = (loss: Pick<RecordLoss, "number" | "declaredAt">, to: (open: RecordLoss) => RecordLoss) =>
    Effect.sync(() => {
      if (stored === null || !isOpen(loss)) return false
      stored = to(stored)
      return true
    })
  return {
    known: newest,
    newest,
    declare: (loss) =>
      Effect.sync(() => {
        stored = declaredLoss(stored, loss)
        return stored
      }),
    markRecovered: (loss, connectionId) =>
      change(loss, (open) => ({ ...open, recovered: [...new Set([...open.recovered, connectionId])].toSorted() })),
    end: (loss, ended) => change(loss, (open) => ({ ...open, ended }))
  }
}
