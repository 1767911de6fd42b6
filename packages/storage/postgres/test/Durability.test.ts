/** What a database has to promise before payments are taken on it, and what it is told of while they are. */

import { connect, type Socket } from "node:net"
import type { PgClient } from "@effect/sql-pg"
import { describe, expect } from "@effect/vitest"
import { itRunsLive } from "@pointsman/contracts/vitest"
import { Ledger, StorageCondition } from "@pointsman/core/ports"
import { Effect, Redacted } from "effect"
import { inspect, type PostgresStorageOptions } from "../src/index.ts"
import { newChange, withStorage } from "./Given.ts"
import { type EmbeddedPostgresOptions, findBinaries, startPostgres } from "./support/EmbeddedPostgres.ts"
import { clientOf, until } from "./support/Waiting.ts"

const binaries = findBinaries()

/** A server of the test's own, because its settings are those of all its databases. */
const server = (options: EmbeddedPostgresOptions) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => startPostgres("native" in binaries ? binaries.native : "", options)),
      (started) => Effect.promise(started.stop)
    ),
    ({ url }) => Redacted.make(url)
  )

const conditionOf = (options: PostgresStorageOptions) =>
  withStorage({ allowAsyncCommit: false, ...options })(Effect.flatMap(StorageCondition, ({ read }) => read))

/** As a standby connects, which then asks for nothing. It counts as one until the socket closes. */
const standbyOf = (url: Redacted.Redacted) =>
  Effect.acquireRelease(
    Effect.callback<Socket>((resume) => {
      const socket = connect(Number(new URL(Redacted.value(url)).port), "127.0.0.1")
      const body = Buffer.from("user\0postgres\0replication\0true\0application_name\0standby\0\0")
      const head = Buffer.alloc(8)
      head.writeInt32BE(body.length + 8, 0)
      head.writeInt32BE(196_608, 4)
      socket.once("connect", () => socket.write(Buffer.concat([head, body])))
      socket.once("data", () => resume(Effect.succeed(socket)))
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

/** With what each payment was committed. */
const recordCommits = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  yield* sql`drop table if exists commits_seen`
  yield* sql`create table commits_seen (setting text)`
  yield* sql`create or replace function see_commit() returns trigger language plpgsql as $$
    begin insert into commits_seen values (current_setting('synchronous_commit')); return null; end $$`
  yield* sql`create or replace trigger see_commits after insert on payments for each row execute function see_commit()`
})

describe.skipIf("missing" in binaries)("durability", () => {
  itRunsLive("an open with fsync=off fails unless that is allowed, and then warns", function* () {
    const url = yield* server({ fsync: false })
    const failure = yield* Effect.flip(conditionOf({ url }))
    expect(String(failure.cause)).toContain("fsync is off in the database")
    expect(String(failure.cause)).toContain("POINTSMAN_ALLOW_ASYNC_COMMIT=true (allowAsyncCommit)")
    const allowed = yield* conditionOf({ url, allowAsyncCommit: true })
    expect(allowed).toEqual({
      refusal: null,
      clockAheadMillis: expect.any(Number),
      warnings: [
        expect.stringContaining("fsync is off"),
        // Without fsync, the tests' server writes no page copies either.
        expect.stringContaining("full_page_writes is off")
      ]
    })
    expect((yield* inspect({ url })).durability.faults).toEqual([expect.stringContaining("fsync is off")])
  })

  itRunsLive("sessions commit with `on` at least for each default of synchronous_commit", function* () {
    const url = yield* server({ fsync: true })
    const sql = yield* clientOf(url, 1)
    const found: Record<string, unknown> = {}
    for (const level of ["off", "local", "remote_write", "on", "remote_apply"]) {
      yield* sql.unsafe(`alter role postgres set synchronous_commit = ${level}`)
      yield* withStorage({ url, allowAsyncCommit: false })(
        Effect.gen(function* () {
          yield* recordCommits(sql)
          yield* (yield* Ledger).commit(yield* newChange())
        })
      )
      found[level] = yield* sql`select setting from commits_seen`
    }
    expect(found).toEqual({
      off: [{ setting: "on" }],
      local: [{ setting: "on" }],
      remote_write: [{ setting: "on" }],
      on: [{ setting: "on" }],
      remote_apply: [{ setting: "remote_apply" }]
    })
  })

  itRunsLive("full_page_writes=off, or standbys that no commit waits for, cause a warning", function* () {
    const replicated = { wal_level: "replica", max_wal_senders: "1" }
    const url = yield* server({ fsync: true, settings: { full_page_writes: "off", ...replicated } })
    const one = yield* conditionOf({ url })
    expect(one).toMatchObject({ refusal: null, warnings: [expect.stringContaining("full_page_writes is off")] })
    yield* standbyOf(url)
    const sql = yield* clientOf(url, 1)
    yield* until(
      "the standby is seen",
      Effect.map(sql`select 1 as one from pg_stat_replication`, (rows) => rows.length === 1)
    )
    const other = yield* conditionOf({ url })
    expect(other.warnings).toEqual([
      expect.stringContaining("full_page_writes is off"),
      expect.stringContaining("synchronous_standby_names is empty: a failover to one of them loses")
    ])
  })

  itRunsLive("a storage takes no new work while fsync is off", function* () {
    const url = yield* server({ fsync: "alterable" })
    const sql = yield* clientOf(url, 1)
    const set = (value: "on" | "off") =>
      Effect.andThen(sql.unsafe(`alter system set fsync = ${value}`), sql`select pg_reload_conf()`)
    yield* withStorage({ url, allowAsyncCommit: false })(
      Effect.gen(function* () {
        const { admit, read } = yield* StorageCondition
        yield* admit
        yield* set("off")
        yield* until(
          "new work is refused",
          Effect.map(read, ({ refusal }) => refusal !== null)
        )
        expect(yield* Effect.flip(admit)).toMatchObject({
          _tag: "pointsman/NotAdmitted",
          reason: expect.stringContaining("fsync is off"),
          retryAfterMillis: 1_000
        })
        yield* set("on")
        yield* until(
          "new work is taken again",
          Effect.map(read, ({ refusal }) => refusal === null)
        )
        yield* admit
      })
    )
  })
})
