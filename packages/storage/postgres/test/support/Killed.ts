/** Commits to servers of a database that are killed meanwhile. */
import type { PgClient } from "@effect/sql-pg"
import { type Change, Ledger } from "@pointsman/core/ports"
import { Effect, Fiber, Option, type Redacted, Result } from "effect"
import { expect } from "vitest"
import { newChange, tenant } from "../Given.ts"
import { holdKey } from "./HeldKey.ts"
import { clientOf, until } from "./Waiting.ts"

const writers = 16
/** One round takes a second or two. */
export const rounds = Number(process.env["POINTSMAN_POSTGRES_KILLS"] ?? 1)

export interface Killed {
  /** The server that has the payments, where a transaction in the way of a commit is seen. */
  readonly holder: Redacted.Redacted
  /** What that transaction sets first. */
  readonly setting?: string
  readonly kill: () => Promise<unknown>
  readonly restart: () => Promise<unknown>
}

interface Attempted {
  readonly change: Change
  readonly outcome: "written" | "not written" | "unknown"
}

/** Each commit matches its caller's response, after each of the kills. */
export const survives = (server: Killed) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    for (let round = 0; round < rounds; round++) {
      const attempted: Array<Attempted> = []
      let isOver = false
      const write = Effect.gen(function* () {
        while (!isOver) {
          const change = yield* newChange()
          const result = yield* Effect.result(ledger.commit(change))
          const outcome = outcomeOf(result)
          attempted.push({ change, outcome })
          // While nobody listens it would be refused thousands of times.
          if (outcome !== "written") yield* Effect.sleep("10 millis")
        }
      })
      const fibers = yield* Effect.forEach(Array(writers).keys(), () => Effect.forkChild(write))
      yield* until(
        "commits are under way",
        Effect.sync(() => attempted.length >= 5 * writers)
      )
      const underWay = yield* newChange()
      const held = yield* killDuring(server, ledger.commit(underWay), underWay.claim.after.key)
      yield* until(
        "a commit failed",
        Effect.sync(() => attempted.some(({ outcome }) => outcome !== "written"))
      )
      const acknowledged = attempted.length
      yield* Effect.promise(server.restart)
      // They go on by themselves.
      yield* until(
        "commits are written again",
        Effect.sync(() => attempted.slice(acknowledged).some(({ outcome }) => outcome === "written"))
      )
      isOver = true
      yield* Fiber.awaitAll(fibers)
      const outcome = outcomeOf(yield* Fiber.join(held))
      expect(outcome).toBe("unknown")
      attempted.push({ change: underWay, outcome })

      const counts = Map.groupBy(attempted, ({ outcome }) => outcome)
      expect(counts.get("written")?.length).toBeGreaterThan(5 * writers)
      for (const { change, outcome } of attempted) {
        const { id } = change.payment.after
        const book = yield* ledger.book(tenant, id)
        const timeline = yield* ledger.timeline(tenant, id, { limit: 10 })
        const claim = yield* ledger.claim(tenant, change.claim?.after.key ?? "")
        const isThere = Option.isSome(book)
        if (outcome !== "unknown") expect(isThere).toBe(outcome === "written")
        expect(timeline).toHaveLength(isThere ? 1 : 0)
        expect(Option.isSome(claim)).toBe(isThere)
        if (isThere) expect(book.value.attempts).toStrictEqual(change.attempts)
      }
    }
  })

/**
 * Kills the server while it is at work on the commit, which waits for a transaction that claimed its key first: whether
 * one of the others is under way at that moment depends on the machine.
 */
const killDuring = <E>(server: Killed, commit: Effect.Effect<void, E>, key: string) =>
  Effect.gen(function* () {
    const [holder, sql] = [yield* clientOf(server.holder, 1), yield* clientOf(server.holder, 1)]
    const fibers: Array<Fiber.Fiber<Result.Result<void, E>>> = []
    let isKilled = false
    const held = Effect.gen(function* () {
      if (server.setting !== undefined) yield* holder.unsafe(server.setting)
      yield* holdKey(holder, tenant, key)
      const [row] = yield* holder<{ pid: number }>`select pg_backend_pid() as pid`
      fibers.push(yield* Effect.forkDetach(Effect.result(commit)))
      yield* untilBehind(sql, row?.pid ?? 0)
      yield* Effect.promise(server.kill)
      isKilled = true
    })
    // Its transaction is lost with the server.
    const exit = yield* Effect.exit(holder.withTransaction(held))
    const [fiber] = fibers
    if (!isKilled || fiber === undefined) throw new Error(`the server was not killed: ${exit}`)
    return fiber
  }).pipe(Effect.scoped)

/** Until a statement waits for the transaction of this process of the server. */
const untilBehind = (sql: PgClient.PgClient, pid: number) =>
  until(
    "the commit waits",
    Effect.map(
      sql`select 1 as one from pg_stat_activity where ${pid} = any(pg_blocking_pids(pid))`,
      (found) => found.length > 0
    )
  )

const outcomeOf = (result: Result.Result<unknown, { readonly _tag: string }>): Attempted["outcome"] => {
  if (Result.isSuccess(result)) return "written"
  expect(["pointsman/StorageError", "pointsman/CommitUnknown"]).toContain(result.failure._tag)
  return result.failure._tag === "pointsman/CommitUnknown" ? "unknown" : "not written"
}
