/** A change that breaks a money rule, or does not fit together, dies and writes nothing. */
import { expect } from "@effect/vitest"
import { money, type Payment } from "@pointsman/core"
import type { Change } from "@pointsman/core/ports"
import { dies, firstChange, moveAlong, reach, rowOf, traceOf } from "./Given.ts"
import { newOperation, newRefund } from "./GivenEntries.ts"
import { chapter } from "./StorageTest.ts"

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
  "an operation is another payment's": (change) => ({
    ...change,
    operations: change.operations?.map((operation) => ({ ...operation, paymentId: "another" }))
  }),
  "an operation is in another currency": (change) => ({
    ...change,
    operations: change.operations?.map((operation) => ({ ...operation, money: money(1000, "USD") }))
  }),
  "a refund is another payment's": (change) => ({
    ...change,
    refunds: change.refunds?.map((refund) => ({ ...refund, paymentId: "another" }))
  }),
  "a refund is in another currency": (change) => ({
    ...change,
    refunds: change.refunds?.map((refund) => ({ ...refund, money: money(1000, "USD") }))
  }),
  "a refund is reserved that its payment does not know of": (change) => ({
    ...change,
    refunds: change.refunds?.map((refund) => ({ ...refund, stage: "Sending" }))
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

export const soundness = chapter("soundness", (it) => {
  for (const [because, spoil] of Object.entries(broken)) {
    it(`a new payment dies and writes nothing when ${because}`, function* ({ ledger, tenant }) {
      const { after, change: first } = yield* firstChange(tenant)
      const change: Change = {
        ...first,
        operations: [yield* newOperation(after.payment, { money: money(1000, "EUR") })],
        refunds: [yield* newRefund(after.payment, { stage: "Refused", money: money(1000, "EUR") })]
      }
      yield* dies(spoil(change))
      // What breaks it is what was spoilt.
      yield* ledger.commit(change)
      expect((yield* traceOf(change)).timeline).toHaveLength(1)
    })
  }

  it("a move that breaks a balance dies and the payment stays", function* ({ tenant }) {
    const { walked } = yield* reach(tenant, "Authorized")
    const { change } = yield* moveAlong(walked, rowOf("Authorized", "CaptureConfirmed"))
    yield* dies(payment({ capturedMinor: 5000 })(change))
  })
})
