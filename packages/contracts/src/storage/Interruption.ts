/** A caller that goes away never leaves a part of its change. */
import { expect } from "@effect/vitest"
import { Effect, Exit, Fiber, Option } from "effect"
import { firstChange, noTrace, traceOf } from "./Given.ts"
import { chapter } from "./StorageTest.ts"

export const interruption = chapter("interruption", (it) => {
  it("commits are written whole or not at all when their callers are interrupted", function* ({ ledger, tenant }) {
    const changes = yield* Effect.forEach(Array(32).keys(), () => firstChange(tenant))
    const fibers = yield* Effect.forEach(changes, ({ change }) => Effect.forkChild(ledger.commit(change)))
    // Each one is interrupted a little later than the one before it.
    const exits = yield* Effect.forEach(
      fibers,
      Effect.fnUntraced(function* (fiber, index) {
        for (let pause = 0; pause < index % 8; pause++) yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
        return yield* Fiber.await(fiber)
      })
    )

    for (const [index, { after, change, claim }] of changes.entries()) {
      const trace = yield* traceOf(change)
      if (Option.isNone(trace.payment)) {
        expect(trace).toStrictEqual(noTrace)
        expect(Exit.isSuccess(exits[index] as Exit.Exit<void, unknown>)).toBe(false)
      } else {
        expect(trace.payment.value).toStrictEqual(after.payment)
        expect(trace.attempts).toStrictEqual(after.attempts)
        expect(trace.timeline).toHaveLength(1)
        expect(trace.claim).toStrictEqual(Option.some(claim))
      }
    }
    // The ledger keeps working.
    const next = yield* firstChange(tenant)
    yield* ledger.commit(next.change)
    expect(Option.isSome(yield* ledger.payment(tenant, next.after.payment.id))).toBe(true)
  })
})
