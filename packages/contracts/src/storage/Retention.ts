/** What is old is found in order, leaves whole or not at all, and nothing else leaves with it. */
import { expect } from "@effect/vitest"
import type { Payment, Tenant } from "@pointsman/core"
import { Deliveries, ReferenceTaken, Retention, type StoredMessage } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { drafts, endpointFor, firstChange, moveAlong, noTrace, reach, rowOf, traceOf, written } from "./Given.ts"
import { messageOf, names, nextOf, withReference } from "./GivenEntries.ts"
import { chapter } from "./StorageTest.ts"

const day = 24 * 60 * 60_000

const messageAbout = (paymentId: string | null, fields: Partial<StoredMessage> = {}) =>
  messageOf(`msg_${paymentId}`, { paymentId, outcome: "confirmed", body: "sealed", ...fields })

/** A captured payment with a key, metadata and a refund in full. */
const refunded = Effect.fnUntraced(function* (tenant: Tenant, payment: Partial<Payment> = {}) {
  const first = yield* written(firstChange(tenant, { payment: { metadata: { order: "1" }, ...payment } }))
  const captured = yield* written(moveAlong(first.after, rowOf("Charging", "ChargeCaptured")))
  const last = yield* written(moveAlong(captured.after, rowOf("Captured", "RefundedInFull")))
  return { first, change: last.change, payment: last.after.payment, walked: last.after }
})

const readPayment = ({ id, tenant, version }: Payment) => ({ tenant, paymentId: id, version })

const oldOf = (tenant: Tenant, query: object = {}) =>
  Effect.flatMap(Retention, ({ oldPayments }) =>
    oldPayments({ tenant, createdBefore: Number.MAX_SAFE_INTEGER, limit: 100, ...query })
  )

/** Ends the deliveries of the tenant, as if their receiver had answered; gives them. */
const deliverAll = Effect.fnUntraced(function* (tenant: Tenant) {
  const deliveries = yield* Deliveries
  const all = yield* deliveries.list(tenant, { limit: 100 })
  for (const one of all) yield* deliveries.replace(one, { ...one, state: "Delivered", dueAt: null })
  return all
})

export const retention = chapter("retention", (it) => {
  it("old payments of a tenant are read whole, oldest first", function* ({ ledger, tenant }) {
    const first = yield* refunded(tenant)
    const second = yield* refunded(tenant)
    yield* refunded({ ...tenant, environment: "production" })
    yield* ledger.storeMessage(tenant, messageAbout(second.payment.id, { outcome: "waits" }))
    const [one, other] = yield* oldOf(tenant)
    expect(one).toStrictEqual({
      book: first.walked,
      events: yield* ledger.timeline(tenant, first.payment.id, { limit: 100 }),
      openDeliveries: 0,
      openMessages: 0
    })
    expect(one?.events).not.toHaveLength(0)
    expect(other).toMatchObject({ book: second.walked, openMessages: 1 })
    const find = (query: object) => Effect.map(oldOf(tenant, query), (old) => old.map(({ book }) => book.payment.id))
    const { createdAt, id, state } = first.payment
    expect(yield* find({ limit: 1 })).toEqual([id])
    expect(yield* find({ limit: 1, after: id })).toEqual([second.payment.id])
    expect(yield* find({ createdBefore: createdAt })).toEqual([])
    expect(yield* find({ state })).toEqual([id, second.payment.id])
    expect(yield* find({ state, after: id })).toEqual([second.payment.id])
    expect(yield* find({ state: "Declined" })).toEqual([])
  })

  it("nothing is left of a removed old payment and its neighbour stays", function* (given) {
    const { deliveries, ledger, retention, tenant } = given
    yield* endpointFor(tenant)
    const leaving = yield* refunded(tenant)
    const staying = yield* refunded(tenant)
    yield* deliverAll(tenant)
    yield* ledger.storeMessage(tenant, messageAbout(leaving.payment.id))
    yield* ledger.storeMessage(tenant, messageAbout(staying.payment.id))
    const before = yield* traceOf(staying.first.change)
    expect(yield* retention.remove([readPayment(leaving.payment)])).toEqual([leaving.payment.id])
    expect(yield* traceOf(leaving.first.change)).toStrictEqual(noTrace)
    expect(yield* ledger.message(tenant, "first", `msg_${leaving.payment.id}`)).toEqual(Option.none())
    expect(yield* ledger.payments(tenant, { metadata: { order: "1" }, limit: 9 })).toStrictEqual([staying.payment])
    const events = yield* ledger.events(tenant, { after: "", limit: 100 })
    expect(events.filter(({ paymentId }) => paymentId === leaving.payment.id)).toEqual([])
    expect(yield* deliveries.list(tenant, { paymentId: leaving.payment.id, limit: 9 })).toEqual([])
    // One for each event of the other payment.
    expect(yield* deliveries.list(tenant, { limit: 100 })).toHaveLength(before.timeline.length)
    expect(yield* traceOf(staying.first.change)).toStrictEqual(before)
    expect(Option.isSome(yield* ledger.message(tenant, "first", `msg_${staying.payment.id}`))).toBe(true)
    expect(yield* retention.remove([readPayment(leaving.payment)])).toEqual([])
    expect(yield* retention.remove([])).toEqual([])
  })

  it("a payment written since it was read, or another tenant's, stays", function* ({ retention, tenant }) {
    const { payment, walked } = yield* refunded(tenant)
    const disputed = yield* written(moveAlong(walked, rowOf("Refunded", "DisputeOpened")))
    const before = yield* traceOf(disputed.change)
    const stranger = { ...tenant, environment: "production" } as const
    const foreign = { ...readPayment(disputed.after.payment), tenant: stranger }
    expect(yield* retention.remove([readPayment(payment), foreign])).toEqual([])
    expect(yield* traceOf(disputed.change)).toStrictEqual(before)
  })

  it("a payment with an open delivery or message stays until that ends", function* ({ ledger, retention, tenant }) {
    yield* endpointFor(tenant)
    const undelivered = yield* refunded(tenant)
    const message = messageAbout(undelivered.payment.id, { outcome: "waits" })
    expect(yield* retention.remove([readPayment(undelivered.payment)])).toEqual([])
    expect((yield* oldOf(tenant))[0]?.openDeliveries).toBe(
      (yield* ledger.timeline(tenant, undelivered.payment.id, { limit: 100 })).length
    )
    yield* deliverAll(tenant)
    yield* ledger.storeMessage(tenant, message)
    expect(yield* retention.remove([readPayment(undelivered.payment)])).toEqual([])
    const { body: _, isSealed: __, ...note } = message
    yield* ledger.keepMessage(tenant, { expected: "waits", after: { ...note, outcome: "older" } }, null)
    expect(yield* retention.remove([readPayment(undelivered.payment)])).toEqual([undelivered.payment.id])
  })

  it("one of two removals of a payment at once has it", function* ({ retention, tenant }) {
    const { payment } = yield* refunded(tenant)
    const one = retention.remove([readPayment(payment)])
    const removed = yield* Effect.all([one, one, one], { concurrency: "unbounded" })
    expect(removed.flat()).toEqual([payment.id])
  })

  it("a removed payment's reference is refused to another, which says whose it was", function* (given) {
    const { ledger, retention, tenant } = given
    const { payment } = yield* refunded(tenant)
    const reference = { connectionId: "first", providerRef: payment.providerRef ?? "" }
    expect(yield* retention.removedPaymentOf(tenant, reference)).toBeNull()
    yield* retention.remove([readPayment(payment)])
    expect(yield* retention.removedPaymentOf(tenant, reference)).toBe(payment.id)
    expect(yield* retention.removedPaymentOf(tenant, { ...reference, providerRef: "other" })).toBeNull()
    expect(yield* ledger.bookOf(tenant, reference)).toEqual(Option.none())
    const { walked } = yield* reach(tenant, "Charging")
    const { change } = yield* moveAlong(walked, rowOf("Charging", "ChargeCaptured"))
    const failed = yield* Effect.flip(ledger.commit(withReference(change, reference.providerRef)))
    expect(failed).toEqual(new ReferenceTaken({ ...reference, paymentId: payment.id }))
  })

  it("a capture's id finds its payment, and nothing once it left", function* (given) {
    const { ledger, retention, settlements, tenant } = given
    const { payment } = yield* refunded(tenant)
    const captures = [{ id: "cap_left", minorUnits: 1 }]
    const reported = { isPaidOut: false, disputes: [], contradictions: [], captures }
    const change = nextOf(payment, { reported })
    yield* ledger.commit(change)
    const find = settlements.booksNamed(tenant, "first", names({ providerRefs: ["cap_left"] }))
    expect((yield* find).books.map((book) => book.payment.id)).toEqual([payment.id])
    yield* retention.remove([readPayment(change.payment.after)])
    expect(yield* find).toEqual({ named: [], books: [] })
  })

  it("deliveries that ended before the time are pruned, and open ones stay", function* (given) {
    const { deliveries, retention, tenant } = given
    yield* endpointFor(tenant)
    const first = yield* refunded(tenant)
    const [open, ...over] = (yield* deliveries.list(tenant, { limit: 100 })).toReversed()
    for (const one of over) yield* deliveries.replace(one, { ...one, state: "GivenUp", dueAt: null })
    yield* TestClock.adjust(day)
    const { payment } = yield* refunded(tenant)
    const young = (yield* deliverAll(tenant)).filter(({ createdAt }) => createdAt === payment.createdAt)
    yield* deliveries.replace({ ...(open ?? over[0]), state: "Delivered" } as never, open as never)
    const query = { tenant, before: payment.createdAt, limit: 100 }
    const oldest = { oldestPaymentAt: first.payment.createdAt, oldestDeliveryAt: first.payment.createdAt }
    const held = yield* retention.held({ tenant, deliveriesBefore: query.before, bodiesBefore: null, limit: 9 })
    expect(held).toMatchObject({ deliveries: over.length, bodies: 0, ...oldest, oldestBodyAt: null })
    expect(yield* retention.pruneDeliveries({ ...query, limit: 1 })).toBe(1)
    expect(yield* retention.pruneDeliveries(query)).toBe(over.length - 1)
    expect(yield* retention.pruneDeliveries(query)).toBe(0)
    const left = yield* deliveries.list(tenant, { limit: 100 })
    expect(left.map(({ id }) => id).toSorted()).toEqual([open?.id, ...young.map(({ id }) => id)].toSorted())
    expect(yield* deliveries.attempts(tenant, over[0]?.id ?? "")).toEqual([])
  })

  it("bodies are pruned but of undecided messages, and all messages stay known", function* (given) {
    const { ledger, retention, tenant } = given
    const reviewed = (yield* reach(tenant, "ChargeMismatched")).walked.payment
    expect(reviewed.review).not.toBeNull()
    const decided = (yield* refunded(tenant)).payment
    const cases = [
      ["applied", decided.id, true],
      ["confirmed", decided.id, true],
      ["older", decided.id, true],
      ["contradicts", decided.id, true],
      ["contradicts", reviewed.id, false],
      ["received", null, false],
      ["waits", decided.id, false],
      ["unmatched", null, false],
      ["unreadable", null, false]
    ] as const
    const messages = cases.map(([outcome, paymentId], index) =>
      messageAbout(paymentId, { outcome, eventId: `m${index}`, receivedAt: index })
    )
    for (const message of messages) yield* ledger.storeMessage(tenant, message)
    yield* ledger.storeMessage(tenant, messageAbout(decided.id, { eventId: "young", receivedAt: 100 }))
    const query = { tenant, before: 100, limit: 3 }
    const bodies = { tenant, deliveriesBefore: null, bodiesBefore: 100, limit: 9 }
    expect(yield* retention.held(bodies)).toMatchObject({ bodies: 4, oldestBodyAt: 0 })
    expect(yield* retention.pruneBodies(query)).toBe(3)
    expect(yield* retention.pruneBodies(query)).toBe(1)
    expect(yield* retention.pruneBodies(query)).toBe(0)
    expect(yield* retention.held(bodies)).toMatchObject({ bodies: 0, oldestBodyAt: 4 })
    for (const [index, message] of messages.entries()) {
      const stored = Option.getOrThrow(yield* ledger.message(tenant, "first", `m${index}`))
      expect(stored).toStrictEqual(cases[index]?.[2] === true ? { ...message, body: "", isSealed: false } : message)
      // It is known when it comes again.
      expect(Option.isSome(yield* ledger.storeMessage(tenant, message))).toBe(true)
    }
    const young = Option.getOrThrow(yield* ledger.message(tenant, "first", "young"))
    expect(young.body).toBe("sealed")
  })

  it("another holder has a lease when it is over, and its own extends it", function* ({ retention: { lease } }) {
    const now = 9_000_000_000_000
    expect(yield* lease({ holder: "one", now, until: now + 10 })).toBe(true)
    expect(yield* lease({ holder: "two", now: now + 9, until: now + 20 })).toBe(false)
    expect(yield* lease({ holder: "one", now: now + 9, until: now + 30 })).toBe(true)
    expect(yield* lease({ holder: "two", now: now + 29, until: now + 40 })).toBe(false)
    expect(yield* lease({ holder: "two", now: now + 30, until: now + 40 })).toBe(true)
    expect(yield* lease({ holder: "one", now: now + 30, until: now + 40 })).toBe(false)
  })

  it("each of three leases has a holder of its own", function* ({ retention: { lease } }) {
    // Later than every other test's.
    const now = 4_000_000_000_000
    const take = (what: "proof" | "reports", holder: string, at: number, until: number) =>
      lease({ what, holder, now: at, until })
    expect(yield* take("proof", "one", now, now + 20)).toBe(true)
    expect(yield* take("proof", "two", now + 1, now + 30)).toBe(false)
    expect(yield* lease({ holder: "two", now, until: now + 10 })).toBe(true)
    expect(yield* take("reports", "two", now + 1, now + 20)).toBe(true)
    expect(yield* take("reports", "one", now + 19, now + 30)).toBe(false)
    expect(yield* take("proof", "two", now + 19, now + 30)).toBe(false)
    expect(yield* take("proof", "two", now + 20, now + 30)).toBe(true)
    expect(yield* take("reports", "one", now + 20, now + 30)).toBe(true)
  })

  it("another holder has a lease that ends later than an hour from now", function* ({ retention: { lease } }) {
    const hour = 60 * 60_000
    // After those of the test above, in a store that both share.
    const now = 9_100_000_000_000
    expect(yield* lease({ holder: "one", now, until: now + hour })).toBe(true)
    expect(yield* lease({ holder: "two", now, until: now + 10 })).toBe(false)
    expect(yield* lease({ holder: "two", now: now - 1, until: now + 10 })).toBe(true)
  })

  it("payments are written and delivered as before after the store's upkeep", function* (given) {
    const { deliveries, ledger, retention, tenant } = given
    yield* endpointFor(tenant)
    const { payment } = yield* refunded(tenant)
    const before = payment.createdAt - day
    yield* retention.upkeep({ now: payment.createdAt, deliveriesBefore: before, bodiesBefore: before })
    const after = yield* refunded(tenant)
    expect(drafts(yield* ledger.timeline(tenant, after.payment.id, { limit: 100 })).length).toBeGreaterThan(0)
    expect(yield* deliveries.list(tenant, { limit: 100 })).toHaveLength(
      (yield* ledger.events(tenant, { after: "", limit: 100 })).length
    )
  })
})
