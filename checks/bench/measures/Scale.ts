/**
 * What a replay and a read cost when there are many payments, of one workspace, against what they cost when there are
 * few. Those asked for are drawn from all of them.
 */
import { join } from "node:path"
import { compare } from "../kit/Compare.ts"
import { fillPostgres, fillSqlite } from "../kit/FillStores.ts"
import { closed } from "../kit/Load.ts"
import { type Measure, type Options, type Row, row, short } from "../kit/Result.ts"
import { stopAll } from "../kit/Side.ts"
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
  options: Options,
  on: "PostgreSQL" | "SQLite",
  few: number,
  many: number
): Promise<ReadonlyArray<Row>> => {
  const { folder, postgres, seconds, tell } = options
  const filled = async (count: number) => {
    const began = performance.now()
    const storage: StorageSettings =
      on === "PostgreSQL"
        ? { _tag: "postgres", url: await fillPostgres(await postgres.newDatabase(`of_${count}`), count) }
        : { _tag: "sqlite", filename: await fillSqlite(join(folder, `of-${count}.db`), count) }
    tell(`${on} has ${count} payments, after ${short((performance.now() - began) / 1_000)} s`)
    return startLibrary({ storage })
  }
  const [fewLibrary, manyLibrary] = [await filled(few), await filled(many)]
  const load = closed(inFlight, seconds / 2)
  const rows: Array<Row> = []
  for (const read of Object.keys(reads) as Array<Read>) {
    const { median, times } = await compare(
      options,
      {
        few: () => fewLibrary.ask({ _tag: "read", read, filled: few, load }),
        many: () => manyLibrary.ask({ _tag: "read", read, filled: many, load })
      },
      (name, { perSecond }) => `${on}, ${read}, ${name}: ${short(perSecond)}/s`
    )
    const figures = (["many", "few"] as const).map(
      (name) => `${median(name, ({ perSecond }) => perSecond)}/s, p99 ${median(name, ({ waits }) => waits.p99)} ms`
    )
    rows.push(
      row(
        `scale-${read}-${on}`,
        `${on}: ${reads[read]}`,
        times("few", "many", ({ perSecond }) => perSecond),
        "times",
        figures.join(" for "),
        { atMost: 1.5 }
      )
    )
  }
  await stopAll()
  await postgres.dropAll()
  return rows
}
