/**
 * What the decision where a payment goes costs, in a configuration as wide as anybody's: 20 connections with every
 * limit set, and 50 rules of which only the last matches; against the whole of a create, which has one small decision.
 */
import { join } from "node:path"
import { decisions, uses } from "../../../packages/core/test/support/WideConfiguration.ts"
import { closed, waitsOf } from "../kit/Load.ts"
import type { Measure } from "../kit/Options.ts"
import { type Row, short } from "../kit/Result.ts"
import { inRounds, spread } from "../kit/Rounds.ts"
import { startLibrary } from "../kit/Sides.ts"

const atMostMicros = 50

export const routing: Measure = async ({ folder, rounds, seconds, tell }) => {
  const library = await startLibrary({
    storage: { _tag: "sqlite", filename: join(folder, "routing.db") },
    provider: { _tag: "agreeing", from: 0, to: 0 }
  })
  const rows: Array<Row> = []
  try {
    for (const [name, use] of Object.entries(uses)) {
      const decide = decisions(use)
      const decided = async () => {
        const millis: Array<number> = []
        const until = performance.now() + (seconds * 1000) / 4
        do {
          const began = performance.now()
          decide()
          millis.push(performance.now() - began)
        } while (performance.now() < until)
        const { p50, p99 } = waitsOf(millis)
        return { micros: p50 * 1000, p99: p99 * 1000 }
      }
      const sides = {
        decision: decided,
        create: async () => {
          const { processorMicros } = await library.ask({ _tag: "create", load: closed(16, seconds / 4) })
          return { micros: processorMicros, p99: Number.NaN }
        }
      }
      await sides.decision()
      await sides.create()
      const measured = await inRounds(rounds, sides, (side, { micros }) => tell(`${name}: ${side} ${short(micros)} µs`))
      const p99 = short(spread(measured, ({ decision }) => decision.p99).median)
      const create = short(spread(measured, (round) => round.create.micros).median)
      rows.push(
        {
          id: `decision-${name}`,
          what: `a decision, \`${name}\`: the median`,
          value: spread(measured, ({ decision }) => decision.micros),
          unit: "µs",
          atMost: atMostMicros,
          beside: `p99 ${p99} µs`
        },
        {
          id: `decision-of-create-${name}`,
          what: `a decision, \`${name}\`, of the processor time of a create on SQLite`,
          value: spread(measured, (round) => round.decision.micros / round.create.micros),
          unit: "times",
          beside: `a create ${create} µs`
        }
      )
    }
  } finally {
    await library.stop()
  }
  return {
    id: "routing",
    title: "A decision over 20 connections with every limit set, and 50 rules of which the last one matches",
    rows,
    note: "Success rates and the configuration lie in memory: no storage is asked."
  }
}
