/**
 * Years of payments in a short time: the clock is turned by months. In each month the product makes payments, and copies
 * of them are written in bulk. At its end the product's own background work runs: it forgets keys, archives what
 * retention does not keep, and removes it.
 */
import { Pointsman } from "@pointsman/core"
import { Archive, type ArchiveSum } from "@pointsman/core/ports"
import { Effect } from "effect"
import { addSums, type SumsByCurrency } from "./BookedProvider.ts"
import { copiedTables, copyStatements, type RowsOf } from "./Copies.ts"
import { rowsOf } from "./SampleRows.ts"
import { makeSample, type Sample, samples } from "./Samples.ts"
import type { YearsStore } from "./YearsStore.ts"
import { openWorld, type World } from "./YearsWorld.ts"

export interface YearsOptions {
  readonly store: YearsStore
  /** An empty folder, for the archive. */
  readonly archive: string
  readonly months: number
  /** How long a month is, in milliseconds; as long as the mean one of a calendar unless set. */
  readonly monthMillis?: number
  /** Payments of a month that are copies, and those that the product makes. */
  readonly copied: number
  readonly made: number
  readonly tell: (line: string) => void
}

/** What was measured of one month, in seconds, bytes and payments. */
export interface Month {
  readonly month: number
  readonly copySeconds: number
  readonly forgotten: number
  readonly forgetSeconds: number
  readonly removed: number
  readonly removeSeconds: number
  readonly sizes: Readonly<Record<string, number>>
  /** Payments that the store holds at its end. */
  readonly stored: number
}

export interface Years {
  readonly months: ReadonlyArray<Month>
  /** By the provider's books, and by the store together with its archive. */
  readonly atProvider: SumsByCurrency
  readonly kept: SumsByCurrency
  readonly archived: number
  readonly archiveFaults: number
  readonly archiveObjects: number
  /** Open. */
  readonly world: World
}

const meanMonthMillis = (365.25 * 24 * 60 * 60_000) / 12

export const runYears = async (options: YearsOptions): Promise<Years> => {
  const { archive, store } = options
  const begin = Date.now()
  const world = await openWorld({ storage: store.layer, archive, startMillis: begin })
  try {
    return await runIn(world, begin, options)
  } catch (cause) {
    await world.close()
    throw cause
  }
}

const runIn = async (world: World, begin: number, options: YearsOptions): Promise<Years> => {
  const { monthMillis = meanMonthMillis, store, tell } = options
  const months: Array<Month> = []
  let copies: SumsByCurrency = {}
  for (let month = 0; month < options.months; month++) {
    const at = begin + month * monthMillis
    world.time.turnTo(at)
    const made = await makeMonth(world, options, { at, monthMillis })
    const copying = await timed(() => copyMonth(options, made, monthMillis))
    copies = addSums(copies, copying.value)
    world.time.turnTo(begin + (month + 1) * monthMillis - 60_000)
    const { keys, left } = await upkeep(world)
    const stored = Number((await store.ask("select count(*) as count from payments"))[0]?.["count"])
    await store.vacuum()
    const sizes = await store.sizes()
    const figures: Month = {
      month: month + 1,
      copySeconds: copying.seconds,
      forgotten: keys.value,
      forgetSeconds: keys.seconds,
      removed: left.value,
      removeSeconds: left.seconds,
      sizes,
      stored
    }
    months.push(figures)
    tell(told(figures))
  }
  return { months, atProvider: addSums(copies, world.books()), ...(await verify(world, store)), world }
}

/** What the background does each hour (`Pointsman.background`). */
const upkeep = async ({ removed, run }: World) => {
  const keys = await timed(() => run(Effect.flatMap(Pointsman, ({ forgetKeys }) => forgetKeys)))
  const before = removed()
  const left = await timed(async () => {
    await run(Effect.flatMap(Pointsman, ({ sweepInTurn }) => sweepInTurn))
    return removed() - before
  })
  return { keys, left }
}

interface MadeSample {
  readonly sample: Sample
  readonly rows: RowsOf
  readonly sums: SumsByCurrency
  readonly from: number
  readonly until: number
}

/** The samples first: their copies follow them in time. Then the others, along the month. */
const makeMonth = async (
  world: World,
  { made, store }: YearsOptions,
  { at, monthMillis }: { readonly at: number; readonly monthMillis: number }
): Promise<ReadonlyArray<MadeSample>> => {
  const before = await countsOf(store)
  const first: Array<Omit<MadeSample, "rows" | "until"> & { readonly id: string }> = []
  for (const sample of samples) {
    const from = world.time.now() - marginMillis
    const booked = world.books()
    const id = await world.run(makeSample(sample))
    first.push({ sample, id, sums: addSums(world.books(), booked, -1), from })
  }
  await delivered(store)
  const until = world.time.now() + marginMillis
  const found: Array<MadeSample> = []
  for (const { id, ...one } of first) found.push({ ...one, until, rows: await rowsOf(store, id) })
  const after = await countsOf(store)
  const names = new Set([...copiedTables.map(({ name }) => name), ...notOfPayments])
  const missing = [...after].find(([name, count]) => !names.has(name) && count !== before.get(name))
  if (missing !== undefined) throw new Error(`a payment writes to ${missing[0]}, which is not copied`)
  const others = Math.max(0, made - samples.length)
  for (let part = 0; part < parts; part++) {
    world.time.turnTo(at + Math.floor(((part + 1) / (parts + 1)) * monthMillis))
    const count = Math.floor(((part + 1) * others) / parts) - Math.floor((part * others) / parts)
    await world.run(
      Effect.forEach(
        Array.from({ length: count }, (_, index) => samples[index % samples.length] as Sample),
        makeSample,
        { concurrency: 8, discard: true }
      )
    )
  }
  await delivered(store)
  return found
}

/** The clocks of ids may differ from the run's by so many milliseconds. */
const marginMillis = 5_000
const parts = 10
/** Learned while payments are made, and not of one of them. */
const notOfPayments = ["success_rates", "api_key_uses", "retention_lease", "proof_lease", "report_lease"]

const countsOf = async (store: YearsStore): Promise<ReadonlyMap<string, number>> => {
  const names = await store.tables()
  const [row] = await store.ask(
    `select ${names.map((name, index) => `(select count(*) from ${name}) as n${index}`).join(", ")}`
  )
  return new Map(names.map((name, index) => [name, Number(row?.[`n${index}`])]))
}

/** A delivery that is due keeps its payment, and is no shape to copy. */
const delivered = async (store: YearsStore): Promise<void> => {
  const until = Date.now() + 60_000
  for (;;) {
    const [row] = await store.ask("select count(*) as count from deliveries where state in ('Due', 'Sending')")
    if (Number(row?.["count"]) === 0) return
    if (Date.now() > until) throw new Error(`${row?.["count"]} webhooks were not delivered within a minute`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const copyMonth = async (
  { copied, store }: YearsOptions,
  made: ReadonlyArray<MadeSample>,
  monthMillis: number
): Promise<SumsByCurrency> => {
  // The copy 0 would be the payment itself.
  const everyMillis = Math.floor((monthMillis * 0.9) / (copied + 1))
  const statements: Array<string> = []
  let sums: SumsByCurrency = {}
  for (const { sample, ...copying } of made) {
    const which = `n > 0 and n % 100 >= ${sample.share[0]} and n % 100 < ${sample.share[1]}`
    statements.push(...copyStatements(store.dialect, { ...copying, everyMillis, count: copied + 1, which }))
    const count = Array.from({ length: copied }, (_, index) => (index + 1) % 100).filter(
      (rest) => rest >= sample.share[0] && rest < sample.share[1]
    ).length
    sums = addSums(sums, copying.sums, count)
  }
  await store.copy(statements)
  return sums
}

const verify = async ({ run, tenant }: World, store: YearsStore) => {
  const report = await run(
    Effect.flatMap(Archive, (archive) =>
      archive === undefined ? Effect.die("there is no archive") : archive.verify(tenant)
    )
  )
  const rows = await store.ask(`select currency, count(*) as payments, sum(captured_minor) as captured,
    sum(refunded_minor) as refunded from payments group by currency`)
  const stored = Object.fromEntries(
    rows.map((row) => [
      String(row["currency"]),
      { payments: Number(row["payments"]), captured: Number(row["captured"]), refunded: Number(row["refunded"]) }
    ])
  )
  const archived = Object.fromEntries(report.sums.map((sum) => [sum.currency, sumsOf(sum)]))
  return {
    kept: addSums(stored, archived),
    archived: report.payments,
    archiveFaults: report.faultCount,
    archiveObjects: report.objects
  }
}

const sumsOf = ({ capturedMinor, payments, refundedMinor }: ArchiveSum) => ({
  payments,
  captured: capturedMinor,
  refunded: refundedMinor
})

const timed = async <A>(act: () => Promise<A>): Promise<{ readonly value: A; readonly seconds: number }> => {
  const began = performance.now()
  const value = await act()
  return { value, seconds: (performance.now() - began) / 1_000 }
}

const told = ({ copySeconds, forgetSeconds, forgotten, month, removeSeconds, removed, sizes, stored }: Month): string =>
  `month ${month}: copied in ${copySeconds.toFixed(1)} s, ${forgotten} keys in ${forgetSeconds.toFixed(1)} s, ` +
  `${removed} payments archived and removed in ${removeSeconds.toFixed(1)} s; ${stored} stored in ` +
  `${((sizes["all"] ?? 0) / 1e6).toFixed(1)} MB, without references of charges ` +
  `${(((sizes["all"] ?? 0) - (sizes["charge_references"] ?? 0)) / 1e6).toFixed(1)} MB`
