/** The steps of a payment in the order of time, in words. */
import { type AttemptOutcome, attemptOutcomes, eventTypes, operationOutcomes, refundStages } from "@pointsman/core"
import { assert, describe, it } from "vitest"
import type { PaymentFile } from "../src/payments/PaymentRecords.ts"
import { stepsOf } from "../src/payments/PaymentSteps.ts"

const at = (second: number) => `2026-11-24T20:00:${String(second).padStart(2, "0")}.000Z`

const attempt = (number: number, connection_id: string): PaymentFile["attempts"][number] => ({
  id: `att_${number}`,
  number,
  connection_id,
  amount: 1999,
  currency: "EUR",
  sent: at(number),
  answered: at(number),
  outcome: "Captured",
  decline_category: null,
  code: null,
  reason: null,
  provider_reference: null
})

const operation: PaymentFile["operations"][number] = {
  id: "op_1",
  kind: "capture",
  amount: 500,
  currency: "EUR",
  connection_id: "second",
  sent: at(5),
  answered: at(6),
  outcome: "Confirmed",
  code: null,
  reason: null
}

const refund: PaymentFile["refunds"][number] = {
  id: "rf_1",
  origin: "api",
  stage: "Succeeded",
  amount: 500,
  currency: "EUR",
  reason: null,
  connection_id: "second",
  sent: at(8),
  settled: at(9),
  failure_reason: null
}

const file = (parts: Partial<PaymentFile>): PaymentFile => ({
  payment: { created: at(0) } as PaymentFile["payment"],
  authorized_amount: 0,
  connection_id: null,
  provider_reference: null,
  review: null,
  routing: {
    mode: "failover",
    path: "engine",
    rule: null,
    note: null,
    candidates: [
      { connection_id: "first", name: "The first", score: null },
      { connection_id: "second", name: "The second", score: null }
    ],
    excluded: [{ connection_id: "third", name: "The third", code: "CURRENCY_NOT_SUPPORTED", reason: "It takes no EUR" }]
  },
  attempts: [],
  operations: [],
  refunds: [],
  events: [],
  ...parts
})

describe("the steps of a payment", () => {
  it("exclusions, failover, capture, refund and events follow one another in time", () => {
    const declined = { ...attempt(1, "first"), answered: at(2), outcome: "Declined", code: "05", reason: "no" } as const
    const steps = stepsOf(
      file({
        attempts: [declined, { ...attempt(3, "second"), outcome: "Authorized", answered: at(4) }],
        operations: [operation],
        refunds: [refund],
        events: [
          { id: "evt_1", type: "payment.created", created: at(0) },
          { id: "evt_2", type: "payment.authorized", created: at(4) },
          { id: "evt_3", type: "payment.captured", created: at(6) },
          { id: "evt_4", type: "payment.refunded", created: at(9) }
        ]
      })
    )
    assert.deepStrictEqual(
      steps.map(({ mark, words }) => [mark, words]),
      [
        ["event", "The payment was created"],
        ["excluded", "The third was not asked: It takes no EUR"],
        ["asked", "The first was asked to charge €19.99"],
        ["bad", "The first declined the payment"],
        ["asked", "The second was asked to charge €19.99"],
        ["good", "The second authorized the payment"],
        ["event", "The amount is authorized"],
        ["asked", "The second was asked to capture €5.00"],
        ["good", "The second confirmed it"],
        ["event", "The payment is captured"],
        ["asked", "The second was asked to refund €5.00"],
        ["good", "The second confirmed it"],
        ["event", "A refund is confirmed"]
      ]
    )
    assert.deepStrictEqual(steps[3]?.details, ["no", "05"])
  })

  it("a failed payment says why each remaining connection was not asked", () => {
    const lastOf = (outcome: AttemptOutcome) =>
      stepsOf(file({ attempts: [{ ...attempt(1, "first"), outcome, answered: at(2) }] })).at(-1)
    assert.deepInclude(lastOf("Declined"), {
      at: at(2),
      mark: "excluded",
      words: "The second was not asked: the decline before it ended the payment"
    })
    assert.include(lastOf("Unanswered")?.words, "the customer must not pay twice")
    assert.strictEqual(lastOf("Captured")?.words, "The first captured the payment")
  })

  it("every outcome, stage and event type has words, also of a call in flight", () => {
    for (const outcome of [...attemptOutcomes, null]) {
      const steps = stepsOf(file({ attempts: [{ ...attempt(1, "first"), outcome, answered: null }] }))
      assert.match(steps.find(({ mark }) => mark !== "asked" && mark !== "excluded")?.words ?? "", /^The first \w+ /u)
    }
    for (const outcome of [...operationOutcomes, null]) {
      for (const kind of ["capture", "void"] as const) {
        assert.match(
          stepsOf(file({ operations: [{ ...operation, kind, outcome }] })).at(-1)?.words ?? "",
          /^The second /u
        )
      }
    }
    for (const stage of refundStages) {
      assert.match(stepsOf(file({ refunds: [{ ...refund, stage }] })).at(-1)?.words ?? "", /^The second /u)
    }
    for (const type of eventTypes) {
      const steps = stepsOf(file({ routing: null, events: [{ id: "evt_1", type, created: at(1) }] }))
      assert.deepStrictEqual(steps[0]?.details, [type])
      assert.isNotEmpty(steps[0]?.words)
    }
  })
})
