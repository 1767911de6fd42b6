/** Commits that share a statement, against one statement each, beside a provider that takes its time. */
import { compare } from "../kit/Compare.ts"
import { closed } from "../kit/Load.ts"
import { type Measure, type Row, row, short } from "../kit/Result.ts"
import { startLibrary } from "../kit/Sides.ts"

const slowestMillis = 40

/** How many payments are in flight, and the least that is asked of the batches' rate. */
const goals = [
  { inFlight: 16, atLeast: 1 },
  { inFlight: 128, atLeast: 2.6 },
  { inFlight: 256, atLeast: 3 }
] as const

export const batching: Measure = async (options) => {
  const { postgres, seconds, smoke } = options
  const start = async (batchCommits: boolean) =>
    startLibrary({
      storage: { _tag: "postgres", url: await postgres.newDatabase("batching"), batchCommits },
      provider: { slowestMillis }
    })
  const [batched, single] = [await start(true), await start(false)]
  const rows: Array<Row> = []
  for (const { atLeast, inFlight } of smoke ? goals.slice(1, 2) : goals) {
    const load = closed(inFlight, seconds)
    const { median, times } = await compare(
      options,
      {
        single: () => single.ask({ _tag: "create", load }),
        batched: () => batched.ask({ _tag: "create", load })
      },
      (name, { perSecond }) => `${name}, ${inFlight} at once: ${short(perSecond)}/s`
    )
    const rate = (name: "single" | "batched") => median(name, ({ perSecond }) => perSecond)
    const p99 = (name: "single" | "batched") => median(name, ({ waits }) => waits.p99)
    rows.push(
      row(
        `batched-${inFlight}`,
        `creates in batches, of one by one, ${inFlight} at once`,
        times("batched", "single", ({ perSecond }) => perSecond),
        "times",
        `${rate("batched")}/s of ${rate("single")}/s; p99 ${p99("batched")} ms for ${p99("single")} ms`,
        { atLeast }
      )
    )
  }
  return {
    id: "batching",
    title: `Batches of commits over PostgreSQL, a provider in the process that takes 0 to ${slowestMillis} ms`,
    rows,
    note: ""
  }
}
