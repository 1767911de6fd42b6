/**
 * Reminders of a dispute's deadline: 7, 3 and 1 days before it, each once, whatever dies and however clocks are turned.
 * And a submission under a clock that jumps ahead: "never received" is not believed before its age.
 */
import { assert, describe } from "@effect/vitest"
import { Pointsman } from "@pointsman/core"
import { StorageClock, Unanswered } from "@pointsman/core/ports"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { answer, begin, day, disputed, keep, read, state } from "./support/Disputes.ts"
import { itHere, itIn } from "./support/ItIn.ts"
import { ahead, given } from "./support/SetClock.ts"
import { tenant, world } from "./support/World.ts"

/** The days of the reminders so far. */
const reminded = Effect.fnUntraced(function* (paymentId: string) {
  const { items } = yield* (yield* Pointsman).timeline(tenant, paymentId, { limit: 100 })
  return items.filter(({ type }) => type === "dispute.evidence_due").map(({ data }) => data["days"])
})

const check = Effect.flatMap(Pointsman, (pointsman) => pointsman.checkDue)

/** With ten days for an answer. */
const at = (days: number) => TestClock.setTime(begin + (10 - days) * day)

describe("reminders of a deadline", () => {
  itHere("an hourly check gives one reminder for each of 7, 3 and 1 days, at its time", function* () {
    const { payment } = yield* disputed()
    const seen: Array<readonly [number, unknown]> = []
    for (let hour = 1; hour <= 11 * 24; hour++) {
      yield* TestClock.setTime(begin + (hour * day) / 24)
      yield* check
      const days = yield* reminded(payment.id)
      if (days.length > seen.length) seen.push([hour / 24, days.at(-1)])
    }
    assert.deepStrictEqual(seen, [
      [3, 7],
      [7, 3],
      [9, 1]
    ])
  })

  for (const [title, moments, expected] of [
    ["only the last reminder is announced when a clock jumps over several", [2, -2, -2], [3, 1]],
    [
      "no reminder comes twice when a clock is turned back and forth",
      [6.5, 9, 6.9, 2.5, 9.5, 6, 2.9, 0.5, 8, 0.1],
      [7, 3, 1]
    ]
  ] as const) {
    itHere(title, function* () {
      const { payment } = yield* disputed()
      for (const days of moments) yield* Effect.andThen(at(days), check)
      assert.deepStrictEqual<unknown>(yield* reminded(payment.id), expected)
    })
  }

  for (const fault of ["unwritten", "lost", "unheard"] as const) {
    itHere(`each reminder whose commit ends ${fault} is announced once at the next check`, function* (own) {
      const { payment } = yield* disputed()
      const failed = new Set<unknown>()
      own.ledger.onCommit = (_, { events }) => {
        const due = events.find(({ type }) => type === "dispute.evidence_due")?.data["days"]
        if (due === undefined || failed.has(due)) return undefined
        failed.add(due)
        return fault
      }
      for (const days of [7, 6.9, 3, 2.9, 1, 0.9]) {
        yield* at(days)
        yield* check
      }
      assert.deepStrictEqual(yield* reminded(payment.id), [7, 3, 1])
      assert.strictEqual(failed.size, 3)
    })
  }

  const several = world({ yieldBetween: true })
  itIn("each reminder is announced once by several processes that check at once", several, function* () {
    const { payment } = yield* disputed()
    const others = yield* Effect.all([several.another, several.another, several.another])
    for (const days of [7, 3, 1]) {
      yield* at(days)
      yield* Effect.all([check, ...others.map(({ checkDue }) => checkDue)], { concurrency: "unbounded" })
    }
    assert.deepStrictEqual(yield* reminded(payment.id), [7, 3, 1])
  })

  itHere("evidence at the provider has no reminders until it is requested again", function* () {
    const { dispute, payment } = yield* disputed()
    yield* keep(dispute.id)
    yield* answer(dispute.id)
    yield* at(6)
    yield* check
    assert.deepStrictEqual(yield* reminded(payment.id), [])
    assert.isNull((yield* read(dispute.id)).checkAt)
    yield* state(payment.providerRef, { verdict: "opened" }, begin + 5 * day)
    yield* check
    assert.deepStrictEqual(yield* reminded(payment.id), [7])
  })

  itHere("a new round announces its own deadline, and not that of the round before", function* () {
    const { dispute, payment } = yield* disputed()
    yield* at(2)
    yield* check
    assert.deepStrictEqual(yield* reminded(payment.id), [3])
    yield* state(payment.providerRef, { verdict: "won" }, begin + 8 * day)
    yield* state(payment.providerRef, { verdict: "opened" }, begin + 8 * day + 1)
    yield* at(0.5)
    yield* check
    assert.deepStrictEqual(yield* reminded(payment.id), [3])
    assert.isNull((yield* read(dispute.id)).checkAt)
    yield* state(payment.providerRef, { dueBy: begin + 20 * day }, begin + 8 * day + 2)
    for (const days of [7, 3, 1]) {
      yield* TestClock.setTime(begin + (20 - days) * day)
      yield* check
    }
    assert.deepStrictEqual(yield* reminded(payment.id), [3, 7, 3, 1])
  })

  itHere("a dispute that has ended has no reminders", function* () {
    const { payment } = yield* disputed()
    yield* state(payment.providerRef, { verdict: "won" }, begin + 1)
    yield* at(0.5)
    yield* check
    assert.deepStrictEqual(yield* reminded(payment.id), [])
  })

  itHere("the deadline is still announced if a submission's result is unknown", function* (own) {
    const { dispute, payment } = yield* disputed()
    yield* keep(dispute.id)
    own.provider.onSubmitDispute = () => Effect.fail(new Unanswered({ reason: "no answer" }))
    yield* answer(dispute.id)
    yield* at(1)
    yield* check
    assert.deepStrictEqual(yield* reminded(payment.id), [1])
  })

  itHere("only a later deadline is announced anew when it moves by a minute or by weeks", function* () {
    const { payment } = yield* disputed()
    yield* at(6)
    yield* check
    yield* state(payment.providerRef, { dueBy: begin + 10 * day + 60_000 }, begin + 1)
    yield* check
    assert.deepStrictEqual(yield* reminded(payment.id), [7])
    yield* state(payment.providerRef, { dueBy: begin + 40 * day }, begin + 2)
    yield* check
    assert.deepStrictEqual(yield* reminded(payment.id), [7])
    yield* TestClock.setTime(begin + 33 * day)
    yield* check
    assert.deepStrictEqual(yield* reminded(payment.id), [7, 7])
  })
})

const stageOf = (id: string) => Effect.map(read(id), ({ submissions }) => submissions.at(-1)?.stage)

for (const clockOf of ["machine", "store"] as const) {
  const early = given()
  const jumped = { agesFrom: null as number | null }
  const layer =
    clockOf === "machine"
      ? early.layer
      : Layer.unwrap(
          Effect.map(Clock.Clock, (base) =>
            Layer.provide(
              early.own.layer,
              Layer.succeed(StorageClock, {
                clock: ahead(base, () => early.machine.aheadMillis),
                agesFrom: () => jumped.agesFrom
              })
            )
          )
        )
  itIn(`"never received" waits for its age though the clock of the ${clockOf} jumps days`, { layer }, function* () {
    const { dispute } = yield* disputed()
    yield* keep(dispute.id)
    early.own.provider.onSubmitDispute = () => Effect.fail(new Unanswered({ reason: "no answer" }))
    early.own.provider.onLookUpDispute = () => Effect.succeed({ _tag: "NotFound", conclusive: true })
    yield* answer(dispute.id)
    early.machine.aheadMillis = 2 * day
    jumped.agesFrom = begin + 2 * day
    yield* check
    assert.strictEqual(yield* stageOf(dispute.id), "Unknown")
    yield* TestClock.adjust(30 * 60_000)
    yield* check
    assert.strictEqual(yield* stageOf(dispute.id), "Refused")
  })
}
