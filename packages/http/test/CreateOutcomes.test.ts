/** What each answer of a provider to a charge means, for everybody to see. */
import type { Money } from "@pointsman/core"
import { type ChargeAnswer, NotSent, Unanswered } from "@pointsman/core/ports"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { answerOf, create, endingAs, expectOutcome, get, type Outcome, type Told } from "./support/Payments.ts"
import { stores } from "./support/Stores.ts"
import { usedWorld } from "./support/UsedWorld.ts"

type Charged = Effect.Effect<ChargeAnswer, NotSent | Unanswered>
type End = readonly [outcome: Outcome, ...told: ReadonlyArray<Told>]

/** Without a method, the row holds of both. */
type Row = readonly [answers: string, call: Charged, end: End, method?: "automatic" | "manual"]

const providerRef = "ch_1"
const eur = (minorUnits: number): Money => ({ minorUnits, currency: "EUR" })
const says = (answer: ChargeAnswer): Charged => Effect.succeed(answer)
const captured = (minorUnits?: number) =>
  says({ _tag: "Captured", providerRef, ...(minorUnits === undefined ? {} : { stated: eur(minorUnits) }) })
const authorized = says({ _tag: "Authorized", providerRef })
const rejected = says({ _tag: "Rejected", code: "E1", message: "Not now." })
const insufficient = says({ _tag: "Declined", providerRef, category: "insufficient_funds", code: "51", soft: false })
const notReached = Effect.fail(new NotSent({ reason: "the connection was refused" }))
const silence = Effect.fail(new Unanswered({ reason: "timed out" }))

const pending: End = [{ status: "PENDING" }, ["payment.pending"]]
const failed: End = [{ status: "FAILED", decline_reason: "provider_error" }, ["payment.failed"]]
const unknown: End = [{ status: "UNKNOWN" }, ["payment.unknown"]]
const mismatched: End = [
  { status: "UNKNOWN" },
  ["payment.amount_mismatch", { stated_amount: 1001, stated_currency: "EUR" }],
  ["payment.unknown"]
]
const declined = (decline_category: string, decline_reason: string, code = decline_category): End => {
  const decline = { category: decline_category, code, provider_code: decline_reason, advice: "use_another_method" }
  return [
    { status: "DECLINED", decline_category, decline_reason, decline },
    ["payment.declined", { decline_category, decline_code: decline_reason, decline }]
  ]
}
const challenged = declined("authentication_failed", "provider_requires_action", "authentication_required")

const rows: ReadonlyArray<Row> = [
  ["captured", captured(), [{ status: "CAPTURED", captured_amount: 1000 }, ["payment.captured"]]],
  ["authorized", authorized, [{ status: "AUTHORIZED" }, ["payment.authorized"]], "manual"],
  ["authorized", authorized, pending, "automatic"],
  ["pending", says({ _tag: "Pending", providerRef }), pending],
  ["declined", insufficient, declined("insufficient_funds", "51")],
  ["that the customer is wanted", says({ _tag: "NeedsCustomer", providerRef }), challenged],
  ["rejected", rejected, failed],
  ["nothing, as it was not reached", notReached, failed],
  ["nothing", silence, unknown],
  ["captured, and states 0", captured(0), unknown],
  ["by breaking the connector", Effect.die(new Error("hunter2")), unknown],
  ["captured, and states more", captured(1001), mismatched]
]

describe.each(stores)("over %s", (_name, store) => {
  const world = usedWorld(store)

  for (const [answers, call, [outcome, ...told], method] of rows) {
    for (const capture_method of method === undefined ? (["automatic", "manual"] as const) : [method]) {
      test(`${capture_method} with the answers ${answers} is ${outcome.status}`, async () => {
        world.provider.onCharge = endingAs(call)
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
