/**
 * What a replay and a read cost when there are many payments, of one workspace, against what they cost when there are
 * few. Those asked for are drawn from all of them.
 */
import { join } from "node:path"
import { fillPostgres, fillSqlite } from "../kit/FillStores.ts"
import { closed } from "../kit/Load.ts"
import type { Measure, Options } from "../kit/Options.ts"
import { type Row, short } from "../kit/Result.ts"
import { inRounds, spread } from "../kit/Rounds.ts"
import { startLibrary } from "../kit/Sides.ts"
import type { Read, StorageSettings } from "../sides/Library.ts"

/** As many as a page's worth of callers, and few enough that a wait is the database's. */
const inFlight = 4

const reads: Readonly<Record<Read, string>> = {
  replay: "a create again under its key",
  payments: "a page of payments",
  paymentsByState: "a page of payments in one state",
  byReference: "a search for a reference",
  byProviderReference: "a search for a provider's reference",
  byMetadata: "a search for metadata that one payment has",
  byCommonMetadata: "a page of payments with metadata that all have",
  byAmount: "a page of payments of an amount",
  byAmountInAnyCurrency: "a page of payments of an amount in any currency",
  byCreation: "a page of the payments of a day",
  events: "a page of events",
  timeline: "a timeline"
}

export const scale: Measure = async (options) => {
  const [few, many] = options.smoke ? [1_000, 5_000] : [10_000, 1_000_000]
  return {
    id: "scale",
    title: `Replays and reads at ${many.toLocaleString("en-US")} payments, of what they cost at ${few.toLocaleString("en-US")}`,
    rows: [...(await measure(options, "PostgreSQL", few, many)), ...(await measure(options, "SQLite", few, many))],
    note: ""
  }
}

const measure = async (
  { folder, postgres, rounds, seconds, tell }: Options,
  on: "PostgreSQL" | "SQLite",
  few: number,
  many: number
): Promise<ReadonlyArray<Row>> => {
  const filled = async (count: number): Promise<StorageSettings> => {
    const began = performance.now()
    const settings: StorageSettings =
      on === "PostgreSQL"
        ? { _tag: "postgres", url: await fillPostgres(await postgres.newDatabase(`of_${count}`), count) }
        : { _tag: "sqlite", filename: await fillSqlite(join(folder, `of-${count}.db`), count) }
    tell(`${on} has ${count} payments, after ${short((performance.now() - began) / 1_000)} s`)
    return settings
  }
  const start = async (storage: StorageSettings) =>
    startLibrary({ storage, provider: { _tag: "agreeing", from: 0, to: 0 } })
  const [fewStorage, manyStorage] = [await filled(few), await filled(many)]
  const [fewLibrary, manyLibrary] = [await start(fewStorage), await start(manyStorage)]
  try {
    const rows: Array<Row> = []
    for (const read of Object.keys(reads) as Array<Read>) {
      const load = closed(inFlight, seconds / 2)
      const sides = {
        few: () => fewLibrary.ask({ _tag: "read", read, filled: few, load }),
        many: () => manyLibrary.ask({ _tag: "read", read, filled: many, load })
      }
      await sides.few()
      await sides.many()
      const measured = await inRounds(rounds, sides, (name, { perSecond }) =>
        tell(`${on}, ${read}, ${name}: ${short(perSecond)}/s`)
      )
      const figures = (["many", "few"] as const).map((name) => {
        const rate = short(spread(measured, (round) => round[name].perSecond).median)
        return `${rate}/s, p99 ${short(spread(measured, (round) => round[name].waits.p99).median)} ms`
      })
      rows.push({
        id: `scale-${read}-${on}`,
        what: `${on}: ${reads[read]}`,
        value: spread(measured, (round) => round.few.perSecond / round.many.perSecond),
        unit: "times",
        atMost: 1.5,
        beside: figures.join(" for ")
      })
    }
    return rows
  } finally {
    await fewLibrary.stop()
    await manyLibrary.stop()
    for (const storage of [fewStorage, manyStorage]) {
      if (storage._tag === "postgres") await postgres.dropDatabase(storage.url)
    }
  }
}
