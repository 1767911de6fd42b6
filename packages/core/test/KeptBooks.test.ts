/** What a process wrote last: when it decides on that without a read, and when it reads. */
import { assert, describe } from "@effect/vitest"
import { type Caller, type Payment, Pointsman } from "@pointsman/core"
import { StorageSnapshots } from "@pointsman/core/internal"
import { RecordLosses } from "@pointsman/core/ports"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { itHere } from "./support/ItIn.ts"
import { authorized, created, type Kind, operate, operationKinds, payable, told } from "./support/Operations.ts"
import { caller, tenant, type World } from "./support/World.ts"

/** How an operation ended, and what it asked of the store. */
const asked = Effect.fnUntraced(function* (
  { ledger }: World,
  kind: Kind,
  { id }: Payment,
  order: Parameters<typeof operate>[2] = {}
) {
  const before = { ...ledger.calls }
  const answer = yield* operate(kind, id, order)
  const { book, commit, payment } = ledger.calls
  assert.strictEqual(payment, before.payment)
  return { told: told(answer), reads: book - before.book, commits: commit - before.commit }
})

describe("what another server wrote meanwhile", () => {
  for (const kind of operationKinds) {
    itHere(`a ${kind} takes two commits, and one read if another process wrote the payment`, function* (own) {
      const foreign = yield* Effect.provideService(payable(kind), Pointsman, yield* own.another)
      for (const [payment, reads] of [
        [yield* payable(kind), 0],
        [foreign, 1]
      ] as const) {
        assert.deepInclude(yield* asked(own, kind, payment), { reads, commits: 2 })
      }
    })
  }

  itHere("a capture after a void is refused on what is stored, and nothing is sent", function* (own) {
    const payment = yield* authorized
    yield* Effect.provideService(operate("void", payment.id), Pointsman, yield* own.another)
    const capture = yield* asked(own, "capture", payment)
    // The kept book is refused by its version, and is gone.
    assert.deepStrictEqual(capture, { told: "pointsman/NotCapturable", reads: 1, commits: 1 })
    assert.deepStrictEqual(yield* asked(own, "capture", payment), { ...capture, commits: 0 })
    assert.lengthOf(own.provider.captures, 0)
  })

  itHere("a refund after a capture is made, and not refused on what was kept", function* (own) {
    const payment = yield* authorized
    yield* Effect.provideService(operate("capture", payment.id), Pointsman, yield* own.another)
    assert.deepStrictEqual(yield* asked(own, "refund", payment), { told: "Refunded", reads: 1, commits: 2 })
  })

  itHere("the rest is sent when it is asked for after a part's refund", function* (own) {
    const payment = yield* created()
    yield* Effect.provideService(operate("refund", payment.id, { amountMinor: 1500 }), Pointsman, yield* own.another)
    assert.deepStrictEqual(yield* asked(own, "refund", payment), { told: "Refunded", reads: 1, commits: 3 })
    assert.deepStrictEqual(
      own.provider.refunds.map(({ money }) => money.minorUnits),
      [1500, 499]
    )
  })

  itHere("a capture under the same key is repeated, and nothing is sent again", function* (own) {
    const payment = yield* authorized
    const order = { idempotencyKey: "capture-1" }
    yield* Effect.provideService(operate("capture", payment.id, order), Pointsman, yield* own.another)
    assert.isTrue(Result.getOrThrow(yield* operate("capture", payment.id, order)).isReplay)
    assert.lengthOf(own.provider.captures, 1)
  })
})

describe("what is read, whatever this process wrote last", () => {
  itHere("a refusal, a replay and a payment that is shown are each read", function* (own, pointsman) {
    const payment = yield* created()
    assert.deepStrictEqual(yield* asked(own, "capture", payment), {
      told: "pointsman/NotCapturable",
      reads: 1,
      commits: 0
    })
    const order = { idempotencyKey: "refund-1", amountMinor: 500 }
    yield* operate("refund", payment.id, order)
    assert.deepInclude(yield* asked(own, "refund", payment, order), { reads: 1, commits: 0 })
    yield* operate("refund", payment.id, { amountMinor: 1 })
    assert.deepStrictEqual(yield* asked(own, "refund", payment, { ...order, amountMinor: 501 }), {
      told: "pointsman/KeyReused",
      reads: 1,
      commits: 0
    })
    yield* operate("refund", payment.id, { amountMinor: 1 })
    const before = own.ledger.calls.payment
    yield* pointsman.payment(tenant, payment.id)
    assert.strictEqual(own.ledger.calls.payment, before + 1)
  })

  itHere("another tenant that names the payment finds none, and nothing is written", function* (own, pointsman) {
    const payment = yield* authorized
    const order = { paymentId: payment.id, idempotencyKey: null, amountMinor: null, reason: null }
    const { commit } = own.ledger.calls
    for (const stranger of [
      { ...tenant, workspaceId: "other" },
      { ...tenant, environment: "production" as const }
    ]) {
      const strangers: Caller = { ...caller, tenant: stranger }
      assert.strictEqual((yield* Effect.flip(pointsman.capture(strangers, order)))._tag, "pointsman/PaymentNotFound")
    }
    assert.strictEqual(own.ledger.calls.commit, commit)
    assert.deepStrictEqual(yield* asked(own, "capture", payment), { told: "Captured", reads: 0, commits: 2 })
  })

  itHere("a caller that changes its payment changes neither the record nor the next refund", function* (own) {
    const payment = yield* created({ captureMethod: "manual", metadata: { order: "7" } })
    Object.assign(payment, { authorizedMinor: 1, capturedMinor: 1999, state: "Captured" })
    Object.assign(payment.metadata ?? {}, { order: "8" })
    assert.deepStrictEqual(yield* asked(own, "capture", payment), { told: "Captured", reads: 0, commits: 2 })
    assert.strictEqual(own.provider.captures[0]?.money.minorUnits, 1999)
    assert.deepStrictEqual((yield* (yield* Pointsman).payment(tenant, payment.id)).metadata, { order: "7" })
  })
})

describe("how much is kept, and for how long", () => {
  itHere("a book of less than a minute is used, and an older one is read", function* (own) {
    const [young, old] = [yield* authorized, yield* authorized]
    yield* TestClock.adjust(59_999)
    assert.strictEqual((yield* asked(own, "capture", young)).reads, 0)
    yield* TestClock.adjust(1)
    assert.strictEqual((yield* asked(own, "capture", old)).reads, 1)
  })

  itHere("only the first written of 1,001 payments is read", function* (own) {
    const payments = yield* Effect.forEach(Array.from({ length: 1_001 }), () => authorized)
    const [first, second, last] = [payments[0], payments[1], payments[1_000]].filter((one) => one !== undefined)
    assert(first !== undefined && second !== undefined && last !== undefined)
    assert.strictEqual((yield* asked(own, "capture", second)).reads, 0)
    assert.strictEqual((yield* asked(own, "capture", last)).reads, 0)
    assert.strictEqual((yield* asked(own, "capture", first)).reads, 1)
  })

  itHere("a book of 20 records is used, and a longer one is read", function* (own) {
    const payment = yield* created()
    for (let refunds = 1; refunds <= 20; refunds++) {
      assert.strictEqual((yield* asked(own, "refund", payment, { amountMinor: 1 })).reads, 0)
    }
    assert.strictEqual((yield* asked(own, "refund", payment, { amountMinor: 1 })).reads, 1)
  })
})

describe("a store that failed, or lost records", () => {
  itHere("every payment is read after a commit whose answer was lost", function* (own) {
    const [one, other] = [yield* authorized, yield* authorized]
    own.ledger.onCommit = () => "unheard"
    assert.strictEqual((yield* asked(own, "capture", one)).told, "pointsman/NothingSent")
    own.ledger.onCommit = () => undefined
    assert.strictEqual((yield* asked(own, "capture", other)).reads, 1)
    assert.lengthOf(own.provider.captures, 1)
  })

  itHere("only the payment of a failed commit is read", function* (own) {
    const [one, other] = [yield* authorized, yield* authorized]
    own.ledger.onCommit = () => "unwritten"
    assert.deepStrictEqual(yield* asked(own, "capture", one), { told: "pointsman/NothingSent", reads: 0, commits: 1 })
    own.ledger.onCommit = () => undefined
    assert.deepStrictEqual(yield* asked(own, "capture", one), { told: "Captured", reads: 1, commits: 2 })
    assert.deepStrictEqual(yield* asked(own, "capture", other), { told: "Captured", reads: 0, commits: 2 })
  })

  itHere("a store that continues another history reads what the earlier one wrote", function* (own) {
    const payment = yield* authorized
    const snapshots = yield* StorageSnapshots
    yield* yield* snapshots?.take ?? Effect.die("no snapshots")
    // The claim is written with a version of the new history, so that its outcome is decided on a second read.
    assert.deepStrictEqual(yield* asked(own, "capture", payment), { told: "Captured", reads: 2, commits: 3 })
    assert.strictEqual((yield* asked(own, "refund", payment)).told, "Refunded")
  })

  itHere("a loss of records sends nothing, and what was written before it is read", function* (own, pointsman) {
    const losses = yield* RecordLosses
    yield* TestClock.adjust(10_000)
    const [one, other] = [yield* authorized, yield* authorized]
    yield* losses.declare({ since: 1_000, reason: "a test", declaredAt: 10_000 })
    assert.strictEqual((yield* asked(own, "capture", one)).told, "pointsman/RequestInProgress")
    assert.lengthOf(own.provider.captures, 0)
    yield* pointsman.acceptLoss(null)
    assert.deepStrictEqual(yield* asked(own, "capture", other), { told: "Captured", reads: 1, commits: 2 })
    yield* TestClock.adjust(1)
    assert.strictEqual((yield* asked(own, "capture", yield* authorized)).reads, 0)
  })
})
