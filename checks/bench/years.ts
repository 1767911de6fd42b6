/**
 * Three years of payments in hours, on PostgreSQL or on SQLite: `npm run bench:years -- --payments 3000000`.
 * It shows that tables level off once retention removes as much as comes, what a create and a list cost then, that the
 * archive is whole, and that the provider's books agree with store and archive.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { toldMachine, watchMachine } from "./kit/Machine.ts"
import { openPostgres } from "./kit/Postgres.ts"
import { compareNewest, toldCompared } from "./years/Newest.ts"
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
  throw new Error(`--${name}: expected a whole number above 0\n\n${usage}`)
}

const main = async () => {
  const { values } = parseArgs({
    options: {
      store: { type: "string", default: "postgres" },
      payments: { type: "string", default: "300000" },
      months: { type: "string", default: "36" },
      rounds: { type: "string", default: "5" },
      json: { type: "string" },
      help: { type: "boolean", default: false }
    }
  })
  if (values.help) return console.log(usage)
  if (values.store !== "postgres" && values.store !== "sqlite") {
    throw new Error(`--store: expected postgres or sqlite\n\n${usage}`)
  }
  const months = numberOf("months", values.months)
  const payments = Math.ceil(numberOf("payments", values.payments) / months)
  const rounds = numberOf("rounds", values.rounds)
  const machine = watchMachine()
  if (machine.warning !== undefined) console.error(machine.warning)
  const folder = mkdtempSync(join(tmpdir(), "pointsman-years-"))
  const postgres = values.store === "sqlite" ? undefined : await openPostgres(settings)
  if (postgres !== undefined && "missing" in postgres)
    throw new Error(`There is no PostgreSQL here: ${postgres.missing}`)
  const newStore = async (name: string): Promise<YearsStore> =>
    postgres === undefined ? sqliteStore(join(folder, `${name}.db`)) : postgresStore(await postgres.newDatabase(name))
  const run = (store: YearsStore, name: string, months: number) =>
    runYears({ store, archive: join(folder, `archive-${name}`), months, payments, tell: (line) => console.error(line) })
  const began = performance.now()
  try {
    const stores = { all: await newStore("all"), first: await newStore("first") }
    const all = await run(stores.all, "all", months)
    const minutes = (performance.now() - began) / 60_000
    tellYears(all, `${months} months in ${minutes.toFixed(1)} minutes, on ${stores.all.name}`)
    const first = await run(stores.first, "first", 1)
    const compared = await compareNewest(
      { world: first.world, store: stores.first },
      { world: all.world, store: stores.all },
      { rounds, times: 200 }
    )
    for (const one of compared) console.log(toldCompared(one))
    await first.world.close()
    await all.world.close()
    if (values.json !== undefined) {
      const { world: _, ...figures } = all
      writeFileSync(values.json, `${JSON.stringify({ payments, minutes, ...figures, compared }, null, 2)}\n`)
    }
  } finally {
    await postgres?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  console.log(toldMachine(machine.end(postgres === undefined ? "none" : `${postgres.version} ${postgres.origin}`)))
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

main().catch((cause: unknown) => {
  console.error(cause)
  process.exitCode = 1
})
