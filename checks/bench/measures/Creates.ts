/**
 * What a create costs over PostgreSQL, 16 at once: the whole of the library, against its own two statements sent by
 * `@effect/sql-pg` with nothing around them.
 */
import { compare } from "../kit/Compare.ts"
import { recordCreate } from "../kit/CreateStatements.ts"
import { closed, type Sample } from "../kit/Load.ts"
import { type Measure, row, short } from "../kit/Result.ts"
import { startBare, startLibrary } from "../kit/Sides.ts"

const inFlight = 16

export const creates: Measure = async (options) => {
  const { postgres, seconds } = options
  // Each made by the library, so that schema and API key are the same everywhere.
  const made = async () => {
    const url = await postgres.newDatabase("creates")
    return { url, statements: await recordCreate(url) }
  }
  const bare = await startBare({ ...(await made()), connections: inFlight })
  const start = async (batchCommits: boolean) =>
    startLibrary({
      // One connection besides the pool's listens.
      storage: { _tag: "postgres", url: (await made()).url, maxConnections: inFlight + 1, batchCommits }
    })
  const [library, batches] = [await start(false), await start(true)]
  const load = closed(inFlight, seconds)
  const { median, times } = await compare(
    options,
    {
      bare: () => bare.ask(load),
      library: () => library.ask({ _tag: "create", load }),
      batches: () => batches.ask({ _tag: "create", load })
    },
    (name, { perSecond }) => `${name} ${short(perSecond)}/s`
  )
  const rate = ({ perSecond }: Sample) => perSecond
  const micros = ({ processorMicros }: Sample) => processorMicros
  const beside = (name: "library" | "batches") =>
    `${median(name, rate)}/s of ${median("bare", rate)}/s; its process ${median(name, micros)} µs for ${median("bare", micros)} µs`
  return {
    id: "creates",
    title: `Creates over PostgreSQL, ${inFlight} at once, a provider in the process that agrees at once`,
    rows: [
      row(
        "library-of-bare",
        "the library with `batchCommits: false`, of bare @effect/sql-pg with the same statements",
        times("library", "bare", rate),
        "times",
        beside("library")
      ),
      row(
        "batches-of-bare",
        "the library, of bare @effect/sql-pg with the same statements one by one",
        times("batches", "bare", rate),
        "times",
        beside("batches"),
        { atLeast: 0.88 }
      )
    ],
    note: ""
  }
}
