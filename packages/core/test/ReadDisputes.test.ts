/** Disputes that only a report named: the provider is asked for what a row does not say. */
import { assert, describe, it } from "@effect/vitest"
import { Pointsman } from "@pointsman/core"
import { Ledger, Unanswered } from "@pointsman/core/ports"
import type { ScriptedProvider } from "@pointsman/core/testing"
import { Effect, Exit, Latch, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { begin, disputeEvents, state } from "./support/Disputes.ts"
import { stored } from "./support/Pages.ts"
import { day, eur, orderOf, reconcile, rowOf } from "./support/Reports.ts"
import { caller, request, tenant, type World, world } from "./support/World.ts"

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
  own.provider.onCharge = ({ attemptId }) => Effect.succeed({ _tag: "Captured", providerRef: `ch_${attemptId}` })
  yield* TestClock.setTime(begin)
  const { payment } = yield* (yield* Pointsman).create(caller, request())
  const names = { disputeId: "du_1" }
  yield* TestClock.setTime(begin + day)
  yield* reconcile(
    orderOf([rowOf(payment, { id: "taken", kind: "dispute", gross: eur(-1999), occurredAt: begin + 1, names })])
  )
  return payment
})

const disputeOf = Effect.gen(function* () {
  const [dispute] = yield* (yield* Ledger).disputes(tenant, { limit: 2 })
  assert(dispute !== undefined)
  return dispute
})

const check = Effect.flatMap(Pointsman, ({ checkDue }) => checkDue)

describe("a dispute that only a report named", () => {
  const own = world()
  it.effect("given the provider can be asked, then its deadline and reason are recorded, and it is asked once", () =>
    Effect.gen(function* () {
      const payment = yield* reported(own, says())
      assert.strictEqual((yield* disputeOf).evidenceDueBy, null)
      yield* check
      const { evidenceDueBy, lookUp, reason, status } = yield* disputeOf
      assert.deepStrictEqual(
        [evidenceDueBy, reason, status, lookUp],
        [dueBy, "fraudulent", "needs_response", undefined]
      )
      assert.deepStrictEqual(yield* disputeEvents(payment.id), ["dispute.opened", "dispute.updated"])
      yield* TestClock.setTime(dueBy - 2 * day)
      yield* check
      yield* check
      assert.deepStrictEqual((yield* disputeEvents(payment.id)).at(-1), "dispute.evidence_due")
      assert.deepStrictEqual(
        own.provider.disputesRead.map(({ disputeId, providerRef }) => [disputeId, providerRef]),
        [["du_1", payment.providerRef]]
      )
    }).pipe(Effect.provide(own.layer))
  )

  const lost = world()
  it.effect("given it was won meanwhile, then the dispute and its payment say so", () =>
    Effect.gen(function* () {
      const payment = yield* reported(lost, says({ verdict: "won", status: "won" }))
      assert.strictEqual((yield* stored(payment)).state, "ChargedBack")
      yield* check
      assert.strictEqual((yield* disputeOf).status, "won")
      assert.strictEqual((yield* stored(payment)).state, "Captured")
    }).pipe(Effect.provide(lost.layer))
  )

  const silent = world()
  it.effect(
    "given the provider does not answer, then it is asked five times, half an hour apart, and that is told",
    () => {
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
    }
  )

  const together = world()
  it.effect("given processes that ask together, when the provider does not answer, then that is one try of five", () =>
    Effect.gen(function* () {
      const asked = yield* Latch.make()
      let asking = 0
      yield* reported(together, () =>
        Effect.gen(function* () {
          asking += 1
          if (asking === 5) yield* asked.open
          yield* asked.await
          return yield* new Unanswered({ reason: "time-out" })
        })
      )
      const processes = yield* Effect.all(Array.from({ length: 5 }, () => together.another))
      yield* Effect.forEach(processes, ({ checkDue }) => checkDue, { concurrency: "unbounded" })
      assert.strictEqual(asking, 5)
      const { lookUp } = yield* disputeOf
      assert.deepStrictEqual(lookUp, { at: begin + day + 30 * minute, tries: 1 })
    }).pipe(Effect.scoped, Effect.provide(together.layer))
  )

  const unable = world()
  it.effect("given the connector cannot read disputes, then nothing is due", () =>
    Effect.gen(function* () {
      yield* reported(unable, undefined)
      yield* check
      const { checkAt, lookUp } = yield* disputeOf
      assert.deepStrictEqual([checkAt, lookUp], [null, undefined])
    }).pipe(Effect.provide(unable.layer))
  )

  const told = world()
  it.effect("given a message states the deadline first, then nobody is asked", () =>
    Effect.gen(function* () {
      const payment = yield* reported(told, says())
      yield* state(payment.providerRef, { dueBy: begin + 8 * day }, begin + day)
      yield* check
      assert.lengthOf(told.provider.disputesRead, 0)
      assert.strictEqual((yield* disputeOf).evidenceDueBy, begin + 8 * day)
    }).pipe(Effect.provide(told.layer))
  )

  const dying = world()
  it.effect(
    "given a process dies before it records the answer, then the next one asks again, and records it once",
    () =>
      Effect.gen(function* () {
        const payment = yield* reported(dying, says())
        const ledger = yield* Ledger
        const process = yield* dying.another.pipe(
          Effect.provideService(Ledger, { ...ledger, commit: () => Effect.die(new Error("the process died")) })
        )
        yield* Effect.exit(process.checkDue)
        assert.strictEqual((yield* disputeOf).evidenceDueBy, null)
        const exits = yield* Effect.all([Effect.exit(check), Effect.exit(check)], { concurrency: 2 })
        assert.isTrue(exits.every(Exit.isSuccess))
        assert.strictEqual((yield* disputeOf).evidenceDueBy, dueBy)
        assert.deepStrictEqual(yield* disputeEvents(payment.id), ["dispute.opened", "dispute.updated"])
      }).pipe(Effect.scoped, Effect.provide(dying.layer))
  )

  const other = world()
  it.effect("given an answer about another dispute, then it is no answer", () =>
    Effect.gen(function* () {
      const payment = yield* reported(other, says({ disputeId: "du_2" }))
      yield* check
      const disputes = yield* (yield* Ledger).disputes(tenant, { limit: 5 })
      assert.deepStrictEqual(
        disputes.map(({ evidenceDueBy, providerDisputeId }) => [providerDisputeId, evidenceDueBy]),
        [["du_1", null]]
      )
      assert.deepStrictEqual(yield* disputeEvents(payment.id), ["dispute.opened"])
    }).pipe(Effect.provide(other.layer))
  )

  const ahead = world()
  it.effect("given a clock that was ahead dated what was read, then what the provider states afterwards counts", () =>
    Effect.gen(function* () {
      const payment = yield* reported(ahead, says())
      yield* TestClock.setTime(begin + 3 * day)
      yield* check
      assert.strictEqual((yield* disputeOf).evidenceDueBy, dueBy)
      // It is set right.
      yield* TestClock.setTime(begin + day + 10 * minute)
      yield* state(payment.providerRef, { status: "under_review", dueBy: dueBy + day }, begin + day + 5 * minute)
      const { evidenceDueBy, statedAt, status } = yield* disputeOf
      assert.deepStrictEqual([status, evidenceDueBy, statedAt], ["under_review", dueBy + day, begin + day + 5 * minute])
      // And no older one.
      yield* state(payment.providerRef, { status: "needs_response", dueBy }, begin + day + 4 * minute)
      assert.strictEqual((yield* disputeOf).status, "under_review")
    }).pipe(Effect.provide(ahead.layer))
  )

  const reversed = world()
  it.effect("given it was read as lost under a clock that was ahead, when it is won, then the payment says so", () =>
    Effect.gen(function* () {
      const payment = yield* reported(reversed, says({ verdict: "lost", status: "lost" }))
      yield* TestClock.setTime(begin + 3 * day)
      yield* check
      assert.strictEqual((yield* disputeOf).status, "lost")
      yield* TestClock.setTime(begin + day + 10 * minute)
      yield* state(payment.providerRef, { verdict: "won", status: "won" }, begin + day + 5 * minute)
      assert.strictEqual((yield* disputeOf).status, "won")
      assert.strictEqual((yield* stored(payment)).state, "Captured")
    }).pipe(Effect.provide(reversed.layer))
  )
})
