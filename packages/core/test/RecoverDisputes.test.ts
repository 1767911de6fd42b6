/** Disputes that a store lost, and that providers list. */
import { assert, describe } from "@effect/vitest"
import { Pointsman, type Recovery, statusOf } from "@pointsman/core"
import { type Ledger, type ListedDispute, Unanswered } from "@pointsman/core/ports"
import { Effect, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import { itIn, itRuns } from "./support/ItIn.ts"
import { itInListing, listingProvider, listingWorld } from "./support/ListingProvider.ts"
import { created, operate } from "./support/Operations.ts"
import { bookOf, typesOf } from "./support/Pages.ts"
import { say } from "./support/Statements.ts"
import { recovered, tenant, world } from "./support/World.ts"

const day = 24 * 60 * 60_000
const noon = 100.5 * day
const eur = (count: number, amountMinor: number) => [{ currency: "EUR", count, amountMinor }]

const recovering = (isDryRun = false) =>
  Effect.flatMap(Pointsman, ({ recover }) => recovered(recover({ since: noon - day, connectionId: null, isDryRun })))

const main = ({ connections }: Recovery) => {
  const one = connections.find(({ connectionId }) => connectionId === "main")
  assert.isDefined(one)
  return one
}

const create = created()
const stored = (id: string) => bookOf({ tenant, id })
const disputesOf = (paymentId: string) =>
  Effect.flatMap(Pointsman, ({ disputes }) =>
    Effect.map(disputes(tenant, { paymentId, limit: 10 }), ({ items }) => items)
  )

const eventsOf = (id: string) => typesOf({ tenant, id })

const refundOf = (paymentId: string) => operate("refund", paymentId)

/** A provider with a captured payment of a store, and a dispute of it that the store does not have. */
const given = Effect.fnUntraced(function* (
  provider: ReturnType<typeof listingProvider>,
  said: Partial<ListedDispute> = {}
) {
  yield* TestClock.setTime(noon)
  const { id } = yield* create
  const [attempt] = (yield* stored(id)).attempts
  const stated: ListedDispute = {
    charge: { attemptId: attempt?.id ?? "" },
    ...{ disputeId: "du_1", verdict: "opened", money: { minorUnits: 900, currency: "EUR" } },
    ...{ dueBy: noon + 10 * day, at: noon + 1_000 },
    ...said
  }
  provider.books.disputes.push({ connectionId: "main", created: noon, stated })
  yield* TestClock.setTime(noon + 60_000)
  return { id, providerRef: attempt?.providerRef ?? "", stated }
})

const inStore = <A, E>(provider: ReturnType<typeof listingProvider>, work: Effect.Effect<A, E, Pointsman | Ledger>) =>
  Effect.provide(work, world({ provider }).layer)

describe("disputes of the provider's list", () => {
  itInListing("a lost dispute recovers the chargeback, the dispute and its reminders", function* ({ provider }) {
    const { id } = yield* given(provider)
    assert.deepInclude(main(yield* recovering(true)), { disputes: eur(1, 900), listed: 2 })
    assert.deepStrictEqual(yield* disputesOf(id), [])
    const report = main(yield* recovering())
    assert.deepInclude(report, { end: { _tag: "Complete" }, disputes: eur(1, 900), changed: [], reviewed: [] })
    assert.deepStrictEqual(report.unasked, ["payouts"])
    assert.strictEqual(statusOf[(yield* stored(id)).payment.state], "CHARGEBACK")
    const [dispute] = yield* disputesOf(id)
    assert.deepInclude(dispute, {
      status: "needs_response",
      evidenceDueBy: noon + 10 * day,
      providerDisputeId: "du_1"
    })
    const refused = yield* refundOf(id)
    assert.strictEqual(Result.isFailure(refused) && refused.failure._tag, "pointsman/NotRefundable")
    assert.deepStrictEqual((yield* eventsOf(id)).slice(-2), ["payment.chargeback", "dispute.opened"])
    yield* TestClock.setTime(noon + 4 * day)
    yield* (yield* Pointsman).checkDue
    assert.strictEqual((yield* eventsOf(id)).at(-1), "dispute.evidence_due")
  })

  itInListing("nothing is written when a recovered dispute comes by message and recovery again", function* (lost) {
    const { provider } = lost
    const { id, stated } = yield* given(provider)
    yield* recovering()
    const { at, ...about } = stated
    yield* say({ tenant }, { _tag: "Dispute", ...about }, at)
    const once = [yield* stored(id), yield* disputesOf(id), yield* eventsOf(id)]
    assert.deepInclude(main(yield* recovering()), { disputes: [], changed: [], reviewed: [] })
    assert.deepStrictEqual([yield* stored(id), yield* disputesOf(id), yield* eventsOf(id)], once)
  })

  itInListing("a recovered dispute that ended since ends; an older state changes nothing", function* ({ provider }) {
    const { id, stated } = yield* given(provider)
    yield* recovering()
    const list = (said: Partial<ListedDispute>) => {
      provider.books.disputes[0] = { connectionId: "main", created: noon, stated: { ...stated, ...said } }
    }
    list({ verdict: "won", at: noon + 2_000 })
    assert.deepInclude(main(yield* recovering()), { disputes: [], changed: eur(1, 900) })
    assert.strictEqual(statusOf[(yield* stored(id)).payment.state], "CAPTURED")
    list({ verdict: "lost", at: noon + 1_500 })
    assert.deepInclude(main(yield* recovering()), { disputes: [], changed: [] })
    assert.strictEqual((yield* disputesOf(id))[0]?.status, "won")
  })

  itRuns("a dispute and its lost charge are both there again", function* () {
    const provider = listingProvider()
    const { id } = yield* inStore(provider, given(provider))
    const found = { payments: eur(1, 1999), disputes: eur(1, 900) }
    const both = Effect.all([recovering(true), recovering(), stored(id)])
    const [shown, recovered, { payment }] = yield* inStore(provider, both)
    for (const one of [shown, recovered]) assert.deepInclude(main(one), found)
    assert.strictEqual(payment.state, "ChargedBack")
  })

  itInListing("others' charges are skipped, and one of ours that is missing is kept", function* ({ provider }) {
    yield* given(provider, { charge: { providerRef: "ref_of_another_program" } })
    assert.deepInclude(main(yield* recovering()), { disputes: [], kept: 0 })
    yield* given(provider, { disputeId: "du_2", charge: { attemptId: "att_of_nobody" } })
    for (const _ of [1, 2]) assert.deepInclude(main(yield* recovering()), { disputes: [], kept: 1 })
    const { items } = yield* (yield* Pointsman).messages({ outcome: "unreadable", limit: 10 })
    assert.deepStrictEqual(
      items.map(({ eventId, reason }) => [eventId, reason]),
      [["listed:dispute:du_2", "attempt_id: the disputed charge is not stored here"]]
    )
  })

  itInListing("an unanswered list leaves the connection unrecovered until the next time", function* ({ provider }) {
    yield* given(provider)
    const { onListDisputes } = provider
    provider.onListDisputes = () => Effect.fail(new Unanswered({ reason: "status 500" }))
    const failed = yield* recovering()
    assert.deepInclude(main(failed), { end: { _tag: "Failed", reason: "status 500" }, disputes: [] })
    assert.notInclude(failed.loss?.recovered ?? [], "main")
    provider.onListDisputes = onListDisputes
    const recovered = yield* recovering()
    assert.deepInclude(main(recovered), { end: { _tag: "Complete" }, disputes: eur(1, 900) })
    assert.strictEqual(recovered.loss?.ended?.outcome, "recovered")
  })

  itRuns("the report says what a provider without lists of disputes or refunds lacks", function* () {
    const unasked = (missing: Partial<ReturnType<typeof listingProvider>>) => {
      const provider = Object.assign(listingProvider(), missing)
      const recovered = Effect.map(Effect.andThen(TestClock.setTime(noon), recovering()), main)
      return Effect.map(inStore(provider, recovered), ({ end, unasked }) => [end._tag, ...unasked])
    }
    const none = () => Effect.fail(new Unanswered({ reason: "status 501", isUnsupported: true }))
    assert.deepStrictEqual(yield* unasked({ onListDisputes: undefined }), ["Complete", "disputes", "payouts"])
    assert.deepStrictEqual(yield* unasked({ onListDisputes: none }), ["Complete", "disputes", "payouts"])
    assert.deepStrictEqual(yield* unasked({ onListRefunds: none }), ["NoList", "refunds", "payouts"])
    assert.deepStrictEqual(yield* unasked({ onListCharges: none }), ["NoList", "charges", "refunds", "payouts"])
  })
})

describe("refunds after a loss at a provider that lists no disputes", () => {
  itIn(
    "refunds of payments before the recovery wait for an operator, later ones do not",
    listingWorld(Object.assign(listingProvider(), { onListDisputes: undefined })),
    function* ({ provider }) {
      const created = (at: number) =>
        Effect.andThen(
          TestClock.setTime(at),
          Effect.map(create, ({ id }) => id)
        )
      const old = yield* created(noon - 122 * day)
      const young = yield* created(noon - 120 * day)
      const before = yield* created(noon - 1_000)
      yield* TestClock.setTime(noon)
      const { loss } = yield* recovering()
      assert.deepInclude(loss, {
        refundsWait: ["backup", "main"],
        ended: { outcome: "recovered", at: noon + 35_000 }
      })
      const after = yield* created(noon + 36_000)
      const answerOf = (id: string) =>
        Effect.map(refundOf(id), (made) => (Result.isSuccess(made) ? "refunded" : made.failure))
      for (const id of [young, before]) {
        assert.deepInclude(yield* answerOf(id), { _tag: "pointsman/RefundPending", retryAfterMillis: 60_000 })
      }
      for (const id of [old, after]) assert.strictEqual(yield* answerOf(id), "refunded")
      assert.strictEqual(provider.refunds.length, 2)

      const { acceptLoss } = yield* Pointsman
      assert.isTrue(Option.isNone(yield* acceptLoss("nowhere")))
      assert.deepInclude(Option.getOrThrow(yield* acceptLoss("backup")), { refundsWait: ["main"] })
      assert.deepInclude(yield* answerOf(young), { _tag: "pointsman/RefundPending" })
      assert.deepInclude(Option.getOrThrow(yield* acceptLoss("main")), { refundsWait: [] })
      assert.isTrue(Option.isNone(yield* acceptLoss("main")))
      for (const id of [young, before]) assert.strictEqual(yield* answerOf(id), "refunded")
    }
  )

  const withoutLists = listingWorld(
    Object.assign(listingProvider(), { onListCharges: undefined, onListDisputes: undefined })
  )
  itIn("an open loss that is accepted at one connection counts as recovered there", withoutLists, function* () {
    yield* TestClock.setTime(noon)
    const { id } = yield* create
    yield* TestClock.setTime(noon + 1_000)
    assert.deepInclude((yield* recovering()).loss, { recovered: [], refundsWait: [], ended: null })
    assert.isTrue(Result.isFailure(yield* refundOf(id)))
    const { acceptLoss } = yield* Pointsman
    assert.deepInclude(Option.getOrThrow(yield* acceptLoss("main")), {
      recovered: ["main"],
      refundsWait: [],
      ended: null
    })
    // What was lost may be at any connection of the workspace.
    assert.isTrue(Result.isFailure(yield* refundOf(id)))
    assert.strictEqual(Option.getOrThrow(yield* acceptLoss("backup")).ended?.outcome, "accepted")
    assert.isTrue(Result.isSuccess(yield* refundOf(id)))
  })
})
