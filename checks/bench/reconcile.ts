/**
 * Reconciles reports of providers' formats: `npm run bench:reconcile -- --format stripe-balance --rows 1000000`. A file in the
 * documented columns is read and applied as `pointsman reconcile run` does it, each time by a process of its own, whose memory
 * is its own too. The file has planted differences of every kind that the format can express; the run fails where one is not
 * found, is named otherwise, or another is found.
 */
import { spawn } from "node:child_process"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { Misuse, main } from "./kit/Main.ts"
import { expectedIn, kindsIn, plantedAt } from "./reconcile/Planted.ts"
import { formatNames, paymentsIn, writeReport } from "./reconcile/Report.ts"
import { type Created, type Order, type Reading, type ReadOrder, type Store, stepFile, take } from "./reconcile/Step.ts"
import { postgresStores, type Stores, sqliteStores } from "./reconcile/Stores.ts"

const usage = `npm run bench:reconcile -- [options]
  --format <list>   of ${formatNames.join(", ")}; all unless set
  --rows <n>        rows of each file, about; 100000 unless set
  --planted <n>     differences of every kind that the format can express; 40 unless set
  --storages <list> of sqlite, postgres; both unless set
  --kills <n>       a second store is read by so many processes that are killed, and has to end as the first; 0 unless set
  --creates <s>     seconds of creates before and after the first reading; 5 unless set, 0 for none
  --smoke           2,500 rows, 2 differences of every kind, 1 kill, no creates, SQLite
DATABASE_URL names a PostgreSQL server to use; without it, one from npm is started.`

interface Options {
  readonly rows: number
  readonly planted: number
  readonly kills: number
  readonly createSeconds: number
  /** Steps that are not killed run in this process. */
  readonly isShort: boolean
}

/** With the bounds of V8's spaces that `npm run pointsman` sets. */
const flags = ["--conditions=@pointsman/source", "--max-semi-space-size=4", "--max-old-space-size=2000"]

/** By a new process; `undefined` where it was killed. */
const runStep = <A>(order: Order): Promise<A | undefined> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...flags, stepFile, JSON.stringify(order)], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    let told = ""
    child.stdout.on("data", (bytes: Buffer) => {
      told += bytes.toString()
    })
    child.once("error", reject)
    child.once("close", (code, signal) => {
      if (signal === "SIGKILL") resolve(undefined)
      // After what the library logs.
      else if (code === 0) resolve(JSON.parse(told.slice(told.lastIndexOf("\n") + 1)) as A)
      else reject(new Error(`the step ${order.step} ended with ${code}`))
    })
  })

/** `isHere`: steps of the short form need no memory of their own, and a process takes a second to start. */
const done = async <A extends Created | Reading>(order: Order, isHere = false): Promise<A> => {
  const result = await (isHere ? (take(order) as Promise<A>) : runStep<A>(order))
  if (result === undefined) throw new Error(`the step ${order.step} was killed`)
  return result
}

const check = ({ found, run }: Reading, { expected, format }: Report): void => {
  const wrong = Object.keys({ ...expected, ...found }).filter((id) => expected[id] !== found[id])
  const told = wrong
    .slice(0, 10)
    .map((id) => `${id}: planted ${expected[id] ?? "nothing"}, found ${found[id] ?? "nothing"}`)
  if (run.rowsUnreadable > 0) throw new Error(`${format}: unreadable: ${JSON.stringify(run.unreadable)}`)
  if (wrong.length > 0) throw new Error(`${format}: ${wrong.length} differences are wrong:\n${told.join("\n")}`)
}

const same = (what: string, one: string, other: string): void => {
  if (one !== other) throw new Error(`${what}: expected\n${one}\nfound\n${other}`)
}

const toldOf = ({ megabytes, perSecond, seconds }: Reading) =>
  `${seconds.toFixed(1)} s, ${Math.round(perSecond)} rows a second, ${Math.round(megabytes)} MB`

interface Report {
  readonly format: string
  readonly path: string
  /** The same movements and one more. */
  readonly another: string
  readonly expected: Readonly<Record<string, string>>
}

const writeReports = async (folder: string, format: string, { planted: each, rows }: Options): Promise<Report> => {
  const payments = paymentsIn(format, rows)
  const planted = plantedAt(format, payments, each)
  const [path, another] = [join(folder, `${format}.csv`), join(folder, `${format}-another.csv`)]
  await writeReport(path, { format, payments, planted, isAnother: false })
  await writeReport(another, { format, payments, planted, isAnother: true })
  return { format, path, another, expected: expectedIn(planted) }
}

interface Read {
  /** What the reading left. */
  readonly left: string
  /** Rows of the report. */
  readonly rows: number
}

const measure = async (
  stores: Stores,
  store: Store,
  report: Report,
  { createSeconds, isShort }: Options
): Promise<Read> => {
  const { another, expected, format, path } = report
  const say = (text: string) => console.log(`${store.storage}, ${format}: ${text}`)
  const reading = (file: string): ReadOrder => ({ ...store, step: "read", format, path: file })
  const creates = async (): Promise<number> =>
    createSeconds === 0
      ? 0
      : (await done<Created>({ ...store, step: "create", seconds: createSeconds }, isShort)).perSecond
  const before = await creates()
  const first = await done<Reading>(reading(path), isShort)
  check(first, report)
  const perSecond = (before + (await creates())) / 2
  const times = (first.perSecond / perSecond).toFixed(2)
  const compared = perSecond === 0 ? "" : `; ${times} times the ${Math.round(perSecond)} creates a second`
  say(`first reading of ${first.run.rowsDone} rows: ${toldOf(first)}${compared}`)
  const left = await stores.summary(store)
  const again = await done<Reading>(reading(path), isShort)
  check(again, report)
  same("after the same file", left, await stores.summary(store))
  say("the same file again: nothing changed")
  const other = await done<Reading>(reading(another), isShort)
  check(other, report)
  say(`its rows in another file: ${toldOf(other)}; ${other.run.rowsKnown} were known`)
  say(
    `all ${Object.keys(expected).length} planted differences (${kindsIn(format).join(", ")}) were found, and no other`
  )
  return { left, rows: first.run.rowsDone }
}

/** Reads it by processes that are killed, the last one aside. */
const readKilled = async (stores: Stores, store: Store, report: Report, options: Options, { left, rows }: Read) => {
  const { isShort, kills } = options
  const { format, path } = report
  const order: ReadOrder = { ...store, step: "read", format, path }
  let killed = 0
  for (let kill = 1; kill <= kills; kill++) {
    // Some milliseconds into what follows the batch.
    const place = { afterRows: Math.floor((rows * (kill - 0.5)) / kills), millis: kill * 3 }
    if ((await runStep<Reading>({ ...order, kill: place })) === undefined) killed++
  }
  if (killed < kills)
    throw new Error(`${format}: ${kills - killed} of ${kills} processes ended before they were killed`)
  check(await done<Reading>(order, isShort), report)
  same("after a reading that was killed", left, await stores.summary(store))
  console.log(`${store.storage}, ${format}: killed at ${kills} places and resumed: the same result`)
}

const measureAll = async (stores: Stores, folder: string, formats: ReadonlyArray<string>, options: Options) => {
  for (const format of formats) {
    const report = await writeReports(folder, format, options)
    const store = await stores.copy("first")
    // The creates are of one store alone.
    const read = await measure(stores, store, report, options)
    await stores.remove(store)
    if (options.kills > 0) {
      const other = await stores.copy("killed")
      const expected = options.createSeconds === 0 ? read.left : await plainReading(stores, report)
      await readKilled(stores, other, report, options, { ...read, left: expected })
      await stores.remove(other)
    }
    rmSync(report.path)
    rmSync(report.another)
  }
}

/** What one reading leaves in a store without other payments. */
const plainReading = async (stores: Stores, { format, path }: Report): Promise<string> => {
  const store = await stores.copy("plain")
  await done<Reading>({ ...store, step: "read", format, path })
  const left = await stores.summary(store)
  await stores.remove(store)
  return left
}

const smoke = { rows: "2500", planted: "2", kills: "1", creates: "0", storages: "sqlite" }

const defaults = {
  format: formatNames.join(","),
  rows: "100000",
  planted: "40",
  storages: "sqlite,postgres",
  kills: "0",
  creates: "5",
  smoke: false
} as const
await main(usage, defaults, async (given, { folder, startPostgres }) => {
  const values = given.smoke ? { ...given, ...smoke } : given
  const numberOf = (name: "rows" | "planted" | "kills" | "creates"): number => {
    const value = Number(values[name])
    if (value >= 0) return value
    throw new Misuse(`--${name}: expected a number`)
  }
  const formats = values.format.split(",")
  const unknown = formats.find((one) => !formatNames.includes(one))
  if (unknown !== undefined) throw new Misuse(`--format: "${unknown}" is not one of ${formatNames.join(", ")}`)
  const options: Options = {
    ...{ rows: numberOf("rows"), planted: numberOf("planted"), kills: numberOf("kills") },
    ...{ createSeconds: numberOf("creates"), isShort: given.smoke }
  }
  const payments = Math.max(...formats.map((format) => paymentsIn(format, options.rows)))
  for (const storage of values.storages.split(",")) {
    const stores =
      storage === "sqlite"
        ? await sqliteStores(folder, payments)
        : await postgresStores(await startPostgres(), payments)
    await measureAll(stores, folder, formats, options)
  }
})
