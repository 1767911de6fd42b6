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

const each =
  (field: "attempts" | "operations" | "refunds" | "events", fields: object) =>
  (change: Change): Change => ({ ...change, [field]: change[field]?.map((one) => ({ ...one, ...fields })) })

const claim =
  (fields: object) =>
  (change: Change): Change => ({
    ...change,
    claim: change.claim && { expected: 0, after: { ...change.claim.after, ...fields } }
  })

const half = { authorizedMinor: 500, capturedMinor: 500 }
const another = { paymentId: "another" }

const broken: Readonly<Record<string, (change: Change) => Change>> = {
  "it authorizes more than was asked": payment({ authorizedMinor: 1001 }),
  "it captures more than was authorized": payment({ authorizedMinor: 500, capturedMinor: 501 }),
  "it refunds more than was captured": payment({ ...half, refundedMinor: 501 }),
  "refunded and pending exceed what was captured": payment({ ...half, refundedMinor: 300, refundPendingMinor: 201 }),
  "an amount is negative": payment({ refundPendingMinor: -1 }),
  "an amount is a fraction": payment({ authorizedMinor: 0.5 }),
  "its payment skips a version": payment({ version: 3 }),
  "its payment is another workspace's": (change) =>
    payment({ tenant: { ...change.tenant, workspaceId: "another" } })(change),
  "its payment is of the other environment": (change) =>
    payment({ tenant: { ...change.tenant, environment: "production" } })(change),
  "an attempt is another payment's": each("attempts", another),
  "an operation is another payment's": each("operations", another),
  "an operation is in another currency": each("operations", { money: money(1000, "USD") }),
  "a refund is another payment's": each("refunds", another),
  "a refund is in another currency": each("refunds", { money: money(1000, "USD") }),
  "a refund is reserved that its payment does not know of": each("refunds", { stage: "Sending" }),
  "an event is another payment's": each("events", another),
  "its claim is another payment's": claim(another),
  "its claim skips a version": claim({ version: 2 })
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
