/** A change that is refused, or whose caller goes away, leaves nothing of what it carries, or is written whole. */
import { expect } from "@effect/vitest"
import type { Change, CommitFailure } from "@pointsman/core/ports"
import { Effect, Exit, Fiber, Option } from "effect"
import { firstChange, noTrace, reach, traceOf, written } from "./Given.ts"
import { newOperation, newRefund, writeEntries } from "./GivenEntries.ts"
import { chapter } from "./StorageTest.ts"

export const atomicity = chapter("atomicity", (it) => {
  const refusals: ReadonlyArray<{
    readonly because: string
    readonly refused: CommitFailure["_tag"]
    readonly spoil: (change: Change) => Change
  }> = [
    {
      because: "its payment is not stored in the version it expects",
      refused: "pointsman/Stale",
      spoil: (change) => ({ ...change, payment: { expected: 1, after: { ...change.payment.after, version: 2 } } })
    },
    {
      because: "its API key is unknown",
      refused: "pointsman/ApiKeyRevoked",
      spoil: (change) => ({ ...change, apiKeyHash: "of no key" })
    },
    {
      because: "its claim is not stored in the version it expects",
      refused: "pointsman/Stale",
      spoil: (change) => ({
        ...change,
        claim: change.claim && { expected: 1, after: { ...change.claim.after, version: 2 } }
      })
    }
  ]

  for (const { because, refused, spoil } of refusals) {
    it(`nothing of a change is written when ${because}`, function* ({ ledger, tenant }) {
      const { change } = yield* firstChange(tenant)
      const spoilt = spoil(change)
      expect((yield* Effect.flip(ledger.commit(spoilt)))._tag).toBe(refused)
      expect(yield* traceOf(spoilt)).toStrictEqual(noTrace)
      // What was refused can be written as it should have been: it left nothing in the way.
      yield* ledger.commit(change)
      expect((yield* traceOf(change)).timeline).toHaveLength(1)
    })

    it(`nothing of a change with an operation and a refund is written when ${because}`, function* ({ ledger, tenant }) {
      const { walked } = yield* reach(tenant, "Captured")
      const { claim } = yield* firstChange(tenant)
      const { after, change } = writeEntries(walked, {
        operations: [yield* newOperation(walked.payment)],
        refunds: [yield* newRefund(walked.payment)]
      })
      const sound = { ...change, claim: { expected: 0, after: { ...claim, paymentId: walked.payment.id } } }
      const stored = yield* traceOf(sound)
      expect((yield* Effect.flip(ledger.commit(spoil(sound))))._tag).toBe(refused)
      expect(yield* traceOf(sound)).toStrictEqual(stored)
      yield* ledger.commit(sound)
      expect((yield* traceOf(sound)).book).toStrictEqual(Option.some(after))
    })
  }

  it("nothing is written of a payment that claims another's key", function* ({ ledger, tenant }) {
    const first = yield* written(firstChange(tenant, { key: "key-that-is-taken" }))
    const stored = yield* traceOf(first.change)

    const second = yield* firstChange(tenant, { key: "key-that-is-taken" })
    expect((yield* Effect.flip(ledger.commit(second.change)))._tag).toBe("pointsman/KeyTaken")

    expect(yield* traceOf(second.change)).toStrictEqual({ ...noTrace, claim: stored.claim })
    expect(yield* traceOf(first.change)).toStrictEqual(stored)
  })

  it("a free key stays free if its payment is stored already", function* ({ ledger, tenant }) {
    const first = yield* written(firstChange(tenant))
    const other = yield* firstChange(tenant)
    const again = {
      ...first.change,
      claim: { expected: 0, after: { ...other.claim, paymentId: first.change.payment.after.id } }
    }
    expect((yield* Effect.flip(ledger.commit(again)))._tag).toBe("pointsman/Stale")
    expect((yield* traceOf(other.change)).claim).toStrictEqual(noTrace.claim)
    expect((yield* traceOf(first.change)).timeline).toHaveLength(1)
  })
})

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
    const next = yield* written(firstChange(tenant))
    expect(Option.isSome(yield* ledger.payment(tenant, next.after.payment.id))).toBe(true)
  })
})
