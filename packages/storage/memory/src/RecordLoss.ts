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
    markRecovered: (loss, connectionId, refundsWait) =>
      change(loss, (open) => {
        const isFirst = !open.recovered.includes(connectionId)
        const others = open.refundsWait.filter((id) => id !== connectionId)
        const waits = refundsWait && (isFirst || others.length < open.refundsWait.length)
        return {
          ...open,
          recovered: isFirst ? [...open.recovered, connectionId].toSorted() : open.recovered,
          refundsWait: waits ? [...others, connectionId].toSorted() : others
        }
      }),
    releaseRefunds: (number, connectionId) =>
      Effect.sync(() => {
        if (stored?.number !== number) return false
        const left = connectionId === null ? [] : stored.refundsWait.filter((id) => id !== connectionId)
        const isAny = left.length < stored.refundsWait.length
        stored = { ...stored, refundsWait: left }
        return isAny
      }),
    end: (loss, ended) => change(loss, (open) => ({ ...open, ended }))
  }
}
