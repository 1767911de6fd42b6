/**
 * Disputes under a clock that is set by days: of the one machine, whose monotonic time goes on. No reminder comes twice, and
 * no submission is left open until the clock has reached the time that it wrote.
 */
import { assert, describe, it } from "@effect/vitest"
import { Pointsman } from "@pointsman/core"
import { StorageClock, Unanswered } from "@pointsman/core/ports"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { answer, begin, day, disputed, keep, read, state } from "./support/Disputes.ts"
import { ahead, given } from "./support/SetClock.ts"
import { tenant, workspace } from "./support/World.ts"

const minute = 60_000

const reminded = Effect.fnUntraced(function* (paymentId: string) {
  const { items } = yield* (yield* Pointsman).timeline(tenant, paymentId, { limit: 100 })
  return items.filter(({ type }) => type === "dispute.evidence_due").map(({ data }) => data["days"])
})

const check = Effect.flatMap(Pointsman, (pointsman) => pointsman.checkDue)

const stageOf = (id: string) => Effect.map(read(id), ({ submissions }) => submissions.at(-1)?.stage)

/** Every minute of so many. */
const checkFor = Effect.fnUntraced(function* (minutes: number) {
  for (let passed = 0; passed < minutes; passed++) {
    yield* check
    yield* TestClock.adjust(minute)
  }
  yield* check
})

describe("reminders under a clock that is set", () => {
  for (const [aheadDays, early, later] of [
    [4, [7], [3, 1]],
    [8, [3], [1]],
    [12, [1], []]
  ] as const) {
    const { layer, machine } = given()
    it.effect(
      `given a clock ${aheadDays} days ahead, when it is set back and the same deadline is stated again, then no reminder comes twice`,
      () =>
        Effect.gen(function* () {
          const { payment } = yield* disputed()
          machine.aheadMillis = aheadDays * day
          yield* check
          assert.deepStrictEqual(yield* reminded(payment.id), [...early])
          machine.aheadMillis = 0
          yield* check
          yield* state(payment.providerRef, { dueBy: begin + 10 * day, providerReason: "13.2" }, begin + 1)
          for (const days of [7, 6.5, 3, 2.9, 1, 0.5]) {
            yield* TestClock.setTime(begin + (10 - days) * day)
            yield* check
          }
          assert.deepStrictEqual(yield* reminded(payment.id), [...early, ...later])
        }).pipe(Effect.provide(layer))
    )
  }

  const behind = given()
  it.effect(
    "given a clock days behind, when it is set right over two reminders, then the last one alone is announced",
    () =>
      Effect.gen(function* () {
        const { payment } = yield* disputed()
        behind.machine.aheadMillis = -8 * day
        yield* TestClock.setTime(begin + 8 * day)
        yield* check
        assert.deepStrictEqual(yield* reminded(payment.id), [])
        behind.machine.aheadMillis = 0
        yield* check
        yield* check
        assert.deepStrictEqual(yield* reminded(payment.id), [3])
      }).pipe(Effect.provide(behind.layer))
  )
})

describe("submissions under a clock that is set", () => {
  const unanswered = Effect.fail(new Unanswered({ reason: "no answer" }))

  const found = given()
  it.effect(
    "given a submission of a clock days ahead, when it is set back, then its result is looked up in minutes",
    () =>
      Effect.gen(function* () {
        const { dispute } = yield* disputed()
        yield* keep(dispute.id)
        found.own.provider.onSubmitDispute = () => unanswered
        found.own.provider.onLookUpDispute = () => Effect.succeed({ _tag: "Found", state: { _tag: "SubmissionDone" } })
        found.machine.aheadMillis = 9 * day
        yield* answer(dispute.id)
        found.machine.aheadMillis = 0
        yield* checkFor(2)
        assert.strictEqual(yield* stageOf(dispute.id), "Done")
      }).pipe(Effect.provide(found.layer))
  )

  const told = given()
  it.effect(
    "given a submission of a clock days ahead, when it is looked up, then the provider is told no time that is ahead",
    () =>
      Effect.gen(function* () {
        const { dispute } = yield* disputed()
        yield* keep(dispute.id)
        told.own.provider.onSubmitDispute = () => unanswered
        told.machine.aheadMillis = 9 * day
        yield* answer(dispute.id)
        told.machine.aheadMillis = 0
        yield* checkFor(2)
        assert.deepStrictEqual([...new Set(told.own.provider.disputeLookUps.map(({ sentAt }) => sentAt))], [begin])
      }).pipe(Effect.provide(told.layer))
  )

  const askedAgain = given()
  it.effect(
    "given evidence of a clock days ahead, when the provider asks for more, then it waits for a response again",
    () =>
      Effect.gen(function* () {
        const { dispute, payment } = yield* disputed()
        yield* keep(dispute.id)
        askedAgain.machine.aheadMillis = 2 * day
        yield* answer(dispute.id)
        const { evidenceSubmittedAt, status } = yield* read(dispute.id)
        assert.deepStrictEqual([status, evidenceSubmittedAt], ["under_review", begin + 2 * day])
        askedAgain.machine.aheadMillis = 0
        yield* TestClock.adjust(minute)
        yield* state(payment.providerRef, { status: "needs_response" }, begin + minute)
        assert.strictEqual((yield* read(dispute.id)).status, "needs_response")
      }).pipe(Effect.provide(askedAgain.layer))
  )

  const stated = given()
  it.effect(
    "given a submission of a clock days ahead that nobody can look up, when the provider states its review, then it is done",
    () =>
      Effect.gen(function* () {
        const { dispute, payment } = yield* disputed()
        yield* keep(dispute.id)
        stated.own.provider.onSubmitDispute = () => unanswered
        stated.own.provider.onLookUpDispute = () =>
          Effect.fail(new Unanswered({ reason: "no look-up", isUnsupported: true }))
        stated.machine.aheadMillis = 9 * day
        yield* answer(dispute.id)
        stated.machine.aheadMillis = 0
        yield* checkFor(2)
        assert.strictEqual(yield* stageOf(dispute.id), "Unknown")
        yield* state(payment.providerRef, { status: "under_review" }, begin + 2 * minute)
        yield* checkFor(6)
        assert.strictEqual(yield* stageOf(dispute.id), "Done")
      }).pipe(Effect.provide(stated.layer))
  )

  const old = given()
  const jumpedLongAgo = Layer.unwrap(
    Effect.map(Clock.Clock, (base) => {
      const clock = ahead(base, () => old.machine.aheadMillis)
      return Layer.provideMerge(old.own.layer, Layer.succeed(StorageClock, { clock, agesFrom: () => begin - 60 * day }))
    })
  )
  it.effect(
    "given a clock that jumped months ago, when a new process finds a submission that is dated ahead, then it is as old as the process",
    () =>
      Effect.gen(function* () {
        const { dispute } = yield* disputed()
        yield* keep(dispute.id)
        old.own.provider.onSubmitDispute = () => unanswered
        old.own.provider.onLookUpDispute = () => Effect.succeed({ _tag: "NotFound", conclusive: true })
        old.machine.aheadMillis = 9 * day
        yield* answer(dispute.id)
        old.machine.aheadMillis = 0
        const another = yield* old.own.another
        // Due after a minute, five seconds before it is old enough.
        for (let passed = 0; passed < 64; passed++) {
          yield* another.checkDue
          yield* TestClock.adjust(1_000)
        }
        assert.strictEqual(yield* stageOf(dispute.id), "Unknown")
        for (let passed = 0; passed < 6; passed++) {
          yield* TestClock.adjust(minute)
          yield* another.checkDue
        }
        assert.strictEqual(yield* stageOf(dispute.id), "Refused")
      }).pipe(Effect.scoped, Effect.provide(jumpedLongAgo))
  )

  for (const isAnother of [false, true]) {
    const lost = given()
    it.effect(
      `given one that never arrived, when ${isAnother ? "another process starts" : "the clock is set back"}, then that is believed at its full age, and the merchant submits again`,
      () =>
        Effect.gen(function* () {
          const { dispute } = yield* disputed()
          yield* keep(dispute.id)
          lost.own.provider.onSubmitDispute = () => unanswered
          lost.own.provider.onLookUpDispute = () => Effect.succeed({ _tag: "NotFound", conclusive: true })
          lost.machine.aheadMillis = 9 * day
          yield* answer(dispute.id)
          lost.machine.aheadMillis = 0
          const pointsman = isAnother ? yield* lost.another : yield* Pointsman
          // Due after a minute, five seconds before it is old enough.
          for (let passed = 0; passed < 64; passed++) {
            yield* pointsman.checkDue
            yield* TestClock.adjust(1_000)
          }
          assert.strictEqual(yield* stageOf(dispute.id), "Unknown")
          for (let passed = 0; passed < 6; passed++) {
            yield* TestClock.adjust(minute)
            yield* pointsman.checkDue
          }
          assert.strictEqual(yield* stageOf(dispute.id), "Refused")
          lost.own.provider.onSubmitDispute = () => Effect.succeed({ _tag: "SubmissionDone" })
          assert.strictEqual(yield* answer(dispute.id, "key-67890"), "under_review")
          const { submissions } = yield* read(dispute.id)
          assert.isBelow(submissions.at(-1)?.sentAt ?? Number.POSITIVE_INFINITY, begin + day)
        }).pipe(Effect.scoped, Effect.provide(lost.layer))
    )
  }

  // The call of the dead process does not end either.
  const dead = given({ connections: [{ id: "main", timeoutMillis: 3_600_000 }] })
  it.effect(
    "given one whose process died under a clock days ahead, then the next process looks it up after the claim window",
    () =>
      Effect.gen(function* () {
        const { dispute } = yield* disputed()
        yield* keep(dispute.id)
        dead.own.provider.onSubmitDispute = () => Effect.never
        dead.own.provider.onLookUpDispute = () => Effect.succeed({ _tag: "Found", state: { _tag: "SubmissionDone" } })
        dead.machine.aheadMillis = 9 * day
        const killed = yield* dead.another
        yield* Effect.forkDetach(Effect.ignore(killed.submitDispute({ tenant, workspace }, order(dispute.id))))
        yield* TestClock.adjust(1)
        assert.strictEqual(yield* stageOf(dispute.id), "Sending")
        dead.machine.aheadMillis = 0
        yield* checkFor(14)
        assert.strictEqual(yield* stageOf(dispute.id), "Sending")
        yield* checkFor(4)
        assert.strictEqual(yield* stageOf(dispute.id), "Done")
      }).pipe(Effect.scoped, Effect.provide(dead.layer))
  )

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
    it.effect(
      `given one under way, when the clock of the ${clockOf} jumps days ahead, then "never received" is not believed before its age`,
      () =>
        Effect.gen(function* () {
          const { dispute } = yield* disputed()
          yield* keep(dispute.id)
          early.own.provider.onSubmitDispute = () => unanswered
          early.own.provider.onLookUpDispute = () => Effect.succeed({ _tag: "NotFound", conclusive: true })
          yield* answer(dispute.id)
          early.machine.aheadMillis = 2 * day
          jumped.agesFrom = begin + 2 * day
          yield* check
          assert.strictEqual(yield* stageOf(dispute.id), "Unknown")
          yield* TestClock.adjust(30 * minute)
          yield* check
          assert.strictEqual(yield* stageOf(dispute.id), "Refused")
        }).pipe(Effect.provide(layer))
    )
  }
})

const order = (disputeId: string) => ({ disputeId, kind: "submit", idempotencyKey: "key-12345" }) as const
