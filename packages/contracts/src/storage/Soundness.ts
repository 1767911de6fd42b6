/** A change that breaks a money rule, or does not fit together, dies and writes nothing. */
import { describe, expect } from "@effect/vitest"
import { type Change, Ledger, type Payment } from "@pointsman/core"
import { Cause, Effect, Exit } from "effect"
import { firstChange, moveAlong, newTenant, noTrace, reach, rowOf, traceOf } from "./Given.ts"
import type { StorageTest } from "./StorageTest.ts"

const payment =
  (fields: Partial<Payment>) =>
  (change: Change): Change => ({
    ...change,
    payment: { ...change.payment, after: { ...change.payment.after, ...fields } }
  })

const broken: Readonly<Record<string, (change: Change) => Change>> = {
  "it authorizes more than was asked": payment({ authorizedMinor: 1001 }),
  "it captures more than was authorized": payment({ authorizedMinor: 500, capturedMinor: 501 }),
  "it refunds more than was captured": payment({ authorizedMinor: 500, capturedMinor: 500, refundedMinor: 501 }),
  "refunded and pending exceed what was captured": payment({
    authorizedMinor: 500,
    capturedMinor: 500,
    refundedMinor: 300,
    refundPendingMinor: 201
  }),
  "an amount is negative": payment({ refundPendingMinor: -1 }),
  "an amount is a fraction": payment({ authorizedMinor: 0.5 }),
  "its payment skips a version": payment({ version: 3 }),
  "its payment is another workspace's": (change) =>
    payment({ tenant: { ...change.tenant, workspaceId: "another" } })(change),
  "its payment is of the other environment": (change) =>
    payment({ tenant: { ...change.tenant, environment: "production" } })(change),
  "an attempt is another payment's": (change) => ({
    ...change,
    attempts: change.attempts.map((attempt) => ({ ...attempt, paymentId: "another" }))
  }),
  "an event is another payment's": (change) => ({
    ...change,
    events: change.events.map((event) => ({ ...event, paymentId: "another" }))
  }),
  "its claim is another payment's": (change) =>
    change.claim === undefined
      ? change
      : { ...change, claim: { expected: 0, after: { ...change.claim.after, paymentId: "another" } } },
  "its claim skips a version": (change) =>
    change.claim === undefined
      ? change
      : { ...change, claim: { expected: 0, after: { ...change.claim.after, version: 2 } } }
}

export const soundness = (it: StorageTest): void => {
  describe("soundness", () => {
    for (const [because, spoil] of Object.entries(broken)) {
      it.effect(`given a new payment, when ${because}, then it dies and nothing is written`, () =>
        Effect.gen(function* () {
          const ledger = yield* Ledger
          const { change } = yield* firstChange(yield* newTenant())
          const exit = yield* Effect.exit(ledger.commit(spoil(change)))
          expect(Exit.isFailure(exit) && Cause.hasDies(exit.cause)).toBe(true)
          expect(yield* traceOf(change)).toStrictEqual(noTrace)
        })
      )
    }

    it.effect("given a stored payment, when a move breaks a balance, then it dies and the payment stays", () =>
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const { walked } = yield* reach(yield* newTenant(), "Authorized")
        const { change } = yield* moveAlong(walked, rowOf("Authorized", "CaptureConfirmed"))
        const stored = yield* traceOf(change)
        const exit = yield* Effect.exit(ledger.commit(payment({ capturedMinor: 5000 })(change)))
        expect(Exit.isFailure(exit) && Cause.hasDies(exit.cause)).toBe(true)
        expect(yield* traceOf(change)).toStrictEqual(stored)
      })
    )
  })
}
