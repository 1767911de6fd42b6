/** Disputes that only a report named: the provider is asked for what a row does not say. */
import { assert, describe, it } from "@effect/vitest"
import { type Payment, Pointsman } from "@pointsman/core"
import { Ledger, Unanswered } from "@pointsman/core/ports"
import type { ScriptedProvider } from "@pointsman/core/testing"
import { Effect, Exit, Fiber, Latch, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { begin, disputed, disputeEvents, state } from "./support/Disputes.ts"
import { itIn } from "./support/ItIn.ts"
import { stored } from "./support/Pages.ts"
import { day, eur, orderOf, reconcile, rowOf } from "./support/Reports.ts"
import { captured, created } from "./support/Statements.ts"
import { assertFields } from "./support/Steps.ts"
import { tenant, type World, world } from "./support/World.ts"

const minute = 60_000
const dueBy = begin + 10 * day

type Reads = NonNullable<ScriptedProvider["onReadDispute"]>

const says =
  (said: object = {}): Reads =>
  () =>
    Effect.succeed({
      _tag: "Found",
      state: { disputeId: "du_1", verdict: "opened", status: "needs_response", reason: "fraudulent", dueBy, ...said }
    })

/** A captured payment whose dispute is in a report. */
const reported = Effect.fnUntraced(function* (own: World, onRead: Reads | undefined) {
  own.provider.onReadDispute = onRead
  yield* TestClock.setTime(begin)
  const payment = yield* created(captured)(own)
  const names = { disputeId: "du_1" }
  yield* TestClock.setTime(begin + day)
  const row = { id: "taken", kind: "dispute", gross: eur(-1999), occurredAt: begin + 1, names } as const
  yield* reconcile(orderOf([rowOf(payment, row)]))
  return payment
})

const disputeOf = Effect.gen(function* () {
  const [dispute] = yield* (yield* Ledger).disputes(tenant, { limit: 2 })
  assert(dispute !== undefined)
  return dispute
})

const check = Effect.flatMap(Pointsman, ({ checkDue }) => checkDue)

describe("a dispute that only a report named", () => {
  itIn("a dispute's deadline and reason come from the provider, which is asked once", world(), function* (own) {
    const payment = yield* reported(own, says())
    assert.strictEqual((yield* disputeOf).evidenceDueBy, null)
    yield* check
    const { evidenceDueBy, lookUp, reason, status } = yield* disputeOf
    assert.deepStrictEqual([evidenceDueBy, reason, status, lookUp], [dueBy, "fraudulent", "needs_response", undefined])
    assert.deepStrictEqual(yield* disputeEvents(payment.id), ["dispute.opened", "dispute.updated"])
    yield* TestClock.setTime(dueBy - 2 * day)
    yield* check
    yield* check
    assert.deepStrictEqual((yield* disputeEvents(payment.id)).at(-1), "dispute.evidence_due")
    assertFields(own.provider.disputesRead, ["disputeId", "providerRef"], ["du_1", payment.providerRef])
  })

  itIn("a dispute won meanwhile says so, as does its payment", world(), function* (own) {
    const payment = yield* reported(own, says({ verdict: "won", status: "won" }))
    assert.strictEqual((yield* stored(payment)).state, "ChargedBack")
    yield* check
    assert.strictEqual((yield* disputeOf).status, "won")
    assert.strictEqual((yield* stored(payment)).state, "Captured")
  })

  const silent = world()
  it.effect("a silent provider is asked five times, half an hour apart, which is reported", () => {
    const lines: Array<string> = []
    const logger = Logger.make(({ message }) => void lines.push(String(message)))
    return Effect.gen(function* () {
      const payment = yield* reported(silent, () => Effect.fail(new Unanswered({ reason: "time-out" })))
      for (let asked = 0; asked < 20; asked++) {
        yield* check
        yield* TestClock.adjust(10 * minute)
      }
      assert.lengthOf(silent.provider.disputesRead, 5)
      const { checkAt, evidenceDueBy } = yield* disputeOf
      assert.deepStrictEqual([checkAt, evidenceDueBy], [null, null])
      assert.deepStrictEqual(yield* disputeEvents(payment.id), ["dispute.opened"])
      assert.lengthOf(
        lines.filter((line) => line.includes("did not answer 5 times")),
        1
      )
    }).pipe(Effect.provide(Layer.merge(silent.layer, Logger.layer([logger]))))
  })

  itIn("processes that ask a silent provider together make one try of five", world(), function* (own) {
    const asked = yield* Latch.make()
    let asking = 0
    yield* reported(own, () =>
      Effect.gen(function* () {
        asking += 1
        if (asking === 5) yield* asked.open
        yield* asked.await
        return yield* new Unanswered({ reason: "time-out" })
      })
    )
    const processes = yield* Effect.all(Array.from({ length: 5 }, () => own.another))
    yield* Effect.forEach(processes, ({ checkDue }) => checkDue, { concurrency: "unbounded" })
    assert.strictEqual(asking, 5)
    const { lookUp } = yield* disputeOf
    assert.deepStrictEqual(lookUp, { at: begin + day + 30 * minute, tries: 1 })
  })

  itIn("nothing is due at a connector that cannot read disputes", world(), function* (own) {
    yield* reported(own, undefined)
    yield* check
    const { checkAt, lookUp } = yield* disputeOf
    assert.deepStrictEqual([checkAt, lookUp], [null, undefined])
  })

  itIn("the provider is not asked if a message states the deadline first", world(), function* (own) {
    const payment = yield* reported(own, says())
    yield* state(payment.providerRef, { dueBy: begin + 8 * day }, begin + day)
    yield* check
    assert.lengthOf(own.provider.disputesRead, 0)
    assert.strictEqual((yield* disputeOf).evidenceDueBy, begin + 8 * day)
  })

  itIn("the next process asks again, and records once, if one dies before recording", world(), function* (own) {
    const payment = yield* reported(own, says())
    const ledger = yield* Ledger
    const process = yield* own.another.pipe(
      Effect.provideService(Ledger, { ...ledger, commit: () => Effect.die(new Error("the process died")) })
    )
    yield* Effect.exit(process.checkDue)
    assert.strictEqual((yield* disputeOf).evidenceDueBy, null)
    const exits = yield* Effect.all([Effect.exit(check), Effect.exit(check)], { concurrency: 2 })
    assert.isTrue(exits.every(Exit.isSuccess))
    assert.strictEqual((yield* disputeOf).evidenceDueBy, dueBy)
    assert.deepStrictEqual(yield* disputeEvents(payment.id), ["dispute.opened", "dispute.updated"])
  })

  itIn("an answer about another dispute is no answer", world(), function* (own) {
    const payment = yield* reported(own, says({ disputeId: "du_2" }))
    yield* check
    const disputes = yield* (yield* Ledger).disputes(tenant, { limit: 5 })
    assertFields(disputes, ["providerDisputeId", "evidenceDueBy"], ["du_1", null])
    assert.deepStrictEqual(yield* disputeEvents(payment.id), ["dispute.opened"])
  })
})

describe("a message that is not known to be newer than the record", () => {
  /** A dispute that was won at the time of the message that opens it again. */
  const undecided = Effect.fnUntraced(function* (own: World, onRead: Reads | undefined, at: number | null = begin + 5) {
    own.provider.onReadDispute = onRead
    const { payment } = yield* disputed()
    yield* state(payment.providerRef, { verdict: "won" }, begin + 5)
    yield* state(payment.providerRef, {}, at)
    return payment
  })

  const seen = Effect.fnUntraced(function* (payment: Payment) {
    const { reported, review, state } = yield* stored(payment)
    const verdicts = reported?.disputes.map(({ verdict }) => verdict)
    return [(yield* disputeOf).status, state, review?.reasons ?? [], verdicts] as ReadonlyArray<unknown>
  })

  for (const [title, at] of [
    ["of the same time", begin + 5],
    ["without a time", null]
  ] as const) {
    for (const [said, wanted] of [
      [{}, ["needs_response", "ChargedBack", [], ["opened"]]],
      [{ verdict: "won", status: "won" }, ["won", "Captured", [], ["won"]]],
      [{ verdict: "lost", status: "won" }, ["won", "Captured", ["conflict"], ["won"]]]
    ] as const) {
      itIn(`what the provider states of one ${title} counts: ${JSON.stringify(said)}`, world(), function* (own) {
        const payment = yield* undecided(own, says(said), at)
        assert.deepStrictEqual(yield* seen(payment), ["won", "Captured", [], ["won"]])
        yield* TestClock.adjust(minute)
        yield* check
        yield* check
        assert.deepStrictEqual(yield* seen(payment), [...wanted])
        assert.lengthOf(own.provider.disputesRead, 1)
      })
    }
  }

  itIn("operations review it at once if the connector cannot read disputes", world(), function* (own) {
    const payment = yield* undecided(own, undefined)
    assert.deepStrictEqual(yield* seen(payment), ["won", "Captured", ["conflict"], ["won"]])
  })

  itIn("operations review it after five times if the provider does not answer", world(), function* (own) {
    const payment = yield* undecided(own, () => Effect.fail(new Unanswered({ reason: "time-out" })))
    for (let asked = 0; asked < 5; asked++) {
      assert.deepStrictEqual((yield* stored(payment)).review, null)
      yield* check
      yield* TestClock.adjust(30 * minute)
    }
    assert.deepStrictEqual(yield* seen(payment), ["won", "Captured", ["conflict"], ["won"]])
    assert.strictEqual((yield* disputeOf).checkAt, null)
  })

  itIn("a newer message while the provider is asked counts", world(), function* (own) {
    const asked = yield* Latch.make()
    const answered = yield* Latch.make()
    const payment = yield* undecided(own, () =>
      Effect.gen(function* () {
        yield* asked.open
        yield* answered.await
        const said = { disputeId: "du_1", verdict: "won", status: "won" } as const
        return { _tag: "Found", state: said } as const
      })
    )
    const checking = yield* Effect.forkChild(check)
    yield* asked.await
    yield* state(payment.providerRef, { verdict: "lost" }, begin + day)
    yield* answered.open
    yield* Fiber.join(checking)
    assert.deepStrictEqual(yield* seen(payment), ["lost", "ChargedBack", [], ["lost"]])
  })
})
