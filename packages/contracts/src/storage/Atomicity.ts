/** A change that is refused, for whatever reason, leaves nothing of what it carries. */
import { expect } from "@effect/vitest"
import type { Change, CommitFailure } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { firstChange, noTrace, reach, traceOf } from "./Given.ts"
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
    const first = yield* firstChange(tenant, { key: "key-that-is-taken" })
    yield* ledger.commit(first.change)
    const stored = yield* traceOf(first.change)

    const second = yield* firstChange(tenant, { key: "key-that-is-taken" })
    expect((yield* Effect.flip(ledger.commit(second.change)))._tag).toBe("pointsman/KeyTaken")

    expect(yield* traceOf(second.change)).toStrictEqual({ ...noTrace, claim: stored.claim })
    expect(yield* traceOf(first.change)).toStrictEqual(stored)
  })

  it("a free key stays free if its payment is stored already", function* ({ ledger, tenant }) {
    const first = yield* firstChange(tenant)
    yield* ledger.commit(first.change)
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
