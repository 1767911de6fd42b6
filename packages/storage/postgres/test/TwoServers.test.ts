/** Two storages on one database, as two servers have them. */

import { describe, expect, it } from "@effect/vitest"
import { itRuns } from "@pointsman/contracts/vitest"
import type { ApiKey } from "@pointsman/core"
import { Deliveries, Directory, type DirectoryContents, Ids, Ledger } from "@pointsman/core/ports"
import { layer } from "@pointsman/storage-postgres"
import { Context, Effect, Layer, Option, type Redacted } from "effect"
import { TestClock } from "effect/testing"
import { newChange, tenant } from "./Given.ts"
import { hasServer, newDatabase } from "./support/TestDatabase.ts"
import { clientOf, until } from "./support/Waiting.ts"

const storageOf = (url: Redacted.Redacted) =>
  Layer.build(Layer.fresh(layer({ url, allowAsyncCommit: true }).pipe(Layer.provide(Ids.layer))))

const apiKey: ApiKey = {
  hash: "h",
  ...tenant,
  scopes: null,
  name: null,
  expiresAt: null,
  networks: null,
  revokedAt: null,
  source: "configuration",
  createdAt: 1
}

const contents = (fields: Partial<DirectoryContents>): DirectoryContents => ({
  workspaces: [{ id: "ws", name: "Shop", country: null, category: null, suspended: false, partner: null }],
  apiKeys: [apiKey],
  connections: [],
  routing: [],
  webhookEndpoints: [],
  ...fields
})

const revokedAt = (directory: Directory["Service"]) =>
  Effect.map(directory.keyHolder("h"), (holder) => Option.getOrThrow(holder).apiKey.revokedAt)

/** A directory that two servers keep, and a client beside them. The clock is stopped. */
const given = Effect.gen(function* () {
  const url = yield* newDatabase
  const [one, other] = [yield* storageOf(url), yield* storageOf(url)]
  const directory = Context.get(other, Directory)
  yield* Context.get(one, Directory).write(contents({}))
  const sql = yield* clientOf(url, 1)
  const isListening = Effect.map(
    sql`select 1 as one from pg_stat_activity where datname = current_database() and query = 'LISTEN "pointsman_directory"'`,
    (rows) => rows.length === 2
  )
  yield* until("both listen", isListening)
  yield* until("the key is known", Effect.map(directory.keyHolder("h"), Option.isSome))
  /** Changes the key behind everybody's back. */
  const revoke = (at: number) =>
    sql.withTransaction(
      Effect.andThen(
        sql`update api_keys set revoked_at = ${at}`,
        sql`update directory_version set version = version + 1`
      )
    )
  /** Until the copy is used: then what is changed behind our back does not show. */
  let changes = 0
  const isKept = Effect.gen(function* () {
    yield* directory.contents
    yield* revoke(++changes)
    return (yield* revokedAt(directory)) !== changes
  })
  yield* until("the copy is used", isKept)
  return { directory, one, other, revoke, sql }
})

describe.skipIf(!hasServer)("two servers", () => {
  itRuns("a kept copy is notified of another's write, and reads it", function* () {
    const { directory, one } = yield* given
    yield* Context.get(one, Directory).write(contents({ apiKeys: [{ ...apiKey, revokedAt: 12_345 }] }))
    yield* until(
      "the revocation is read",
      Effect.map(revokedAt(directory), (at) => at === 12_345)
    )
  })

  itRuns("a copy whose notice did not arrive is compared after a second, and replaced", function* () {
    const { directory, revoke } = yield* given
    yield* revoke(12_345)
    expect(yield* revokedAt(directory)).not.toBe(12_345)
    yield* TestClock.adjust("1 second")
    expect(yield* revokedAt(directory)).toBe(12_345)
  })

  it.effect("a server that lost the line on which it listens uses no copy", () =>
    Effect.gen(function* () {
      const { directory, revoke, sql } = yield* given
      yield* sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query = 'LISTEN "pointsman_directory"'`
      yield* until(
        "no copy is used",
        Effect.gen(function* () {
          yield* revoke(23_456)
          return (yield* revokedAt(directory)) === 23_456
        })
      )
      for (const at of [34_567, 45_678]) {
        yield* revoke(at)
        expect(yield* revokedAt(directory)).toBe(at)
      }
    })
  )

  it.live("an endpoint's limit holds over both servers when both take at once", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      const both = [yield* storageOf(url), yield* storageOf(url)] as const
      yield* Context.get(both[0], Directory).write(
        contents({
          webhookEndpoints: [
            { id: "whe", ...tenant, url: "https://shop.example", events: ["*"], sealedSecret: "sealed", active: true }
          ]
        })
      )
      for (let count = 0; count < 12; count++) yield* Context.get(both[0], Ledger).commit(yield* newChange())
      const takers = Array.from({ length: 16 }, (_, index) => Context.get(both[index % 2] ?? both[0], Deliveries))
      const taken = yield* Effect.forEach(
        takers,
        (deliveries) => deliveries.takeDue({ now: 1, leaseMillis: 60_000, limit: 100, limitPerEndpoint: 5 }),
        { concurrency: "unbounded" }
      )
      const ids = taken.flat().map(({ delivery }) => delivery.id)
      expect(ids).toHaveLength(5)
      expect(new Set(ids).size).toBe(5)
    }).pipe(Effect.provide(Ids.layer))
  )
})
