/**
 * What a create costs over PostgreSQL, 16 at once: the whole of the library, against its own two statements sent by
 * `@effect/sql-pg` with nothing around them, and by PostgreSQL's load generator.
 */
import { recordCreate } from "../kit/CreateStatements.ts"
import { closed } from "../kit/Load.ts"
import type { Measure } from "../kit/Options.ts"
import { findPgbench, openPgbench } from "../kit/Pgbench.ts"
import { type Row, short } from "../kit/Result.ts"
import { inRounds, spread } from "../kit/Rounds.ts"
import { startBare, startLibrary } from "../kit/Sides.ts"

const inFlight = 16

export const creates: Measure = async ({ folder, postgres, rounds, seconds, tell }) => {
  // Each made by the library, so that schema and API key are the same everywhere.
  const made = async (name: string) => {
    const url = await postgres.newDatabase(name)
    return { url, statements: await recordCreate(url) }
  }
  const [forPgbench, forBare] = [await made("pgbench"), await made("bare")]
  const [forLibrary, forBatches] = [await made("library"), await made("batches")]
  const binary = findPgbench()
  const pgbench = binary && openPgbench(binary, { ...forPgbench, clients: inFlight, folder })
  const bare = await startBare({ ...forBare, connections: inFlight })
  const startOver = (url: string, batchCommits: boolean) =>
    startLibrary({
      // One connection besides the pool's listens.
      storage: { _tag: "postgres", url, maxConnections: inFlight + 1, batchCommits },
      provider: { _tag: "agreeing", from: 0, to: 0 }
    })
  const library = await startOver(forLibrary.url, false)
  const batches = await startOver(forBatches.url, true)
  try {
    const load = closed(inFlight, seconds)
    const sides = {
      pgbench: async () => ({
        perSecond: pgbench ? await pgbench.run(seconds) : Number.NaN,
        processorMicros: Number.NaN
      }),
      bare: () => bare.ask(load),
      library: () => library.ask({ _tag: "create", load }),
      batches: () => batches.ask({ _tag: "create", load })
    }
    await sides.bare()
    await sides.library()
    await sides.batches()
    const measured = await inRounds(rounds, sides, (name, { perSecond }) => tell(`${name} ${short(perSecond)}/s`))
    const rate = (name: keyof typeof sides) => `${short(spread(measured, (round) => round[name].perSecond).median)}/s`
    const micros = (name: keyof typeof sides) => short(spread(measured, (round) => round[name].processorMicros).median)
    const ofPgbench: ReadonlyArray<Row> = [
      {
        id: "bare-of-pgbench",
        what: "bare @effect/sql-pg, of pgbench with the same statements",
        value: spread(measured, (round) => round.bare.perSecond / round.pgbench.perSecond),
        unit: "times",
        beside: `${rate("bare")} of ${rate("pgbench")}`
      },
      {
        id: "library-of-pgbench",
        what: "the library with `batchCommits: false`, of pgbench with the same statements",
        value: spread(measured, (round) => round.library.perSecond / round.pgbench.perSecond),
        unit: "times",
        beside: `${rate("library")} of ${rate("pgbench")}`
      }
    ]
    return {
      id: "creates",
      title: `Creates over PostgreSQL, ${inFlight} at once, a provider in the process that agrees at once`,
      rows: [
        {
          id: "library-of-bare",
          what: "the library with `batchCommits: false`, of bare @effect/sql-pg with the same statements",
          value: spread(measured, (round) => round.library.perSecond / round.bare.perSecond),
          unit: "times",
          beside: `${rate("library")} of ${rate("bare")}; its process ${micros("library")} µs for ${micros("bare")} µs`
        },
        {
          id: "batches-of-bare",
          what: "the library, of bare @effect/sql-pg with the same statements one by one",
          value: spread(measured, (round) => round.batches.perSecond / round.bare.perSecond),
          unit: "times",
          atLeast: 0.88,
          beside: `${rate("batches")} of ${rate("bare")}; its process ${micros("batches")} µs for ${micros("bare")} µs`
        },
        ...(pgbench ? ofPgbench : [])
      ],
      note: pgbench ? "" : "No pgbench: it is neither on PATH nor in /usr/lib/postgresql."
    }
  } finally {
    await bare.stop()
    await library.stop()
    await batches.stop()
    for (const { url } of [forPgbench, forBare, forLibrary, forBatches]) await postgres.dropDatabase(url)
  }
}
