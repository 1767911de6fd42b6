/**
 * What each answer of a provider to a capture, a void or a refund means, for everybody to see. A provider that refuses or
 * does not answer is in `ErrorRows.test.ts`, and every answer in core's `OperationAnswers.test.ts`.
 */
import type { Money } from "@pointsman/core"
import { NotSent, type OperationAnswer, type RefundAnswer, type Unanswered } from "@pointsman/core/ports"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import {
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

/** The reply, what the payment comes to, and what its timeline tells besides. */
type End = readonly [answer: string, outcome: Outcome, ...told: ReadonlyArray<Told>]

interface Row {
  readonly answers: string
  /** How the call ends; without it the provider does what it is asked. */
  readonly call?: Effect.Effect<OperationAnswer | RefundAnswer, NotSent | Unanswered>
  /** Of the request; of everything unless set. */
  readonly amount?: number
  readonly end: End
  readonly message?: string | RegExp
}

const providerRef = "ch_1"
const providerRefundId = "re_1"
const eur = (minorUnits: number): Money => ({ minorUnits, currency: "EUR" })
const says = (answer: OperationAnswer | RefundAnswer) => Effect.succeed(answer)
const states = (minorUnits: number) => says({ _tag: "Captured", providerRef, stated: eur(minorUnits) })
const notReached = Effect.fail(new NotSent({ reason: "the connection was refused" }))
const breaks = Effect.die(new Error("password of the provider is hunter2"))
const declined = { _tag: "Declined", providerRef, category: "do_not_honor", code: "05", soft: true } as const

const unsent = "Nothing was sent to the provider: the connection was refused."
const refused: End = ["502 psp_error", { status: "AUTHORIZED" }]
const takes = (captured_amount: number, answer = "200"): End => [
  answer,
  { status: "CAPTURED", captured_amount },
  ["payment.captured"]
]
const unknown = (name: "capture" | "void"): End => [
  `502 ${name}_result_unknown`,
  { status: "UNKNOWN" },
  [`payment.${name}_unknown`]
]

const isCaptured = { status: "CAPTURED", captured_amount: 1000 } as const
const refundRefused: End = ["502 psp_error", isCaptured]
const gives = (refunded_amount: number, status: string): End => [
  "200",
  { status, captured_amount: 1000, refunded_amount },
  ["payment.refunded", refundOf(refunded_amount, refunded_amount, 0)]
]
const refundUnknown = (...told: ReadonlyArray<Told>): End => [
  "502 refund_result_unknown",
  { ...isCaptured, refund_pending_amount: 1000 },
  ...told,
  ["payment.refund_unknown", refundOf(1000, 0, 1000)]
]
const mismatched = (stated_amount: number, stated_currency: string) =>
  refundUnknown(["payment.amount_mismatch", { ...refundOf(1000, 0, 1000), stated_amount, stated_currency }])

const failed = (reason: string | null) => says({ _tag: "RefundFailed", providerRefundId, reason })
const dollars = says({ _tag: "Succeeded", providerRefundId, stated: { minorUnits: 900, currency: "USD" } })

const rows: Readonly<Record<OperationName, ReadonlyArray<Row>>> = {
  capture: [
    { answers: "captured", end: takes(1000) },
    { answers: "captured, of a part", amount: 300, end: takes(300) },
    { answers: "pending", call: says({ _tag: "Pending", providerRef }), end: ["200", { status: "PENDING" }] },
    {
      answers: "authorized",
      call: says({ _tag: "Authorized", providerRef }),
      end: refused,
      message: /still authorized/u
    },
    { answers: "declined", call: says(declined), end: refused, message: /declined it: 05/u },
    {
      answers: "rejected, without a word",
      call: says({ _tag: "Rejected", code: "E1", message: " \n" }),
      end: refused,
      message: /rejected/u
    },
    { answers: "nothing, as it was not reached", call: notReached, end: refused, message: unsent },
    { answers: "captured, and states 0", call: states(0), end: unknown("capture") },
    { answers: "by breaking the connector", call: breaks, end: unknown("capture") }
  ],
  void: [
    { answers: "canceled", end: ["200", { status: "CANCELLED" }, ["payment.cancelled"]] },
    { answers: "captured, of a part", call: states(400), end: takes(400, "500 state_conflict") },
    { answers: "captured, and states 0", call: states(0), end: unknown("void") },
    { answers: "by breaking the connector", call: breaks, end: unknown("void") }
  ],
  refund: [
    { answers: "succeeded", end: gives(1000, "REFUNDED") },
    { answers: "succeeded, of a part", amount: 300, end: gives(300, "PARTIALLY_REFUNDED") },
    { answers: "failed", call: failed("insufficient funds"), end: refundRefused, message: "insufficient funds" },
    { answers: "failed, without a reason", call: failed(null), end: refundRefused, message: /refund failed/u },
    { answers: "nothing, as it was not reached", call: notReached, end: refundRefused, message: unsent },
    { answers: "succeeded, and states another currency", call: dollars, end: mismatched(900, "USD") },
    {
      answers: "pending, and states more",
      call: says({ _tag: "RefundPending", providerRefundId, stated: eur(1001) }),
      end: mismatched(1001, "EUR")
    },
    {
      answers: "succeeded, and states 0",
      call: says({ _tag: "Succeeded", providerRefundId, stated: eur(0) }),
      end: refundUnknown()
    },
    { answers: "by breaking the connector", call: breaks, end: refundUnknown() }
  ]
}

describe.each(stores)("over %s", (_name, store) => {
  const world = usedWorld(store)

  for (const operation of ["capture", "void", "refund"] as const) {
    describe(operation, () => {
      for (const { amount, answers, call, end, message } of rows[operation]) {
        const [answer, outcome, ...told] = end
        test(`the answers ${answers} are ${answer}, and ${outcome.status}`, async () => {
          const id = operation === "refund" ? await captured(world) : await authorized(world)
          const ends = () => call
          if (call !== undefined) Object.assign(world.provider, { onCapture: ends, onVoid: ends, onRefund: ends })
          const reply = await operate(world, operation, id, amount === undefined ? {} : { body: { amount } })
          expect(answerOf(reply)).toBe(answer)
          expect(reply.headers.get("idempotent-replay")).toBeNull()
          expect(JSON.stringify(reply.body)).not.toContain("hunter2")
          if (message !== undefined) expect(reply.body.error.message).toMatch(message)
          if (typeof message === "string") expect(reply.body.error.message).toHaveLength(message.length)
          await expectOutcome(world, id, outcome, [
            ...(operation === "refund" ? toldOfCapture : toldOfAuthorization),
            ...told
          ])
          if (answer === "200") expect(reply.body.data).toEqual(await retrieve(world, id))
          const { captures, charges, refunds, voids } = world.provider
          const calls = { capture: captures, void: voids, refund: refunds }
          expect(calls[operation]).toHaveLength(1)
          expect([charges, captures, voids, refunds].flat()).toHaveLength(2)
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
