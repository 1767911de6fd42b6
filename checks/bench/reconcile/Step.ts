/** One step of the measurement, in a process of its own: told its order as JSON, it prints its result as JSON. */
import { fileURLToPath } from "node:url"
import { Pointsman, type ReconciliationRun } from "@pointsman/core"
import { formatNamed } from "@pointsman/reconcile"
import * as PostgresStorage from "@pointsman/storage-postgres"
import * as SqliteStorage from "@pointsman/storage-sqlite"
import { Layer, ManagedRuntime, Redacted, References } from "effect"
import { entriesOf, inspectReport } from "../../../packages/reconcile/src/ReportFile.ts"
import { createRequest } from "../kit/CreateRequest.ts"
import { closed, run } from "../kit/Load.ts"
import { agreeing, caller, worldLayer } from "../World.ts"
import { foundText } from "./Planted.ts"
import { feeMinor } from "./Report.ts"

export interface Store {
  readonly storage: "sqlite" | "postgres"
  /** A file, or a URL. */
  readonly place: string
}

interface CreateOrder extends Store {
  readonly step: "create"
  readonly seconds: number
}

export interface ReadOrder extends Store {
  readonly step: "read"
  readonly format: string
  /** The file of the report. */
  readonly path: string
  /** The process kills itself so many milliseconds after so many rows are stored. */
  readonly kill?: { readonly afterRows: number; readonly millis: number } | undefined
}

export type Order = CreateOrder | ReadOrder

export interface Created {
  readonly seconds: number
  readonly perSecond: number
}

export interface Reading {
  readonly seconds: number
  /** Rows. */
  readonly perSecond: number
  /** The most that the process held. */
  readonly megabytes: number
  readonly run: ReconciliationRun
  /** Every difference that is stored, by the provider's reference of its charge. */
  readonly found: Readonly<Record<string, string>>
}

export const stepFile = fileURLToPath(import.meta.url)

const inFlight = 64
const differencesAtMost = 1_000

const provider = { ...agreeing(), fees: [{ fixed: { EUR: feeMinor } }] }

const open = ({ place, storage }: Store) =>
  ManagedRuntime.make(
    worldLayer(
      storage === "sqlite"
        ? SqliteStorage.layer({ filename: place })
        : PostgresStorage.layer({ url: Redacted.make(place) }),
      provider
    ).pipe(Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, "Warn")))
  )

const create = async (order: CreateOrder): Promise<Created> => {
  const runtime = open(order)
  try {
    const pointsman = await runtime.runPromise(Pointsman)
    const { perSecond, seconds } = await run(closed(inFlight, order.seconds), () =>
      runtime.runPromise(pointsman.create(caller, createRequest("order-bench")))
    )
    return { perSecond, seconds }
  } finally {
    await runtime.dispose()
  }
}

/** As the command `pointsman reconcile run` reads it, at a connection of another kind. */
const read = async (order: ReadOrder): Promise<Reading> => {
  const runtime = open(order)
  try {
    const pointsman = await runtime.runPromise(Pointsman)
    const format = formatNamed(order.format)
    if (format === undefined) throw new Error(`no format ${order.format}`)
    const began = performance.now()
    const report = await inspectReport(order.path)
    let isDoomed = false
    const done = await runtime.runPromise(
      pointsman.reconciliation.run({
        connectionId: "main",
        format: { name: format.name, kinds: ["agreeing"], delayMillis: 0 },
        ...report,
        entries: entriesOf(order.path, format, report),
        onProgress: ({ rowsDone }) => {
          const { kill } = order
          if (kill === undefined || isDoomed || rowsDone < kill.afterRows) return
          isDoomed = true
          setTimeout(() => process.kill(process.pid, "SIGKILL"), kill.millis)
        }
      })
    )
    const seconds = (performance.now() - began) / 1_000
    const megabytes = process.resourceUsage().maxRSS / 1024
    const differences = await runtime.runPromise(
      pointsman.reconciliation.differences({ differences: "all", limit: differencesAtMost })
    )
    const found: Record<string, string> = {}
    for (const { paymentId, providerRef, result, rowId } of differences) {
      const key = providerRef ?? rowId
      const text = foundText(result, paymentId)
      found[key] = found[key] === undefined ? text : `${found[key]}, ${text}`
    }
    return { seconds, perSecond: done.rowsDone / seconds, megabytes, run: done, found }
  } finally {
    await runtime.dispose()
  }
}

export const take = (order: Order): Promise<Created | Reading> =>
  order.step === "create" ? create(order) : read(order)

if (process.argv[1] === stepFile)
  process.stdout.write(`\n${JSON.stringify(await take(JSON.parse(process.argv[2] ?? "")))}`)
