/**
 * Years of payments in a short time: the clock is turned by months. In each month the product makes payments and delivers
 * their webhooks. At its end the product's own background work runs: it forgets keys, archives what retention does not
 * keep, and removes it.
 */
import { Pointsman } from "@pointsman/core"
import { Archive, type ArchiveSum } from "@pointsman/core/ports"
import { Effect } from "effect"
import { addSums, type SumsByCurrency } from "./BookedProvider.ts"
import { makeSample, sampleOf } from "./Samples.ts"
import { levelBytes, type YearsStore } from "./YearsStore.ts"
import { openWorld, type World } from "./YearsWorld.ts"

export interface YearsOptions {
  readonly store: YearsStore
  /** An empty folder, for the archive. */
  readonly archive: string
  readonly months: number
  /** How long a month is, in milliseconds; as long as the mean one of a calendar unless set. */
  readonly monthMillis?: number
  /** Payments of a month. */
  readonly payments: number
  readonly tell: (line: string) => void
}

/** What was measured of one month, in seconds, bytes and payments. */
export interface Month {
  readonly month: number
  readonly makeSeconds: number
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
  for (let month = 0; month < options.months; month++) {
    const making = await timed(() => makeMonth(world, options, begin + month * monthMillis, monthMillis))
    world.turnTo(begin + (month + 1) * monthMillis - 60_000)
    const { keys, left } = await upkeep(world)
    const stored = Number((await store.ask("select count(*) as count from payments"))[0]?.["count"])
    await store.vacuum()
    const figures: Month = {
      ...{ month: month + 1, makeSeconds: making.seconds, forgotten: keys.value, forgetSeconds: keys.seconds },
      ...{ removed: left.value, removeSeconds: left.seconds, sizes: await store.sizes(), stored }
    }
    months.push(figures)
    tell(told(figures))
  }
  return { months, atProvider: world.books(), ...(await verify(world, store)), world }
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

/** Along the month: the clock is turned between its parts. */
const makeMonth = async (world: World, { payments, store }: YearsOptions, at: number, monthMillis: number) => {
  for (let part = 0; part < parts; part++) {
    world.turnTo(at + Math.floor((part / parts) * monthMillis))
    const numbers = Array.from({ length: payments }, (_, number) => number).filter((number) => number % parts === part)
    await world.run(
      Effect.forEach(numbers, (number) => makeSample(sampleOf(number)), { concurrency: 32, discard: true })
    )
    await delivered(store)
  }
}

const parts = 10

/** A delivery that is due keeps its payment. */
const delivered = async (store: YearsStore): Promise<void> => {
  const until = Date.now() + 60_000
  for (;;) {
    const [row] = await store.ask("select count(*) as count from deliveries where due_at is not null")
    if (Number(row?.["count"]) === 0) return
    if (Date.now() > until) throw new Error(`${row?.["count"]} webhooks were not delivered within a minute`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
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

const told = ({ forgetSeconds, forgotten, makeSeconds, month, removeSeconds, removed, sizes, stored }: Month): string =>
  `month ${month}: made in ${makeSeconds.toFixed(1)} s, ${forgotten} keys in ${forgetSeconds.toFixed(1)} s, ` +
  `${removed} payments archived and removed in ${removeSeconds.toFixed(1)} s; ${stored} stored in ` +
  `${((sizes["all"] ?? 0) / 1e6).toFixed(1)} MB, without references of charges ${(levelBytes(sizes) / 1e6).toFixed(1)} MB`
