/**
 * What each answer of a provider to a capture, a void or a refund means, for everybody to see. A provider that refuses or
 * does not answer is in `ErrorRows.test.ts`.
 */
import type { Money } from "@pointsman/core"
import { NotSent, type OperationAnswer, type RefundAnswer, type Unanswered } from "@pointsman/core/ports"
import type { ScriptedProvider } from "@pointsman/core/testing"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import {
  type Asked,
  answerOf,
  aRefundId,
  authorized,
  captured,
  expectOutcome,
  type OperationName,
  type Outcome,
  operate,
  refundOf,
  retrieve,
  type Told,
  toldOfAuthorization,
  toldOfCapture
} from "./support/Payments.ts"
import { stores } from "./support/Stores.ts"
import { usedWorld } from "./support/UsedWorld.ts"

type Ends<Answer> = Effect.Effect<Answer, NotSent | Unanswered>

interface Row {
  readonly answers: string
  /** How its call ends; without it the provider does what it is asked. */
  readonly end?: (provider: ScriptedProvider) => void
  readonly asked?: Asked
  readonly answer: string
  readonly message?: string | RegExp
  readonly outcome: Outcome
  readonly told?: ReadonlyArray<Told>
}

const capturing = (end: Ends<OperationAnswer>) => (provider: ScriptedProvider) => {
  provider.onCapture = () => end
}
const voiding = (end: Ends<OperationAnswer>) => (provider: ScriptedProvider) => {
  provider.onVoid = () => end
}
const refunding = (end: Ends<RefundAnswer>) => (provider: ScriptedProvider) => {
  provider.onRefund = () => end
}

const providerRef = "ch_1"
const providerRefundId = "re_1"
const eur = (minorUnits: number): Money => ({ minorUnits, currency: "EUR" })
const stands = Effect.succeed<OperationAnswer>({ _tag: "Authorized", providerRef })
const pends = Effect.succeed<OperationAnswer>({ _tag: "Pending", providerRef })
const captures = (stated?: Money) => Effect.succeed<OperationAnswer>({ _tag: "Captured", providerRef, stated })
const declines = Effect.succeed<OperationAnswer>({
  _tag: "Declined",
  providerRef,
  category: "do_not_honor",
  code: "05",
  soft: true
})
const isNotReached = Effect.fail(new NotSent({ reason: "the connection was refused" }))
const breaks = Effect.die(new Error("password of the provider is hunter2"))

const unsent = "Nothing was sent to the provider: the connection was refused."
const authorizedStill: Outcome = { status: "AUTHORIZED" }
const refused = { answer: "502 psp_error", outcome: authorizedStill }
const unknown: Outcome = { status: "UNKNOWN" }
const unknownCapture = {
  answer: "502 capture_result_unknown",
  outcome: unknown,
  told: [["payment.capture_unknown"]] satisfies ReadonlyArray<Told>
}
const unknownVoid = {
  answer: "502 void_result_unknown",
  outcome: unknown,
  told: [["payment.void_unknown"]] satisfies ReadonlyArray<Told>
}

const captureRows: ReadonlyArray<Row> = [
  {
    answers: "captured",
    answer: "200",
    outcome: { status: "CAPTURED", captured_amount: 1000 },
    told: [["payment.captured"]]
  },
  {
    answers: "captured, of a part",
    asked: { body: { amount: 300 } },
    answer: "200",
    outcome: { status: "CAPTURED", captured_amount: 300 },
    told: [["payment.captured"]]
  },
  { answers: "pending", end: capturing(pends), answer: "200", outcome: { status: "PENDING" } },
  { answers: "authorized", end: capturing(stands), ...refused, message: /still authorized/u },
  { answers: "declined", end: capturing(declines), ...refused, message: /declined it: 05/u },
  {
    answers: "rejected, without a word",
    end: capturing(Effect.succeed({ _tag: "Rejected", code: "E1", message: " \n" })),
    ...refused,
    message: /rejected/u
  },
  { answers: "nothing, as it was not reached", end: capturing(isNotReached), ...refused, message: unsent },
  {
    answers: "captured, and states more",
    end: capturing(captures(eur(1001))),
    ...unknownCapture,
    told: [["payment.amount_mismatch", { stated_amount: 1001, stated_currency: "EUR" }], ...unknownCapture.told]
  },
  { answers: "captured, and states 0", end: capturing(captures(eur(0))), ...unknownCapture },
  { answers: "captured, and states half a cent", end: capturing(captures(eur(0.5))), ...unknownCapture },
  { answers: "by breaking the connector", end: capturing(breaks), ...unknownCapture }
]

const voidRows: ReadonlyArray<Row> = [
  { answers: "canceled", answer: "200", outcome: { status: "CANCELLED" }, told: [["payment.cancelled"]] },
  {
    answers: "captured, of a part",
    end: voiding(captures(eur(400))),
    answer: "500 state_conflict",
    outcome: { status: "CAPTURED", captured_amount: 400 },
    told: [["payment.captured"]]
  },
  { answers: "captured, and states 0", end: voiding(captures(eur(0))), ...unknownVoid },
  { answers: "by breaking the connector", end: voiding(breaks), ...unknownVoid }
]

const succeeds = (stated?: Money) => Effect.succeed<RefundAnswer>({ _tag: "Succeeded", providerRefundId, stated })
const isCaptured = { status: "CAPTURED", captured_amount: 1000 } as const
const pending: Outcome = { ...isCaptured, refund_pending_amount: 1000 }
const refundedAll = {
  answer: "200",
  outcome: { status: "REFUNDED", captured_amount: 1000, refunded_amount: 1000 },
  told: [["payment.refunded", refundOf(1000, 1000, 0)]] satisfies ReadonlyArray<Told>
}
const unknownRefund = {
  answer: "502 refund_result_unknown",
  outcome: pending,
  told: [["payment.refund_unknown", refundOf(1000, 0, 1000)]] satisfies ReadonlyArray<Told>
}
const refusedRefund = { answer: "502 psp_error", outcome: isCaptured }
const partlyRefunded = (amount: number) => ({
  answer: "200",
  outcome: { status: "PARTIALLY_REFUNDED", captured_amount: 1000, refunded_amount: amount },
  told: [["payment.refunded", refundOf(amount, amount, 0)]] satisfies ReadonlyArray<Told>
})
const mismatchedRefund = (stated_amount: number, stated_currency: string) => ({
  ...unknownRefund,
  told: [
    ["payment.amount_mismatch", { ...refundOf(1000, 0, 1000), stated_amount, stated_currency }],
    ...unknownRefund.told
  ] satisfies ReadonlyArray<Told>
})

const refundRows: ReadonlyArray<Row> = [
  { answers: "succeeded", ...refundedAll },
  { answers: "succeeded, of a part", asked: { body: { amount: 300 } }, ...partlyRefunded(300) },
  { answers: "succeeded, of more than was there", asked: { body: { amount: 5000 } }, ...refundedAll },
  {
    answers: "failed",
    end: refunding(Effect.succeed({ _tag: "RefundFailed", providerRefundId, reason: "insufficient funds" })),
    ...refusedRefund,
    message: "insufficient funds"
  },
  {
    answers: "failed, without a reason",
    end: refunding(Effect.succeed({ _tag: "RefundFailed", providerRefundId, reason: null })),
    ...refusedRefund,
    message: /refund failed/u
  },
  { answers: "nothing, as it was not reached", end: refunding(isNotReached), ...refusedRefund, message: unsent },
  {
    answers: "succeeded, and states another currency",
    end: refunding(succeeds({ minorUnits: 900, currency: "USD" })),
    ...mismatchedRefund(900, "USD")
  },
  {
    answers: "pending, and states more",
    end: refunding(Effect.succeed({ _tag: "RefundPending", providerRefundId, stated: eur(1001) })),
    ...mismatchedRefund(1001, "EUR")
  },
  {
    answers: "succeeded, without a refund id",
    end: refunding(Effect.succeed({ _tag: "Succeeded", providerRefundId: "" })),
    ...unknownRefund
  },
  { answers: "succeeded, and states 0", end: refunding(succeeds(eur(0))), ...unknownRefund },
  { answers: "by breaking the connector", end: refunding(breaks), ...unknownRefund }
]

const tables: ReadonlyArray<readonly [OperationName, ReadonlyArray<Row>]> = [
  ["capture", captureRows],
  ["void", voidRows],
  ["refund", refundRows]
]

describe.each(stores)("over %s", (_name, store) => {
  const world = usedWorld(store)

  for (const [operation, rows] of tables) {
    describe(operation, () => {
      for (const { answer, answers, asked, end, message, outcome, told = [] } of rows) {
        test(`the answers ${answers} are ${answer}, and ${outcome.status}`, async () => {
          const id = operation === "refund" ? await captured(world) : await authorized(world)
          end?.(world.provider)
          const reply = await operate(world, operation, id, asked)
          expect(answerOf(reply)).toBe(answer)
          expect(reply.headers.get("idempotent-replay")).toBeNull()
          expect(JSON.stringify(reply.body)).not.toContain("hunter2")
          if (message !== undefined) expect(reply.body.error.message).toMatch(message)
          if (typeof message === "string") expect(reply.body.error.message).toHaveLength(message.length)
          const before = operation === "refund" ? toldOfCapture : toldOfAuthorization
          await expectOutcome(world, id, outcome, [...before, ...told])
          if (answer === "200") expect(reply.body.data).toEqual(await retrieve(world, id))
          const { captures, charges, refunds, voids } = world.provider
          expect([charges, captures, voids, refunds].map((calls) => calls.length)).toEqual([
            1,
            operation === "capture" ? 1 : 0,
            operation === "void" ? 1 : 0,
            operation === "refund" ? 1 : 0
          ])
          expect(world.servers.flatMap(({ log }) => log)).toEqual([])
        })
      }
    })
  }

  test("the provider of a refund receives the reason, the clamped amount and our id", async () => {
    const id = await captured(world)
    await operate(world, "refund", id, { body: { amount: 2500, reason: "two 𝔛" } })
    expect(world.provider.refunds).toEqual([
      expect.objectContaining({ refundId: aRefundId, money: eur(1000), reason: "two 𝔛", connectionId: "main" })
    ])
  })

  test("a pending part and the rest refunded are both returned, and nothing is lost", async () => {
    const id = await captured(world)
    world.provider.onRefund = () => Effect.succeed({ _tag: "RefundPending", providerRefundId })
    expect(answerOf(await operate(world, "refund", id, { body: { amount: 300 } }))).toBe("409 refund_pending")
    world.provider.onRefund = () => Effect.succeed({ _tag: "Succeeded", providerRefundId: `${providerRefundId}-2` })
    expect(answerOf(await operate(world, "refund", id))).toBe("200")
    await expectOutcome(
      world,
      id,
      { status: "PARTIALLY_REFUNDED", captured_amount: 1000, refunded_amount: 700, refund_pending_amount: 300 },
      [
        ...toldOfCapture,
        ["payment.refund_pending", { ...refundOf(300, 0, 300), payment_status: "CAPTURED" }],
        ["payment.refunded", refundOf(700, 700, 300)]
      ]
    )
  })
})
