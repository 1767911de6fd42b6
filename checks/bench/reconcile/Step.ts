/** One step of the measurement, in a process of its own: told its order as JSON, it prints its result as JSON. */
import { fileURLToPath } from "node:url"
import { Pointsman, type SettlementResult } from "@pointsman/core"
import * as PostgresStorage from "@pointsman/storage-postgres"
import * as SqliteStorage from "@pointsman/storage-sqlite"
import { ManagedRuntime, Redacted } from "effect"
import { createRequest } from "../kit/CreateRequest.ts"
import { closed, run } from "../kit/Load.ts"
import { caller, worldLayer } from "../World.ts"
import { foundId, reportOf } from "./Report.ts"

export interface Order {
  readonly storage: "sqlite" | "postgres"
  /** A file, or a URL. */
  readonly place: string
  readonly step: "create" | "first" | "again"
  /** Payments that the report is about. */
  readonly rows: number
}

export interface StepResult {
  readonly seconds: number
  /** Creates, or rows. */
  readonly perSecond: number
  /** The most that the process held. */
  readonly megabytes: number
  /** Rows that an earlier report had. */
  readonly known?: number
  /** Every difference that is stored, by row id. */
  readonly found?: Readonly<Record<string, SettlementResult>>
}

export const stepFile = fileURLToPath(import.meta.url)

const inFlight = 64
const createSeconds = 5
const differencesAtMost = 1_000

const open = ({ place, storage }: Order) =>
  ManagedRuntime.make(
    worldLayer(
      storage === "sqlite"
        ? SqliteStorage.layer({ filename: place })
        : PostgresStorage.layer({ url: Redacted.make(place) })
    )
  )

const megabytes = (): number => process.resourceUsage().maxRSS / 1024

const runOrder = async (order: Order): Promise<StepResult> => {
  const runtime = open(order)
  try {
    const pointsman = await runtime.runPromise(Pointsman)
    if (order.step === "create") {
      const sample = await run(closed(inFlight, createSeconds), () =>
        runtime.runPromise(pointsman.create(caller, createRequest("order-bench")))
      )
      return { seconds: sample.seconds, perSecond: sample.perSecond, megabytes: megabytes() }
    }
    const isAgain = order.step === "again"
    const began = performance.now()
    const report = await runtime.runPromise(
      pointsman.reconciliation.run({
        connectionId: "main",
        format: { name: "bench", kinds: ["agreeing"], delayMillis: 0 },
        fileName: `${order.step}.csv`,
        sha256: order.step,
        entries: reportOf(order.rows, isAgain)
      })
    )
    const seconds = (performance.now() - began) / 1_000
    const held = megabytes()
    const differences = await runtime.runPromise(
      pointsman.reconciliation.differences({ differences: "all", limit: differencesAtMost })
    )
    const found = Object.fromEntries(differences.map(({ result, rowId }) => [foundId(rowId), result]))
    return { seconds, perSecond: report.rowsDone / seconds, megabytes: held, known: report.rowsKnown, found }
  } finally {
    await runtime.dispose()
  }
}

if (process.argv[1] === stepFile) {
  runOrder(JSON.parse(process.argv[2] ?? "") as Order).then(
    (result) => process.stdout.write(`\n${JSON.stringify(result)}`),
    (cause: unknown) => {
      console.error(cause)
      process.exitCode = 1
    }
  )
}
