/**
 * Ids of rows that the provider gives no id: made from what a row says, and from how often the same row came before it.
 */
import { createHash } from "node:crypto"

/**
 * How many ids are remembered. Rows that say the same say the same time too, and providers write their reports in the order of
 * time, so that they are close together; memory does not grow with the report.
 */
const rememberedAtMost = 10_000

/** Adds `.2` to an id that comes the second time, and so on. */
export const repeatedIds = (): ((id: string) => string) => {
  const times = new Map<string, number>()
  return (id) => {
    const time = (times.get(id) ?? 0) + 1
    times.delete(id)
    times.set(id, time)
    if (times.size > rememberedAtMost) times.delete(times.keys().next().value ?? "")
    return time === 1 ? id : `${id}.${time}`
  }
}

/** 32 hexadecimal digits of what a row says. */
export const fingerprintOf = (texts: ReadonlyArray<string>): string =>
  createHash("sha256").update(JSON.stringify(texts)).digest("hex").slice(0, 32)
