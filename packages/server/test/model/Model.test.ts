/**
 * Random sequences of requests, answered by the API and by the model: they agree on every answer. Each sequence has two
 * workspaces of its own and ends with a look at everything that is to be seen in them.
 *
 * `POINTSMAN_MODEL_MEMORY`, `POINTSMAN_MODEL_SQLITE` and `POINTSMAN_MODEL_POSTGRES` set the number of sequences over each
 * storage: 50, 25 and 10 unless set. What disagrees is made as short as it gets and printed with its seed and path;
 * `POINTSMAN_MODEL_SEED` and `POINTSMAN_MODEL_PATH` run it again.
 */
import * as MemoryStorage from "@pointsman/storage-memory"
import * as PostgresStorage from "@pointsman/storage-postgres"
import * as SqliteStorage from "@pointsman/storage-sqlite"
import { Redacted } from "effect"
import * as fc from "fast-check"
import { afterAll, describe, test } from "vitest"
import { newDatabase, sharedPostgres } from "../support/PostgresServer.ts"
import { agree } from "./Agree.ts"
import type { Mode } from "./Contract.ts"
import { steps } from "./Operations.ts"
import { type Storage, startWorld, type World } from "./World.ts"

const setting = (name: string): number | undefined => {
  const value = process.env[name]
  return value === undefined ? undefined : Number(value)
}
const path = process.env["POINTSMAN_MODEL_PATH"]
const seed = setting("POINTSMAN_MODEL_SEED")

/** Long enough to create, capture, refund and repeat; short enough to be many. */
const maxLength = 24

/** A world costs as much as a few sequences to start, and the storage in memory grows slower with every one. */
const sequencesPerWorld = 50

const testOver = (sequences: number, newStorage: () => Promise<Storage>) => {
  let world: World | undefined
  let served = 0
  afterAll(() => world?.close())
  const worldOfNow = async (): Promise<World> => {
    if (world === undefined || ++served % sequencesPerWorld === 0) {
      await world?.close()
      world = await startWorld(await newStorage())
    }
    return world
  }

  test(`the model agrees on every answer to ${sequences} random sequences of requests`, {
    timeout: 180_000 + sequences * 1_000
  }, async () => {
    const mode = fc.constantFrom<Mode>("fixed", "priority", "failover")
    await fc.assert(
      fc.asyncProperty(mode, steps(maxLength), async (mode, sequence) => agree(await worldOfNow(), mode, sequence)),
      {
        numRuns: sequences,
        ...(seed === undefined ? {} : { seed }),
        ...(path === undefined ? {} : { path })
      }
    )
  })
}

describe("the API over memory, and the model of the contract", () => {
  // Other requests may come between a read and a write.
  testOver(setting("POINTSMAN_MODEL_MEMORY") ?? 50, async () => MemoryStorage.layer({ yieldBetween: true }))
})

describe("the API over SQLite, and the model of the contract", () => {
  // In memory too: what is tested is the SQL, not the disk.
  testOver(setting("POINTSMAN_MODEL_SQLITE") ?? 25, async () => SqliteStorage.layer({ filename: ":memory:" }))
})

describe.skipIf(sharedPostgres.url === "")("the API over PostgreSQL, and the model of the contract", () => {
  testOver(setting("POINTSMAN_MODEL_POSTGRES") ?? 10, async () =>
    PostgresStorage.layer({ url: Redacted.make(await newDatabase()), allowAsyncCommit: true })
  )
})
