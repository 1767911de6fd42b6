/**
 * Three years of payments in hours, on PostgreSQL or on SQLite: `npm run bench:years -- --payments 3000000`.
 * It shows that tables level off once retention removes as much as comes, what a create and a list cost then, that the
 * archive is whole, and that the provider's books agree with store and archive.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Misuse, main } from "./kit/Main.ts"
import { compareNewest } from "./years/Newest.ts"
import { runYears, type Years } from "./years/Years.ts"
import { postgresStore, sqliteStore, type YearsStore } from "./years/YearsStore.ts"

const usage = `npm run bench:years -- [options]
  --store <name>    postgres or sqlite; postgres unless set
  --payments <n>    payments of all months; 300000 unless set
  --months <n>      36 unless set
  --rounds <n>      of the comparison with the first month; 5 unless set
  --json <file>     where to write the figures of each month
DATABASE_URL names a PostgreSQL server to use; without it, one from npm is started.`

/** A minute of the run is most of a month of the clock: what autovacuum does in it is done as often. */
const settings = { autovacuum_naptime: "1s", autovacuum_vacuum_cost_delay: "0" }

const numberOf = (name: string, text: string): number => {
  const value = Number(text)
  if (Number.isInteger(value) && value > 0) return value
  throw new Misuse(`--${name}: expected a whole number above 0`)
}

const tellYears = (years: Years, title: string) => {
  const removed = years.months.reduce((sum, month) => sum + month.removed, 0)
  const seconds = years.months.reduce((sum, month) => sum + month.removeSeconds, 0)
  console.log(title)
  console.log(`archived and removed: ${removed} payments, ${(removed / seconds).toFixed(0)} a second`)
  console.log(`archive: ${years.archived} payments in ${years.archiveObjects} objects, ${years.archiveFaults} faults`)
  console.log(`by the provider:       ${JSON.stringify(years.atProvider)}`)
  console.log(`by store and archive:  ${JSON.stringify(years.kept)}`)
  for (const [name, bytes] of Object.entries(years.months.at(-1)?.sizes ?? {}).toSorted(([, a], [, b]) => b - a)) {
    const megabytes = years.months.map(({ sizes }) => ((sizes[name] ?? 0) / 1e6).toFixed(1))
    if (bytes > 100_000) console.log(`MB of ${name} by month: ${megabytes.join(" ")}`)
  }
}

const options = { store: "postgres", payments: "300000", months: "36", rounds: "5", json: "" } as const
await main(usage, options, async (given, { folder, startPostgres }) => {
  if (!["postgres", "sqlite"].includes(given.store)) throw new Misuse("--store: expected postgres or sqlite")
  const months = numberOf("months", given.months)
  const payments = Math.ceil(numberOf("payments", given.payments) / months)
  const rounds = numberOf("rounds", given.rounds)
  const postgres = given.store === "sqlite" ? undefined : await startPostgres(settings)
  const newStore = async (name: string): Promise<YearsStore> =>
    postgres === undefined ? sqliteStore(join(folder, `${name}.db`)) : postgresStore(await postgres.newDatabase(name))
  const run = (store: YearsStore, name: string, months: number) =>
    runYears({ store, archive: join(folder, `archive-${name}`), months, payments, tell: (line) => console.error(line) })
  const began = performance.now()
  const stores = { all: await newStore("all"), first: await newStore("first") }
  const all = await run(stores.all, "all", months)
  const minutes = (performance.now() - began) / 60_000
  tellYears(all, `${months} months in ${minutes.toFixed(1)} minutes, on ${stores.all.name}`)
  const first = await run(stores.first, "first", 1)
  const compared = await compareNewest(first.world, all.world, rounds)
  await first.world.close()
  await all.world.close()
  if (given.json === "") return
  const { world: _, ...figures } = all
  writeFileSync(given.json, `${JSON.stringify({ payments, minutes, ...figures, compared }, null, 2)}\n`)
})
