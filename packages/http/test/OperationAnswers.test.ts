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

type Call = Effect.Effect<OperationAnswer | RefundAnswer, NotSent | Unanswered>

interface Asked {
  /** Of everything unless set. */
  readonly amount?: number
  /** Of the reply. */
  readonly message?: string | RegExp
}

/** Without a call, the provider does what it is asked. */
type Row = readonly [answers: string, call: Call | null, end: End, asked?: Asked]

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

const pending = says({ _tag: "Pending", providerRef })
const stillAuthorized = says({ _tag: "Authorized", providerRef })
const wordless = says({ _tag: "Rejected", code: "E1", message: " \n" })
const pendingMore = says({ _tag: "RefundPending", providerRefundId, stated: eur(1001) })
const nothingBack = says({ _tag: "Succeeded", providerRefundId, stated: eur(0) })

const rows: Readonly<Record<OperationName, ReadonlyArray<Row>>> = {
  capture: [
    ["captured", null, takes(1000)],
    ["captured, of a part", null, takes(300), { amount: 300 }],
    ["pending", pending, ["200", { status: "PENDING" }]],
    ["authorized", stillAuthorized, refused, { message: /still authorized/u }],
    ["declined", says(declined), refused, { message: /declined it: 05/u }],
    ["rejected, without a word", wordless, refused, { message: /rejected/u }],
    ["nothing, as it was not reached", notReached, refused, { message: unsent }],
    ["captured, and states 0", states(0), unknown("capture")],
    ["by breaking the connector", breaks, unknown("capture")]
  ],
  void: [
    ["canceled", null, ["200", { status: "CANCELLED" }, ["payment.cancelled"]]],
    ["captured, of a part", states(400), takes(400, "500 state_conflict")],
    ["captured, and states 0", states(0), unknown("void")],
    ["by breaking the connector", breaks, unknown("void")]
  ],
  refund: [
    ["succeeded", null, gives(1000, "REFUNDED")],
    ["succeeded, of a part", null, gives(300, "PARTIALLY_REFUNDED"), { amount: 300 }],
    ["failed", failed("insufficient funds"), refundRefused, { message: "insufficient funds" }],
    ["failed, without a reason", failed(null), refundRefused, { message: /refund failed/u }],
    ["nothing, as it was not reached", notReached, refundRefused, { message: unsent }],
    ["succeeded, and states another currency", dollars, mismatched(900, "USD")],
    ["pending, and states more", pendingMore, mismatched(1001, "EUR")],
    ["succeeded, and states 0", nothingBack, refundUnknown()],
    ["by breaking the connector", breaks, refundUnknown()]
  ]
}

describe.each(stores)("over %s", (_name, store) => {
  const world = usedWorld(store)

  for (const operation of ["capture", "void", "refund"] as const) {
    describe(operation, () => {
      for (const [answers, call, [answer, outcome, ...told], { amount, message } = {}] of rows[operation]) {
        test(`the answers ${answers} are ${answer}, and ${outcome.status}`, async () => {
          const id = operation === "refund" ? await captured(world) : await authorized(world)
          const ends = () => call
          if (call !== null) Object.assign(world.provider, { onCapture: ends, onVoid: ends, onRefund: ends })
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
