/** Steps that tests of many subjects take. */
import { assert } from "@effect/vitest"
import { Ledger, Settlements } from "@pointsman/core/ports"
import type { CommitFault } from "@pointsman/core/testing"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { World } from "./World.ts"

/** How the commits of one write may end, one after the other, before it is known whether it was written. */
export const unknownFates: ReadonlyArray<ReadonlyArray<CommitFault>> = [
  ["lost"],
  ["unheard"],
  ["lost", "lost"],
  ["lost", "unheard"],
  ["unheard", "lost"],
  ["unheard", "unheard"],
  ["unheard", "lost", "lost"],
  ["lost", "unwritten"],
  ["unheard", "unwritten", "unheard"],
  [{ landsAfter: 10 }],
  ["lost", { landsAfter: 10 }]
]

/** As many at the same moment. */
export const atOnce = <A, E, R>(count: number, one: () => Effect.Effect<A, E, R>) =>
  Effect.all(Array.from({ length: count }, one), { concurrency: "unbounded" })

/** Its end, for which a test lets so many simulated milliseconds pass. */
export const endAfter = <A, E, R>(millis: number, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect)
    yield* TestClock.adjust(millis)
    return yield* Fiber.join(fiber)
  })

/** Compares one field of every row, or a list of them, with what is expected of each row. */
export const assertFields = <Row, const Key extends keyof Row>(
  rows: ReadonlyArray<Row> | undefined,
  keys: Key | ReadonlyArray<Key>,
  ...expected: ReadonlyArray<unknown>
): void => {
  const fieldsOf = (row: Row) => (typeof keys === "object" ? keys.map((key) => row[key]) : row[keys])
  assert.deepStrictEqual<unknown>(rows?.map(fieldsOf), expected)
}

/** Another process, which dies at its write of that number to payments or reports: before it, or after it. */
export const dyingAt = Effect.fnUntraced(function* (own: World, at: number, dies: "never" | "before" | "after") {
  const ledger = yield* Ledger
  const settlements = yield* Settlements
  let writes = 0
  const died = Effect.die(new Error("the process died"))
  const dying = <A, E, R>(write: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      writes += 1
      if (writes !== at || dies === "never") return write
      return dies === "before" ? died : Effect.andThen(write, died)
    })
  const applyBatch: typeof settlements.applyBatch = (batch) => dying(settlements.applyBatch(batch))
  return yield* own.another.pipe(
    Effect.provideService(Ledger, { ...ledger, commit: (change) => dying(ledger.commit(change)) }),
    Effect.provideService(Settlements, { ...settlements, applyBatch })
  )
})
