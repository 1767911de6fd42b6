/** What each answer of a provider to a charge means, for everybody to see. */
import type { Money } from "@pointsman/core"
import { type ChargeAnswer, NotSent, Unanswered } from "@pointsman/core/ports"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { answerOf, create, endingAs, expectOutcome, get, type Outcome, type Told } from "./support/Payments.ts"
import { stores } from "./support/Stores.ts"
import { usedWorld } from "./support/UsedWorld.ts"

type Charged = Effect.Effect<ChargeAnswer, NotSent | Unanswered>

interface Row {
  readonly answers: string
  readonly end: Charged
  /** Without it, the row holds of both. */
  readonly method?: "automatic" | "manual"
  readonly outcome: Outcome
  readonly told: ReadonlyArray<Told>
}

const providerRef = "ch_1"
const eur = (minorUnits: number): Money => ({ minorUnits, currency: "EUR" })
const answers = (answer: ChargeAnswer): Charged => Effect.succeed(answer)
const pending = { outcome: { status: "PENDING" }, told: [["payment.pending"]] } satisfies Partial<Row>
const failed = {
  outcome: { status: "FAILED", decline_reason: "provider_error" },
  told: [["payment.failed"]]
} satisfies Partial<Row>
const unknown = { outcome: { status: "UNKNOWN" }, told: [["payment.unknown"]] } satisfies Partial<Row>
const capturedOf = (captured_amount: number) =>
  ({ outcome: { status: "CAPTURED", captured_amount }, told: [["payment.captured"]] }) satisfies Partial<Row>
const declined = (decline_category: string, decline_reason: string, code = decline_category) => {
  const decline = { category: decline_category, code, provider_code: decline_reason, advice: "use_another_method" }
  return {
    outcome: { status: "DECLINED", decline_category, decline_reason, decline },
    told: [["payment.declined", { decline_category, decline_code: decline_reason, decline }]]
  } satisfies Partial<Row>
}
const mismatched = (stated_amount: number, stated_currency: string) =>
  ({
    outcome: { status: "UNKNOWN" },
    told: [["payment.amount_mismatch", { stated_amount, stated_currency }], ["payment.unknown"]]
  }) satisfies Partial<Row>

const rows: ReadonlyArray<Row> = [
  { answers: "captured", end: answers({ _tag: "Captured", providerRef }), ...capturedOf(1000) },
  {
    answers: "authorized",
    method: "manual",
    end: answers({ _tag: "Authorized", providerRef }),
    outcome: { status: "AUTHORIZED" },
    told: [["payment.authorized"]]
  },
  { answers: "authorized", method: "automatic", end: answers({ _tag: "Authorized", providerRef }), ...pending },
  { answers: "pending", end: answers({ _tag: "Pending", providerRef }), ...pending },
  {
    answers: "declined",
    end: answers({ _tag: "Declined", providerRef, category: "insufficient_funds", code: "51", soft: false }),
    ...declined("insufficient_funds", "51")
  },
  {
    answers: "that the customer is wanted",
    end: answers({ _tag: "NeedsCustomer", providerRef }),
    ...declined("authentication_failed", "provider_requires_action", "authentication_required")
  },
  { answers: "rejected", end: answers({ _tag: "Rejected", code: "E1", message: "Not now." }), ...failed },
  {
    answers: "nothing, as it was not reached",
    end: Effect.fail(new NotSent({ reason: "the connection was refused" })),
    ...failed
  },
  { answers: "nothing", end: Effect.fail(new Unanswered({ reason: "timed out" })), ...unknown },
  { answers: "captured, and states 0", end: answers({ _tag: "Captured", providerRef, stated: eur(0) }), ...unknown },
  { answers: "by breaking the connector", end: Effect.die(new Error("hunter2")), ...unknown },
  {
    answers: "captured, and states more",
    end: answers({ _tag: "Captured", providerRef, stated: eur(1001) }),
    ...mismatched(1001, "EUR")
  }
]

describe.each(stores)("over %s", (_name, store) => {
  const world = usedWorld(store)

  for (const { answers, end, method, outcome, told } of rows) {
    for (const capture_method of method === undefined ? (["automatic", "manual"] as const) : [method]) {
      test(`${capture_method} with the answers ${answers} is ${outcome.status}`, async () => {
        world.provider.onCharge = endingAs(end)
        const reply = await create(world, { capture_method, reference: "order-7" })
        expect(answerOf(reply)).toBe("201")
        const { routing, ...payment } = reply.body.data
        expect(routing.attempts).toHaveLength(1)
        const listed = await get(world, `/payments?status=${outcome.status}&limit=1`)
        expect(listed.body.data).toEqual([payment])
        await expectOutcome(world, payment.id, outcome, [["payment.created", { payment_status: "PENDING" }], ...told])
        expect(world.provider.charges).toEqual([
          expect.objectContaining({ capture: capture_method === "automatic", money: eur(1000), reference: "order-7" })
        ])
        expect(world.servers.flatMap(({ log }) => log)).toEqual([])
      })
    }
  }
})
