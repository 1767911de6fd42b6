/** Commits that share a statement, against one statement each, beside a provider that takes its time. */
import { closed } from "../kit/Load.ts"
import type { Measure } from "../kit/Options.ts"
import { type Row, short } from "../kit/Result.ts"
import { inRounds, spread } from "../kit/Rounds.ts"
import { startLibrary } from "../kit/Sides.ts"

const slowestMillis = 40

/** How many payments are in flight, and the least that is asked of the batches' rate. */
const goals = [
  { inFlight: 16, atLeast: 1 },
  { inFlight: 128, atLeast: 2.6 },
  { inFlight: 256, atLeast: 3 }
] as const

export const batching: Measure = async ({ postgres, rounds, seconds, smoke, tell }) => {
  const start = async (batchCommits: boolean) => {
    const url = await postgres.newDatabase(batchCommits ? "batched" : "single")
    const library = await startLibrary({
      storage: { _tag: "postgres", url, batchCommits },
      provider: { _tag: "agreeing", from: 0, to: slowestMillis }
    })
    return { url, library }
  }
  const [batched, single] = [await start(true), await start(false)]
  const rows: Array<Row> = []
  try {
    for (const { atLeast, inFlight } of smoke ? goals.slice(1, 2) : goals) {
      const sides = {
        single: () => single.library.ask({ _tag: "create", load: closed(inFlight, seconds) }),
        batched: () => batched.library.ask({ _tag: "create", load: closed(inFlight, seconds) })
      }
      await sides.single()
      await sides.batched()
      const measured = await inRounds(rounds, sides, (name, { perSecond }) =>
        tell(`${name}, ${inFlight} at once: ${short(perSecond)}/s`)
      )
      const median = (name: keyof typeof sides, of: "perSecond" | "p99") =>
        short(spread(measured, ({ [name]: one }) => (of === "p99" ? one.waits.p99 : one.perSecond)).median)
      rows.push({
        id: `batched-${inFlight}`,
        what: `creates in batches, of one by one, ${inFlight} at once`,
        value: spread(measured, (round) => round.batched.perSecond / round.single.perSecond),
        unit: "times",
        atLeast,
        beside:
          `${median("batched", "perSecond")}/s of ${median("single", "perSecond")}/s; ` +
          `p99 ${median("batched", "p99")} ms for ${median("single", "p99")} ms`
      })
    }
  } finally {
    for (const { library, url } of [batched, single]) {
      await library.stop()
      await postgres.dropDatabase(url)
    }
  }
  return {
    id: "batching",
    title: `Batches of commits over PostgreSQL, a provider in the process that takes 0 to ${slowestMillis} ms`,
    rows,
    note: ""
  }
}
