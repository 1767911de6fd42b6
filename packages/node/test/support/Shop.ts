/** A Pointsman for tests: one workspace, `shop`, with two sandbox connections. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sandbox } from "@pointsman/connector-sandbox"
import { Ledger, type StorageHandle } from "@pointsman/core/ports"
import { memory } from "@pointsman/storage-memory"
import { sqlite } from "@pointsman/storage-sqlite"
import { Context, Effect, Layer } from "effect"
import { onTestFinished } from "vitest"
import {
  type CreatePayment,
  createPointsman,
  type LogLine,
  type Pointsman,
  type PointsmanSettings,
  type Workspace
} from "../../src/index.ts"

export const encryptionKey = "jZAB0yxqcD2Vkhp3EVBQ8z3YI9PxcwvTUhXcvsrW3CA="
export const otherEncryptionKey = "zrPocNAIAVHCOp362tbcBKi1yGjm6cel7b6DhVQbKb4="

export const shop: Workspace = {
  id: "shop",
  country: "NL",
  connections: [
    { id: "first", environment: "sandbox", priority: 1 },
    { id: "second", environment: "sandbox", priority: 2 }
  ]
}

export const order: CreatePayment = { amount: 1999, currency: "EUR", country: "NL", reference: "order-1001" }

export interface Shop {
  readonly pointsman: Pointsman
  readonly lines: Array<LogLine>
}

/** Closed when the test ends. */
export const open = async (settings: Partial<PointsmanSettings> = {}): Promise<Shop> => {
  const lines: Array<LogLine> = []
  const pointsman = await createPointsman({
    storage: memory(),
    connectors: [sandbox()],
    environment: "sandbox",
    workspaces: [shop],
    log: (line) => lines.push(line),
    ...settings
  })
  onTestFinished(() => pointsman.close())
  return { pointsman, lines }
}

/** A folder that is gone when the test ends. */
export const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), "pointsman-node-"))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** What makes a shop keep its payments in files of this folder. */
export const inFiles = (path: string) => ({
  storage: sqlite(join(path, "payments.db")),
  connectors: [sandbox(join(path, "sandbox-records.db"))],
  encryptionKey
})

/** A store in memory whose ledger has these methods in the place of its own. */
export const memoryWith = (methods: (ledger: Ledger["Service"]) => Partial<Ledger["Service"]>): StorageHandle => ({
  ...memory(),
  "~pointsman/storage": Layer.effectContext(
    Effect.map(Layer.build(memory()["~pointsman/storage"]), (stores) => {
      const ledger = Context.get(stores, Ledger)
      return Context.add(stores, Ledger, { ...ledger, ...methods(ledger) })
    })
  )
})

/** What a promise failed with; fails where it did not. */
export const failureOf = async (promise: Promise<unknown>): Promise<unknown> => {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error("expected a failure")
}
