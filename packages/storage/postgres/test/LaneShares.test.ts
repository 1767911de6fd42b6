/** A node that does not answer, beside others on the same connections. */

import type { PgPool } from "@effect/sql-pg"
import { describe, expect } from "@effect/vitest"
import { itRunsLive } from "@pointsman/contracts/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { makeConnections } from "../src/Connections.ts"

const given = (maxConnections: number) => {
  const pool = {
    config: { maxConnections },
    use: (use: (connection: undefined) => unknown) => Effect.suspend(() => use(undefined) as Effect.Effect<void>)
  } as unknown as PgPool.PgPool
  const { lend } = makeConnections(pool, 1_000)
  const started: Array<string> = []
  const enter = (lane: number | undefined, name: string, statement: Effect.Effect<void> = Effect.never) =>
    Effect.forkChild(
      lend({ operation: "test", isWrite: false, lane }, () => {
        started.push(name)
        return statement
      }),
      { startImmediately: true }
    )
  return { started, enter }
}

describe("shares of nodes", () => {
  itRunsLive("a node whose statements do not end holds its share, and another is served", function* () {
    const { enter, started } = given(10)
    for (let n = 0; n < 10; n++) yield* enter(1, `silent ${n}`)
    expect(started).toHaveLength(5)
    yield* enter(2, "other")
    yield* enter(undefined, "no node")
    expect(started.slice(5)).toEqual(["other", "no node"])
  })

  itRunsLive("the next statement that still waits for its node starts when one leaves", function* () {
    const { enter, started } = given(1)
    const [first, third] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
    const leaving = yield* enter(1, "first", Deferred.await(first))
    const second = yield* enter(1, "second")
    const next = yield* enter(1, "third", Deferred.await(third))
    yield* Fiber.interrupt(second)
    yield* Deferred.succeed(first, undefined)
    yield* Fiber.join(leaving)
    yield* Effect.yieldNow
    expect(started).toEqual(["first", "third"])
    yield* Deferred.succeed(third, undefined)
    yield* Fiber.join(next)
    yield* enter(1, "fourth")
    expect(started).toEqual(["first", "third", "fourth"])
  })
})
