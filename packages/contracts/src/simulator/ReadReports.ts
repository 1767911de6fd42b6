/**
 * Processes read the provider's reports as `pointsman reconcile run` does, one after the other: those that are due in the
 * middle of the workload, and all of them at rest. A run whose process died is resumed by reading the same report again.
 */
import { createHash } from "node:crypto"
import { type Pointsman, ReportBroken, type ReportOrder, ReportRefused } from "@pointsman/core"
import type { ReportEntry } from "@pointsman/core/connector"
import { Cause, Exit, Option } from "effect"
import { type Draw, drawFrom } from "./Draw.ts"
import type { MortalProcess } from "./MortalProcess.ts"
import { type ProviderReport, reportsOf } from "./ProviderReports.ts"
import { day, hour, minute, second, type Time } from "./Time.ts"
import type { World } from "./World.ts"

/** The stream of how reports are read, beside those of a plan. */
const readingStream = -7

/**
 * Whether reports are read in the run of a seed, as in half of them: a report puts right what another part has done wrong,
 * and would hide it from the judge.
 */
export const readsReports = (seed: number): boolean => drawFrom(seed, readingStream, 1).chance(0.5)

/** Readings of one report before it counts as one that cannot be read. */
const triesAtMost = 1_000

/** How long a reading is waited for before the same report is read beside it. */
const waits = [1, second, minute, 30 * minute] as const

export type ReportReading = ReturnType<typeof makeReading>

export interface ReadingOptions {
  readonly world: World
  readonly seed: number
  readonly listen: (line: string) => void
  /** When no process is there. */
  readonly start: () => MortalProcess
}

export const makeReading = ({ listen, seed, start, world }: ReadingOptions) => {
  const { provider, time } = world
  const draw = drawFrom(seed, readingStream)
  /** Whether there is anything to read in this run. */
  const isReading = readsReports(seed)
  const readsAtWork = isReading && draw.chance(0.5)
  const ways = drawWays(draw)
  /** What could not be read, in sentences. */
  const wrong: Array<string> = []
  let today = 0
  let due: ReadonlyArray<ProviderReport> = []
  let read = 0
  let reader: MortalProcess | undefined

  const ask = (process: MortalProcess, report: ProviderReport, onEnd: (isRead: boolean) => void) => {
    const order = orderOf(report, ways, time)
    const name = `${order.fileName} of ${report.connectionId}`
    listen(`process ${process.number} reads ${name}`)
    process.ask(
      ({ reconciliation }: Pointsman["Service"]) => reconciliation.run(order),
      (exit) => {
        listen(`process ${process.number} ends ${name}: ${exit._tag}`)
        if (Exit.isFailure(exit)) {
          const failure = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
          const isFinal = failure === undefined || failure instanceof ReportBroken || failure instanceof ReportRefused
          if (isFinal) wrong.push(`${name} cannot be read: ${Cause.pretty(exit.cause)}`)
        }
        onEnd(Exit.isSuccess(exit))
      }
    )
  }

  /** Asks for the next report that is due, unless one is being read. */
  const askDue = () => {
    if (!readsAtWork) return
    const date = Math.floor(time.now() / day)
    if (date !== today) {
      today = date
      due = reportsOf(provider.balance, seed).filter(({ at }) => at <= date * day)
    }
    const report = due[read]
    if (report === undefined || reader?.isDead() === false) return
    const process = world.alive()[0]
    if (process === undefined) return
    reader = process
    ask(process, report, (isRead) => {
      if (isRead) read = due.indexOf(report) + 1
      reader = undefined
    })
  }

  const readOne = async (report: ProviderReport): Promise<void> => {
    let isRead = false
    for (let tries = 0; tries < triesAtMost && !isRead; tries++) {
      const process = world.alive()[0] ?? start()
      let isEnded = false
      ask(process, report, (is) => {
        isEnded = true
        isRead ||= is
      })
      for (const millis of waits) {
        await time.pass(millis)
        if (isEnded || process.isDead()) break
      }
      // The lease of a process that died while it read another report ends by its time.
      if (!isRead) await time.pass(second)
    }
    if (!isRead) wrong.push(`the report of ${report.at} of ${report.connectionId} was not read`)
  }

  /** Reads every report, in order, and waits for those of the future. */
  const readAll = async () => {
    if (!isReading) return
    for (const report of reportsOf(provider.balance, seed)) {
      await time.pass(Math.max(0, report.at - time.now()))
      await readOne(report)
    }
  }

  return { isReading, askDue, readAll, wrong }
}

/** Batches end in the middle of reports, and a row may come after its payment counts as missing. */
const drawWays = (draw: Draw) => ({
  rowsAtOnce: draw.pick([1, 2, 5, 1_000]),
  delayMillis: draw.pick([hour, day, 5 * day])
})

const orderOf = (
  { at, connectionId, rows }: ProviderReport,
  { delayMillis, rowsAtOnce }: ReturnType<typeof drawWays>,
  time: Time
): ReportOrder => ({
  connectionId,
  format: { name: "simulated", kinds: ["simulated"], delayMillis },
  fileName: `${new Date(at).toISOString().slice(0, 10)}.json`,
  sha256: createHash("sha256").update(JSON.stringify(rows)).digest("hex"),
  rowsAtOnce,
  entries: entriesOf(
    rows.map((row): ReportEntry => ({ _tag: "Row", row })),
    time
  )
})

/** A file answers outside of simulated time, which stands still until then. */
const entriesOf = (entries: ReadonlyArray<ReportEntry>, time: Time): ReportOrder["entries"] => ({
  [Symbol.asyncIterator]: () => {
    let isRead = false
    const answer = async (value: ReadonlyArray<ReportEntry> | undefined) => {
      time.hold(1)
      await Promise.resolve()
      time.hold(-1)
      return value === undefined ? { done: true as const, value } : { done: false as const, value }
    }
    return {
      next: () => {
        const value = isRead ? undefined : entries
        isRead = true
        return answer(value)
      },
      return: () => answer(undefined)
    }
  }
})
