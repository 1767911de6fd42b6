/** Each row of the payment table is a test: the given state is reached by walking the table, never written by hand. */
import { expect } from "@effect/vitest"
import { PaymentMachine } from "@pointsman/core/internal"
import { Effect, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import { brokenInvariants } from "../Invariants.ts"
import { drafts, firstChange, moveAlong, reachRow, traceOf } from "./Given.ts"
import { newOperation, newRefund } from "./GivenEntries.ts"
import { chapter } from "./StorageTest.ts"

export const moves = chapter("moves", (it) => {
  for (const row of PaymentMachine.rows) {
    it(`${row.on} takes ${row.from} to ${row.to}`, function* ({ ledger, tenant }) {
      const { told, walked } = yield* reachRow(tenant, row)
      yield* TestClock.adjust("1 second")
      const { after, change } = yield* moveAlong(walked, row)

      yield* ledger.commit(change)

      const stored = yield* traceOf(change)
      expect(Option.getOrThrow(stored.payment)).toStrictEqual(after.payment)
      expect(stored.attempts).toStrictEqual(after.attempts)
      expect(Option.getOrThrow(stored.book)).toStrictEqual(after)
      expect(drafts(stored.timeline)).toStrictEqual([...told, ...change.events])
      expect(brokenInvariants({ ...after, events: stored.timeline })).toEqual([])

      // The same move once more, decided on the state before it, and with all that a change can carry.
      const extra = yield* firstChange(tenant)
      const stale = {
        ...change,
        attempts: extra.change.attempts.map((attempt) => ({ ...attempt, paymentId: after.payment.id })),
        operations: [yield* newOperation(after.payment)],
        refunds: [yield* newRefund(after.payment)],
        claim: { expected: 0, after: { ...extra.claim, paymentId: after.payment.id } }
      }
      expect(yield* Effect.result(ledger.commit(stale))).toMatchObject(Result.fail({ _tag: "pointsman/Stale" }))
      expect(yield* traceOf(stale)).toStrictEqual(stored)
    })
  }
})
