/**
 * What the decision where a payment goes costs, in a configuration as wide as anybody's: 20 connections with every
 * limit set, and 50 rules of which only the last matches; against the whole of a create, which has one small decision.
 */
import { join } from "node:path"
import { decisions, uses } from "../../../packages/core/test/support/WideConfiguration.ts"
import { compare } from "../kit/Compare.ts"
import { closed, waitsOf } from "../kit/Load.ts"
import { type Measure, type Row, row, short } from "../kit/Result.ts"
import { startLibrary } from "../kit/Sides.ts"

export const routing: Measure = async (options) => {
  const { folder, seconds } = options
  const library = await startLibrary({
    storage: { _tag: "sqlite", filename: join(folder, "routing.db") }
  })
  const rows: Array<Row> = []
  for (const [name, use] of Object.entries(uses)) {
    const decide = decisions(use)
    const { median, spread, times } = await compare(
      options,
      {
        decision: async () => {
          const millis: Array<number> = []
          const until = performance.now() + (seconds * 1000) / 4
          do {
            const began = performance.now()
            decide()
            millis.push(performance.now() - began)
          } while (performance.now() < until)
          const { p50, p99 } = waitsOf(millis)
          return { micros: p50 * 1000, p99: p99 * 1000 }
        },
        create: async () => {
          const { processorMicros } = await library.ask({ _tag: "create", load: closed(16, seconds / 4) })
          return { micros: processorMicros, p99: Number.NaN }
        }
      },
      (side, { micros }) => `${name}: ${side} ${short(micros)} µs`
    )
    const decided = spread(({ decision }) => decision.micros)
    const ofCreate = times("decision", "create", ({ micros }) => micros)
    const p99 = `p99 ${median("decision", ({ p99 }) => p99)} µs`
    const create = `a create ${median("create", ({ micros }) => micros)} µs`
    const what = `a decision, \`${name}\``
    rows.push(
      row(`decision-${name}`, `${what}: the median`, decided, "µs", p99, { atMost: 50 }),
      row(
        `decision-of-create-${name}`,
        `${what}, of the processor time of a create on SQLite`,
        ofCreate,
        "times",
        create
      )
    )
  }
  return {
    id: "routing",
    title: "A decision over 20 connections with every limit set, and 50 rules of which the last one matches",
    rows,
    note: "Success rates and the configuration lie in memory: no storage is asked."
  }
}
