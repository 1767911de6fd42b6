/** What a process wrote last: when it decides on that without a read, and when it reads. */
import { assert, describe, it } from "@effect/vitest"
import { type Caller, type Payment, Pointsman } from "@pointsman/core"
import { StorageSnapshots } from "@pointsman/core/internal"
import { RecordLosses } from "@pointsman/core/ports"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { type Kind, operate } from "./support/Operations.ts"
import { caller, request, tenant, type World, world } from "./support/World.ts"

const authorized = (fields: Parameters<typeof request>[0] = {}) =>
  Effect.flatMap(Pointsman, (pointsman) =>
    Effect.map(
      pointsman.create(caller, request({ ...fields, details: { captureMethod: "manual", ...fields.details } })),
      ({ payment }) => payment
    )
  )

const captured = Effect.flatMap(Pointsman, (pointsman) =>
  Effect.map(pointsman.create(caller, request()), ({ payment }) => payment)
)

/** How an operation ended, and what it asked of the store. */
const asked = Effect.fnUntraced(function* (
  { ledger }: World,
  kind: Kind,
  { id }: Payment,
  order: Parameters<typeof operate>[2] = {}
) {
  const before = { ...ledger.calls }
  const answer = yield* operate(kind, id, order)
  const told = Result.isFailure(answer) ? answer.failure._tag : answer.success.payment.state
  const { book, commit } = ledger.calls
  return { told, reads: book - before.book, commits: commit - before.commit }
})

describe("what another server wrote meanwhile", () => {
  const voided = world()
  it.effect("a capture after a void is refused on what is stored, and nothing is sent", () =>
    Effect.gen(function* () {
      const other = yield* voided.another
      const payment = yield* authorized()
      yield* Effect.provideService(operate("void", payment.id), Pointsman, other)
      const capture = yield* asked(voided, "capture", payment)
      // The kept book is refused by its version, and is gone.
      assert.deepStrictEqual(capture, { told: "pointsman/NotCapturable", reads: 1, commits: 1 })
      assert.deepStrictEqual(yield* asked(voided, "capture", payment), { ...capture, commits: 0 })
      assert.lengthOf(voided.provider.captures, 0)
    }).pipe(Effect.provide(voided.layer), Effect.scoped)
  )

  const sold = world()
  it.effect("a refund after a capture is made, and not refused on what was kept", () =>
    Effect.gen(function* () {
      const other = yield* sold.another
      const payment = yield* authorized()
      yield* Effect.provideService(operate("capture", payment.id), Pointsman, other)
      assert.deepStrictEqual(yield* asked(sold, "refund", payment), { told: "Refunded", reads: 1, commits: 2 })
    }).pipe(Effect.provide(sold.layer), Effect.scoped)
  )

  const partly = world()
  it.effect("the rest is sent when it is asked for after a part's refund", () =>
    Effect.gen(function* () {
      const other = yield* partly.another
      const payment = yield* captured
      yield* Effect.provideService(operate("refund", payment.id, { amountMinor: 1500 }), Pointsman, other)
      assert.deepStrictEqual(yield* asked(partly, "refund", payment), { told: "Refunded", reads: 1, commits: 3 })
      assert.deepStrictEqual(
        partly.provider.refunds.map(({ money }) => money.minorUnits),
        [1500, 499]
      )
    }).pipe(Effect.provide(partly.layer), Effect.scoped)
  )

  const keyed = world()
  it.effect("a capture under the same key is repeated, and nothing is sent again", () =>
    Effect.gen(function* () {
      const other = yield* keyed.another
      const payment = yield* authorized()
      const order = { idempotencyKey: "capture-1" }
      yield* Effect.provideService(operate("capture", payment.id, order), Pointsman, other)
      assert.isTrue(Result.getOrThrow(yield* operate("capture", payment.id, order)).isReplay)
      assert.lengthOf(keyed.provider.captures, 1)
    }).pipe(Effect.provide(keyed.layer), Effect.scoped)
  )
})

describe("what is read, whatever this process wrote last", () => {
  const read = world()
  it.effect("a refusal, a replay and a payment that is shown are each read", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const payment = yield* captured
      assert.deepStrictEqual(yield* asked(read, "capture", payment), {
        told: "pointsman/NotCapturable",
        reads: 1,
        commits: 0
      })
      const order = { idempotencyKey: "refund-1", amountMinor: 500 }
      yield* operate("refund", payment.id, order)
      assert.deepInclude(yield* asked(read, "refund", payment, order), { reads: 1, commits: 0 })
      yield* operate("refund", payment.id, { amountMinor: 1 })
      assert.deepStrictEqual(yield* asked(read, "refund", payment, { ...order, amountMinor: 501 }), {
        told: "pointsman/KeyReused",
        reads: 1,
        commits: 0
      })
      yield* operate("refund", payment.id, { amountMinor: 1 })
      const before = read.ledger.calls.payment
      yield* pointsman.payment(tenant, payment.id)
      assert.strictEqual(read.ledger.calls.payment, before + 1)
    }).pipe(Effect.provide(read.layer))
  )

  const others = world()
  it.effect("another tenant that names the payment finds none, and nothing is written", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const payment = yield* authorized()
      const order = { paymentId: payment.id, idempotencyKey: null, amountMinor: null, reason: null }
      const { commit } = others.ledger.calls
      for (const stranger of [
        { ...tenant, workspaceId: "other" },
        { ...tenant, environment: "production" as const }
      ]) {
        const strangers: Caller = { ...caller, tenant: stranger }
        assert.strictEqual((yield* Effect.flip(pointsman.capture(strangers, order)))._tag, "pointsman/PaymentNotFound")
      }
      assert.strictEqual(others.ledger.calls.commit, commit)
      assert.deepStrictEqual(yield* asked(others, "capture", payment), { told: "Captured", reads: 0, commits: 2 })
    }).pipe(Effect.provide(others.layer))
  )

  const changed = world()
  it.effect("a caller that changes its payment changes neither the record nor the next refund", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const payment = yield* authorized({ details: { metadata: { order: "7" } } })
      Object.assign(payment, { authorizedMinor: 1, capturedMinor: 1999, state: "Captured" })
      Object.assign(payment.metadata ?? {}, { order: "8" })
      assert.deepStrictEqual(yield* asked(changed, "capture", payment), { told: "Captured", reads: 0, commits: 2 })
      assert.strictEqual(changed.provider.captures[0]?.money.minorUnits, 1999)
      assert.deepStrictEqual((yield* pointsman.payment(tenant, payment.id)).metadata, { order: "7" })
    }).pipe(Effect.provide(changed.layer))
  )
})

describe("how much is kept, and for how long", () => {
  const aged = world()
  it.effect("a book of less than a minute is used, and an older one is read", () =>
    Effect.gen(function* () {
      const [young, old] = [yield* authorized(), yield* authorized()]
      yield* TestClock.adjust(59_999)
      assert.strictEqual((yield* asked(aged, "capture", young)).reads, 0)
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* asked(aged, "capture", old)).reads, 1)
    }).pipe(Effect.provide(aged.layer))
  )

  const many = world()
  it.effect("only the first written of 1,001 payments is read", () =>
    Effect.gen(function* () {
      const payments = yield* Effect.forEach(Array.from({ length: 1_001 }), () => authorized())
      const [first, second, last] = [payments[0], payments[1], payments[1_000]].filter((one) => one !== undefined)
      assert(first !== undefined && second !== undefined && last !== undefined)
      assert.strictEqual((yield* asked(many, "capture", second)).reads, 0)
      assert.strictEqual((yield* asked(many, "capture", last)).reads, 0)
      assert.strictEqual((yield* asked(many, "capture", first)).reads, 1)
    }).pipe(Effect.provide(many.layer))
  )

  const long = world()
  it.effect("a book of 20 records is used, and a longer one is read", () =>
    Effect.gen(function* () {
      const payment = yield* captured
      for (let refunds = 1; refunds <= 20; refunds++) {
        assert.strictEqual((yield* asked(long, "refund", payment, { amountMinor: 1 })).reads, 0)
      }
      assert.strictEqual((yield* asked(long, "refund", payment, { amountMinor: 1 })).reads, 1)
    }).pipe(Effect.provide(long.layer))
  )
})

describe("a store that failed, or lost records", () => {
  const unheard = world()
  it.effect("every payment is read after a commit whose answer was lost", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* authorized(), yield* authorized()]
      unheard.ledger.onCommit = () => "unheard"
      assert.strictEqual((yield* asked(unheard, "capture", one)).told, "pointsman/NothingSent")
      unheard.ledger.onCommit = () => undefined
      assert.strictEqual((yield* asked(unheard, "capture", other)).reads, 1)
      assert.lengthOf(unheard.provider.captures, 1)
    }).pipe(Effect.provide(unheard.layer))
  )

  const failing = world()
  it.effect("only the payment of a failed commit is read", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* authorized(), yield* authorized()]
      failing.ledger.onCommit = () => "unwritten"
      assert.deepStrictEqual(yield* asked(failing, "capture", one), {
        told: "pointsman/NothingSent",
        reads: 0,
        commits: 1
      })
      failing.ledger.onCommit = () => undefined
      assert.deepStrictEqual(yield* asked(failing, "capture", one), { told: "Captured", reads: 1, commits: 2 })
      assert.deepStrictEqual(yield* asked(failing, "capture", other), { told: "Captured", reads: 0, commits: 2 })
    }).pipe(Effect.provide(failing.layer))
  )

  const promoted = world()
  it.effect("a store that continues another history reads what the earlier one wrote", () =>
    Effect.gen(function* () {
      const payment = yield* authorized()
      const snapshots = yield* StorageSnapshots
      yield* yield* snapshots?.take ?? Effect.die("no snapshots")
      // The claim is written with a version of the new history, so that its outcome is decided on a second read.
      assert.deepStrictEqual(yield* asked(promoted, "capture", payment), { told: "Captured", reads: 2, commits: 3 })
      assert.strictEqual((yield* asked(promoted, "refund", payment)).told, "Refunded")
    }).pipe(Effect.provide(promoted.layer))
  )

  const lost = world()
  it.effect("a loss of records sends nothing, and what was written before it is read", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const losses = yield* RecordLosses
      yield* TestClock.adjust(10_000)
      const [one, other] = [yield* authorized(), yield* authorized()]
      yield* losses.declare({ since: 1_000, reason: "a test", declaredAt: 10_000 })
      assert.strictEqual((yield* asked(lost, "capture", one)).told, "pointsman/RequestInProgress")
      assert.lengthOf(lost.provider.captures, 0)
      yield* pointsman.acceptLoss(null)
      assert.deepStrictEqual(yield* asked(lost, "capture", other), { told: "Captured", reads: 1, commits: 2 })
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* asked(lost, "capture", yield* authorized())).reads, 0)
    }).pipe(Effect.provide(lost.layer))
  )
})
