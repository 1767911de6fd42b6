/** Behind PgBouncer: in session mode everything works, and every other mode is refused before anything is written. */
import { describe, expect, it } from "@effect/vitest"
import { Directory, Ids, Ledger } from "@pointsman/core/ports"
import { Effect, type Redacted } from "effect"
import { open } from "../src/Database.ts"
import { newChange, tenant, withStorage } from "./Given.ts"
import { isLong } from "./support/LongRuns.ts"
import { findPgBouncer, type PgBouncerOptions, pooled } from "./support/PgBouncer.ts"
import { hasServer, newDatabase } from "./support/TestDatabase.ts"
import { clientOf } from "./support/Waiting.ts"

const reasonOf = (url: Redacted.Redacted) =>
  Effect.map(Effect.flip(withStorage({ url })(Effect.void)), ({ cause }) => String(cause))

describe.skipIf(!hasServer || findPgBouncer() === undefined)("a storage behind PgBouncer", () => {
  for (const options of [
    { poolMode: "transaction" },
    { poolMode: "transaction", roundRobin: true },
    { poolMode: "statement" }
  ] satisfies ReadonlyArray<PgBouncerOptions>) {
    const name = `${options.poolMode} mode${"roundRobin" in options ? ", round-robin" : ""}`
    it.live(`${name} is refused by the storage, which says what to use`, () =>
      Effect.gen(function* () {
        const direct = yield* newDatabase
        const url = yield* pooled(direct, options)
        const refusal = "a connection pooler gives one server session to several clients: expected a direct connection"
        expect(yield* reasonOf(url)).toContain(refusal)
        // Also where its pool has sessions of others already.
        const others = yield* clientOf(url, 3)
        yield* Effect.all(
          Array.from({ length: 3 }, () => others`select pg_sleep(0.1)`),
          { concurrency: "unbounded" }
        ).pipe(Effect.ignore)
        expect(yield* reasonOf(url)).toContain("PgBouncer: pool_mode = session")
        const tables = yield* (yield* clientOf(direct, 1))`select to_regclass('payments')::text as payments`
        expect(tables).toEqual([{ payments: null }])
      }).pipe(Effect.scoped)
    )
  }

  it.live("session mode has the storage's settings, and payments are committed", () =>
    Effect.gen(function* () {
      const url = yield* pooled(yield* newDatabase, { poolMode: "session" })
      yield* withStorage({ url, statementTimeoutMillis: 7_000 })(
        Effect.gen(function* () {
          const ledger = yield* Ledger
          const change = yield* newChange()
          yield* ledger.commit(change)
          expect(yield* ledger.payments(tenant, { limit: 2 })).toEqual([change.payment.after])
          expect((yield* (yield* Directory).contents).workspaces).toEqual([])
        })
      )
      const db = yield* open({ url, statementTimeoutMillis: 7_000 })
      const names = ["statement_timeout", "lock_timeout", "synchronous_commit", "enable_seqscan", "plan_cache_mode"]
      const select = `select ${names.map((name) => `current_setting('${name}') as ${name}`).join(", ")}`
      const expected = {
        statement_timeout: "7s",
        lock_timeout: "5s",
        synchronous_commit: "on",
        enable_seqscan: "off",
        plan_cache_mode: "force_generic_plan"
      }
      for (const found of [
        db.read("test", select),
        db.read("test", select, [], true),
        db.transaction("test", (query) => query(select)),
        Effect.map(
          Effect.flatMap(db.reserve, (connection) => connection.query(select)),
          ({ rows }) => rows
        )
      ]) {
        expect(yield* found).toEqual([expected])
      }
    }).pipe(Effect.scoped, Effect.provide(Ids.layer))
  )

  it.live.skipIf(!isLong)("a pool of one session is refused, with what the storage needs", () =>
    Effect.gen(function* () {
      const url = yield* pooled(yield* newDatabase, { poolMode: "session", poolSize: 1 })
      expect(yield* reasonOf(url)).toContain("the connection pooler gave no second session within 5 s")
    }).pipe(Effect.scoped)
  )
})
