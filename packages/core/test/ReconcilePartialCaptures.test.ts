/** Reports that have a capture of less than was authorized as two rows: the authorization, and what was not captured. */
import { assert, describe } from "@effect/vitest"
import { type Payment, Pointsman } from "@pointsman/core"
import type { ReportRow } from "@pointsman/core/connector"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { operate } from "./support/Operations.ts"
import { stored } from "./support/Pages.ts"
import { day, entriesOf, eur, foundIn, orderOf, paidAt, reconcile, rowOf } from "./support/Reports.ts"
import { captured, capturedBy, unanswered } from "./support/Statements.ts"
import { caller, request, type World, world } from "./support/World.ts"

const authorized = 1999

/** A payment of which that much is captured. */
const capture = (own: World, amountMinor: number, answer: Parameters<typeof capturedBy>[0] = captured) =>
  Effect.tap(capturedBy(answer, amountMinor)(own), () => TestClock.setTime(paidAt + day))

const whole = (payment: Payment, fields: Partial<Omit<ReportRow, "names">> = {}): ReportRow =>
  rowOf(payment, { id: "whole", gross: eur(authorized), ...fields })
const back = (payment: Payment, minorUnits: number, id = "back"): ReportRow =>
  rowOf(payment, { id, kind: "charge_failed", gross: eur(-minorUnits), occurredAt: paidAt + 1 })

const moneyOf = Effect.fnUntraced(function* (payment: Payment) {
  const { capturedMinor, review, state } = yield* stored(payment)
  return [state, capturedMinor, review === null]
})

const closings = Effect.map(entriesOf, (entries) =>
  entries.flatMap(({ closed, openedAt, rowId }) => (openedAt === null ? [] : [[rowId, closed?.by, closed?.note]]))
)

describe("a capture of a part, in two rows", () => {
  for (const [name, order] of [
    ["the authorization first", [0, 1]],
    ["the rest first", [1, 0]]
  ] as const) {
    for (const reports of [1, 2]) {
      itIn(`${name}, in ${reports} reports, settles the payment with what was captured`, world(), function* (own) {
        const payment = yield* capture(own, 1200)
        const rows = [whole(payment), back(payment, 799)]
        const [first, second] = order.map((index) => rows[index]).filter((row) => row !== undefined)
        assert(first !== undefined && second !== undefined)
        if (reports === 1) yield* reconcile(orderOf([first, second]))
        else {
          yield* reconcile(orderOf([first]))
          assert.deepStrictEqual(yield* moneyOf(payment), ["Captured", 1200, true])
          assert.deepStrictEqual(yield* closings, [[first.id, undefined, undefined]])
          yield* reconcile(orderOf([second]))
        }
        assert.deepStrictEqual(yield* moneyOf(payment), ["Settled", 1200, true])
        assert.deepStrictEqual(foundIn(yield* entriesOf), {
          [first.id]: "amount_differs by_id",
          [second.id]: "matched by_id"
        })
        assert.deepStrictEqual(yield* closings, [[first.id, "row", second.id]])
        // A second charge is no part of the pair.
        yield* reconcile(orderOf([whole(payment, { id: "whole again" })]))
        assert.strictEqual(foundIn(yield* entriesOf)["whole again"], "duplicate by_id")
        assert.deepStrictEqual(yield* moneyOf(payment), ["Settled", 1200, true])
      })
    }
  }

  itIn("rows of a capture without an answer do not say how much was captured", world(), function* (own) {
    const payment = yield* capture(own, 1200, unanswered)
    const before = yield* stored(payment)
    assert.strictEqual(before.state, "CaptureUnknown")
    yield* reconcile(orderOf([whole(payment), back(payment, 799)]))
    assert.deepStrictEqual(yield* stored(payment), before)
    assert.deepStrictEqual(foundIn(yield* entriesOf), {
      whole: "status_differs by_id",
      back: "status_differs by_id"
    })
  })
})

describe("a capture that is taken back", () => {
  itIn("a row of another amount than is captured is a difference, and states nothing", world(), function* (own) {
    const payment = yield* capture(own, 1200)
    yield* reconcile(orderOf([rowOf(payment, { id: "charge", gross: eur(1200) }), back(payment, 500)]))
    assert.deepStrictEqual(yield* moneyOf(payment), ["Settled", 1200, true])
    const found = (yield* entriesOf).map(({ expected, result, rowId }) => [rowId, result, expected])
    assert.deepStrictEqual(found, [
      ["back", "amount_differs", "1200 EUR"],
      ["charge", "matched", null]
    ])
  })

  itIn("earlier rows say whether half of an authorization is the rest or the capture", world(), function* (own) {
    own.provider.onCharge = () => Effect.succeed({ _tag: "Authorized", providerRef: "ch_1" })
    const { details, ...rest } = request({ details: { captureMethod: "manual" } })
    const money = { ...details.money, minorUnits: 2000 }
    const { payment } = yield* (yield* Pointsman).create(caller, { ...rest, details: { ...details, money } })
    yield* operate("capture", payment.id, { amountMinor: 1000 })
    yield* TestClock.setTime(paidAt + day)
    yield* reconcile(orderOf([whole(payment, { gross: eur(2000) }), back(payment, 1000)]))
    assert.deepStrictEqual(yield* moneyOf(payment), ["Settled", 1000, true])
    yield* reconcile(orderOf([back(payment, 1000, "failed")]))
    const { review } = yield* stored(payment)
    assert.notStrictEqual(review, null)
  })

  itIn("a capture failed if all that is captured comes back", world(), function* (own) {
    const payment = yield* capture(own, 1200)
    yield* reconcile(orderOf([rowOf(payment, { id: "charge", gross: eur(1200) }), back(payment, 1200)]))
    assert.strictEqual((yield* stored(payment)).review === null, false)
    assert.strictEqual(foundIn(yield* entriesOf)["back"], "status_differs by_id")
  })
})
