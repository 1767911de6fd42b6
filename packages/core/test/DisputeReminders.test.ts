/** Reminders of a dispute's deadline: 7, 3 and 1 days before it, each once, whatever dies and however clocks are turned. */
import { assert, describe, it } from "@effect/vitest"
import { Pointsman } from "@pointsman/core"
import { Unanswered } from "@pointsman/core/ports"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { answer, begin, day, disputed, keep, read, state } from "./support/Disputes.ts"
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
  const own = world()
  it.effect("an hourly check gives one reminder for each of 7, 3 and 1 days, at its time", () =>
    Effect.gen(function* () {
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
    }).pipe(Effect.provide(own.layer))
  )

  const jumped = world()
  it.effect("only the last reminder is announced when a clock jumps over several", () =>
    Effect.gen(function* () {
      const { payment } = yield* disputed()
      yield* at(2)
      yield* check
      assert.deepStrictEqual(yield* reminded(payment.id), [3])
      yield* at(-2)
      yield* check
      yield* check
      assert.deepStrictEqual(yield* reminded(payment.id), [3, 1])
    }).pipe(Effect.provide(jumped.layer))
  )

  const turned = world()
  it.effect("no reminder comes twice when a clock is turned back and forth", () =>
    Effect.gen(function* () {
      const { payment } = yield* disputed()
      for (const days of [6.5, 9, 6.9, 2.5, 9.5, 6, 2.9, 0.5, 8, 0.1]) {
        yield* at(days)
        yield* check
      }
      assert.deepStrictEqual(yield* reminded(payment.id), [7, 3, 1])
    }).pipe(Effect.provide(turned.layer))
  )

  for (const fault of ["unwritten", "lost", "unheard"] as const) {
    const failing = world()
    it.effect(`each reminder whose commit ends ${fault} is announced once at the next check`, () =>
      Effect.gen(function* () {
        const { payment } = yield* disputed()
        const failed = new Set<unknown>()
        failing.ledger.onCommit = (_, { events }) => {
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
      }).pipe(Effect.provide(failing.layer))
    )
  }

  const several = world({ yieldBetween: true })
  it.effect("each reminder is announced once by several processes that check at once", () =>
    Effect.gen(function* () {
      const { payment } = yield* disputed()
      const others = yield* Effect.all([several.another, several.another, several.another])
      for (const days of [7, 3, 1]) {
        yield* at(days)
        yield* Effect.all([check, ...others.map(({ checkDue }) => checkDue)], { concurrency: "unbounded" })
      }
      assert.deepStrictEqual(yield* reminded(payment.id), [7, 3, 1])
    }).pipe(Effect.scoped, Effect.provide(several.layer))
  )

  const submitted = world()
  it.effect("evidence at the provider has no reminders until it is requested again", () =>
    Effect.gen(function* () {
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
    }).pipe(Effect.provide(submitted.layer))
  )

  const again = world()
  it.effect("a new round announces its own deadline, and not that of the round before", () =>
    Effect.gen(function* () {
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
    }).pipe(Effect.provide(again.layer))
  )

  const ended = world()
  it.effect("a dispute that has ended has no reminders", () =>
    Effect.gen(function* () {
      const { payment } = yield* disputed()
      yield* state(payment.providerRef, { verdict: "won" }, begin + 1)
      yield* at(0.5)
      yield* check
      assert.deepStrictEqual(yield* reminded(payment.id), [])
    }).pipe(Effect.provide(ended.layer))
  )

  const unknown = world()
  it.effect("the deadline is still announced if a submission's result is unknown", () =>
    Effect.gen(function* () {
      const { dispute, payment } = yield* disputed()
      yield* keep(dispute.id)
      unknown.provider.onSubmitDispute = () => Effect.fail(new Unanswered({ reason: "no answer" }))
      yield* answer(dispute.id)
      yield* at(1)
      yield* check
      assert.deepStrictEqual(yield* reminded(payment.id), [1])
    }).pipe(Effect.provide(unknown.layer))
  )

  const moved = world()
  it.effect("only a later deadline is announced anew when it moves by a minute or by weeks", () =>
    Effect.gen(function* () {
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
    }).pipe(Effect.provide(moved.layer))
  )
})
