/** Webhooks on their way: written with their events, taken by lease, so many at once for one endpoint. */
import { expect } from "@effect/vitest"
import type { Delivery, DeliveryEnd, Tenant } from "@pointsman/core"
import { Deliveries, type DueDelivery, Ledger } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { endpointFor, firstChange, moveAlong, newTenant, rowOf, writeDirectory, written } from "./Given.ts"
import { chapter, itWith } from "./StorageTest.ts"
import { atOnce, timesFrom } from "./Unguarded.ts"

const someTime = timesFrom(5_000_000_000_000)

/** Writes a payment, and with it `payment.created`. */
const created = Effect.fnUntraced(function* (tenant: Tenant, deliverAt?: number) {
  const { after, change } = yield* firstChange(tenant)
  yield* (yield* Ledger).commit({ ...change, deliverAt })
  return after
})

const listed = (tenant: Tenant) => Effect.flatMap(Deliveries, ({ list }) => list(tenant, { limit: 1000 }))

interface Taking {
  readonly leaseMillis?: number
  readonly limitPerEndpoint?: number
  readonly limit?: number
}

/** Those of a tenant that are due. */
const taken = Effect.fnUntraced(function* (now: number, tenant: Tenant, taking: Taking = {}) {
  const found = yield* (yield* Deliveries).takeDue({
    now,
    leaseMillis: 1000,
    limitPerEndpoint: 1000,
    limit: 10_000,
    ...taking
  })
  return found.filter(
    ({ delivery: { tenant: owner } }) =>
      owner.workspaceId === tenant.workspaceId && owner.environment === tenant.environment
  )
})

const ended = ({ delivery }: DueDelivery, after: Partial<Delivery>, end: DeliveryEnd, endedAt: number) => ({
  after: { ...delivery, ...after },
  attempt: { deliveryId: delivery.id, number: delivery.attempts, sentAt: endedAt - 10, endedAt, end }
})

const ok: DeliveryEnd = { _tag: "Answered", status: 200 }
const delivered = { state: "Delivered", dueAt: null } as const

const idsOf = (found: ReadonlyArray<Delivery>) => found.map(({ id }) => id)

export const deliveries = chapter("deliveries", (suiteIt) => {
  /** With an endpoint of the tenant, and a time that no other test has. */
  const it = itWith(suiteIt, ({ tenant }) =>
    Effect.map(endpointFor(tenant), (endpoint) => ({ endpoint, at: someTime() }))
  )
  /** And with a payment whose delivery is taken at that time. */
  const itTaken = itWith(suiteIt, ({ tenant }) =>
    Effect.gen(function* () {
      const endpoint = yield* endpointFor(tenant)
      const at = someTime()
      yield* created(tenant, at)
      const [first] = yield* taken(at, tenant, { leaseMillis: 100 })
      return { endpoint, at, first: first as DueDelivery }
    })
  )

  it("the time of the first delivery is reported, and not of those that are over", function* (given) {
    const { deliveries, tenant: one } = given
    const other = yield* newTenant()
    yield* endpointFor(other)
    // Before all that other tests left behind.
    const at = -1_000_000
    yield* created(one, at + 10)
    yield* created(other, at)
    expect(yield* deliveries.firstDueAt).toBe(at)
    for (const [tenant, left] of [
      [other, at + 10],
      [one, undefined]
    ] as const) {
      for (const delivery of yield* listed(tenant)) {
        expect(yield* deliveries.replace(delivery, { ...delivery, state: "Refused", dueAt: null })).toBe(true)
      }
      const first = yield* deliveries.firstDueAt
      if (left === undefined) expect(first === null || first > at + 10).toBe(true)
      else expect(first).toBe(left)
    }
  })

  it("an event goes to the active endpoints of the tenant that want it", function* (given) {
    const { at, deliveries, endpoint: all, ledger, tenant } = given
    const named = yield* endpointFor(tenant, { events: ["payment.captured", "payment.created"] })
    yield* endpointFor(tenant, { events: ["payment.captured"] })
    yield* endpointFor(tenant, { events: [] })
    yield* endpointFor(tenant, { active: false })
    yield* endpointFor({ ...tenant, environment: "production" })
    yield* endpointFor(yield* newTenant())
    const { payment } = yield* created(tenant, at)
    const [event] = yield* ledger.timeline(tenant, payment.id, { limit: 10 })
    const found = yield* listed(tenant)
    expect(found.map(({ endpointId }) => endpointId).toSorted()).toEqual([all.id, named.id].toSorted())
    for (const { id, endpointId, ...delivery } of found) {
      expect(id).toMatch(/^dlv_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      expect(delivery).toStrictEqual({
        tenant,
        eventId: event?.id,
        state: "Due",
        failures: 0,
        attempts: 0,
        dueAt: at,
        createdAt: event?.createdAt
      })
      expect(yield* deliveries.delivery(tenant, id)).toStrictEqual(Option.some({ id, endpointId, ...delivery }))
    }
    expect(yield* listed({ ...tenant, environment: "production" })).toEqual([])
  })

  suiteIt("a commit says that it writes deliveries to an endpoint that came later", function* ({ ledger, tenant }) {
    yield* written(firstChange(tenant))
    yield* endpointFor(tenant)
    for (let times = 0; times < 2; times++) {
      expect(yield* ledger.commit((yield* firstChange(tenant)).change)).toBe(true)
    }
  })

  it("a delivery without a time is due from the time of its event", function* ({ tenant }) {
    const { payment } = yield* created(tenant)
    expect((yield* listed(tenant)).map(({ dueAt }) => dueAt)).toEqual([payment.updatedAt])
  })

  it("no delivery is left of a refused change", function* ({ ledger, tenant }) {
    const { change } = yield* firstChange(tenant)
    yield* Effect.flip(ledger.commit({ ...change, apiKeyHash: "of no key" }))
    expect(yield* listed(tenant)).toEqual([])
    yield* ledger.commit(change)
    yield* Effect.flip(ledger.commit(change))
    expect(yield* listed(tenant)).toHaveLength(1)
  })

  it("an endpoint gets no events from before it came, or from after it went", function* (given) {
    const { endpoint: early, tenant } = given
    const book = yield* created(tenant)
    const late = yield* endpointFor(tenant)
    yield* writeDirectory({ webhookEndpoints: [{ ...early, active: false }] })
    yield* written(moveAlong(book, rowOf("Charging", "ChargeUnanswered")))
    const found = (yield* listed(tenant)).toReversed()
    expect(found.map(({ endpointId }) => endpointId)).toEqual([early.id, late.id])
  })

  suiteIt("a due delivery is taken with its endpoint and event, and its attempt has begun", function* (given) {
    const { deliveries, ledger, tenant } = given
    const endpoint = yield* endpointFor(tenant, { sealedPreviousSecret: "sealed before" })
    const at = someTime()
    const { payment } = yield* created(tenant, at)
    const events = yield* ledger.timeline(tenant, payment.id, { limit: 10 })
    const [before] = yield* listed(tenant)
    expect(yield* taken(at - 1, tenant)).toEqual([])
    const [found, ...others] = yield* taken(at, tenant, { leaseMillis: 500 })
    expect(others).toEqual([])
    expect(found).toStrictEqual({
      delivery: { ...before, state: "Sending", attempts: 1, dueAt: at + 500 },
      endpoint,
      event: events[0]
    })
    expect(yield* listed(tenant)).toStrictEqual([found?.delivery])
    expect(yield* deliveries.attempts(tenant, before?.id ?? "")).toStrictEqual([
      { deliveryId: before?.id, number: 1, sentAt: at, endedAt: null, end: null }
    ])
  })

  itTaken("a delivery taken without a record is due again after the lease, and not before", function* ({ at, tenant }) {
    expect(yield* taken(at + 99, tenant)).toEqual([])
    const again = yield* taken(at + 100, tenant)
    expect(again.map(({ delivery }) => delivery.attempts)).toEqual([2])
  })

  itTaken("a recorded end leaves the delivery as it says, and due when it says", function* (given) {
    const { at, deliveries: store, first, tenant } = given
    const failed: DeliveryEnd = { _tag: "Failed", failure: "NoConnection" }
    yield* store.record([ended(first, { state: "Due", failures: 1, dueAt: at + 50 }, failed, at + 20)])
    expect(yield* taken(at + 49, tenant)).toEqual([])
    const [second] = yield* taken(at + 50, tenant)
    if (second === undefined) return expect.unreachable()
    expect(second.delivery).toStrictEqual({ ...first.delivery, failures: 1, attempts: 2, dueAt: at + 1050 })
    yield* store.record([ended(second, delivered, ok, at + 60)])
    expect(yield* taken(at + 100_000, tenant)).toEqual([])
    expect(yield* listed(tenant)).toStrictEqual([{ ...second.delivery, ...delivered }])
    expect(yield* store.attempts(tenant, first.delivery.id)).toStrictEqual([
      { deliveryId: first.delivery.id, number: 1, sentAt: at, endedAt: at + 20, end: failed },
      { deliveryId: first.delivery.id, number: 2, sentAt: at + 50, endedAt: at + 60, end: ok }
    ])
  })

  itTaken("the end of an attempt that another one replaced reports it and no more", function* (given) {
    const { at, deliveries: store, first, tenant } = given
    const [second] = yield* taken(at + 100, tenant, { leaseMillis: 100 })
    if (second === undefined) return expect.unreachable()
    yield* store.record([ended(first, delivered, ok, at + 110)])
    expect(yield* listed(tenant)).toStrictEqual([second.delivery])
    const [told] = yield* store.attempts(tenant, first.delivery.id)
    expect(told?.end).toEqual(ok)
    yield* store.record([ended(second, delivered, ok, at + 120)])
    expect((yield* listed(tenant)).map(({ state }) => state)).toEqual(["Delivered"])
  })

  it("an endpoint with much that is due gets its share, and another one all of its own", function* (given) {
    const { at, deliveries: store, endpoint: crowded, tenant } = given
    for (let index = 0; index < 8; index++) yield* created(tenant, at + index)
    const quiet = yield* endpointFor(tenant)
    yield* created(tenant, at + 8)
    const now = at + 10
    const countsOf = (found: ReadonlyArray<DueDelivery>) =>
      [crowded, quiet].map(({ id }) => found.filter(({ delivery }) => delivery.endpointId === id).length)
    const first = yield* taken(now, tenant, { limitPerEndpoint: 3 })
    expect(countsOf(first)).toEqual([3, 1])
    // Those in flight count, whichever process took them.
    expect(yield* taken(now, tenant, { limitPerEndpoint: 3 })).toEqual([])
    const [one] = first
    if (one === undefined) return expect.unreachable()
    yield* store.record([ended(one, delivered, ok, now)])
    expect(countsOf(yield* taken(now, tenant, { limitPerEndpoint: 3 }))).toEqual([1, 0])
    // Where the lease is over, what was on its way is due itself, and the bound holds for it again.
    expect(countsOf(yield* taken(now + 1000, tenant, { limitPerEndpoint: 3 }))).toEqual([3, 1])
  })

  suiteIt("one that waits less is found behind many endpoints with all places taken", function* (given) {
    const { deliveries, tenant } = given
    // Before all that other tests left behind, and more than a store passes over by chance.
    const at = -2_000_000
    for (let index = 0; index < 40; index++) yield* endpointFor(tenant)
    yield* created(tenant, at)
    yield* created(tenant, at + 1)
    expect(yield* taken(at, tenant, { limitPerEndpoint: 1 })).toHaveLength(40)
    const { id } = yield* endpointFor(tenant)
    yield* created(tenant, at + 2)
    const next = yield* taken(at + 10, tenant, { limitPerEndpoint: 1, limit: 1 })
    expect(next.map(({ delivery }) => delivery.endpointId)).toEqual([id])
    for (const delivery of yield* listed(tenant)) {
      yield* deliveries.replace(delivery, { ...delivery, state: "Refused", dueAt: null })
    }
  })

  it("those that wait longest at an endpoint come first, and no more than asked for", function* ({ tenant }) {
    // Before all that other tests left behind.
    for (const at of [-10, -30, -20]) yield* created(tenant, at)
    const next = Effect.map(taken(0, tenant, { limit: 2 }), (found) => found.map(({ delivery }) => delivery.id))
    const byTime = (yield* listed(tenant)).toSorted((a, b) => (a.dueAt ?? 0) - (b.dueAt ?? 0)).map(({ id }) => id)
    expect(yield* next).toEqual(byTime.slice(0, 2))
    expect(yield* next).toEqual(byTime.slice(2))
  })

  it("each delivery goes to one of 16 takers at once", function* ({ at, tenant }) {
    yield* endpointFor(tenant)
    for (let index = 0; index < 10; index++) yield* created(tenant, at)
    const all = (yield* atOnce(Array.from({ length: 16 }), () => taken(at, tenant))).flat()
    const ids = idsOf(yield* listed(tenant))
    expect(ids).toHaveLength(20)
    expect(idsOf(all.map(({ delivery }) => delivery)).toSorted()).toEqual(ids.toSorted())
  })

  for (const [state, status] of [
    ["Refused", 410],
    ["Delivered", 200]
  ] as const) {
    itTaken(`a delivery that is ${state} is due again for one of those who ask`, function* (given) {
      const { at, deliveries: store, first, tenant } = given
      const over = { ...first.delivery, state, dueAt: null }
      const asked = { ...over, state: "Due", dueAt: at + 100 } as const
      expect(yield* store.replace(over, asked)).toBe(false)
      yield* store.record([ended(first, over, { _tag: "Answered", status }, at + 1)])
      expect(yield* store.replace({ ...over, tenant: yield* newTenant() }, asked)).toBe(false)
      expect([yield* store.replace(over, asked), yield* store.replace(over, asked)]).toEqual([true, false])
      expect(yield* taken(at + 99, tenant)).toEqual([])
      const again = yield* taken(at + 100, tenant)
      expect(again.map(({ delivery }) => [delivery.id, delivery.attempts])).toEqual([[first.delivery.id, 2]])
    })
  }

  it("deliveries are listed newest first, by page and state, only for their tenant", function* (given) {
    const { at, deliveries: store, tenant } = given
    const other = { ...tenant, environment: "production" } as const
    yield* endpointFor(other)
    yield* created(other, at)
    for (let index = 0; index < 5; index++) yield* created(tenant, at + index * 1000)
    const all = idsOf(yield* listed(tenant))
    expect(all).toHaveLength(5)
    expect(all).toEqual(all.toSorted().toReversed())
    const list = (query: object) => Effect.map(store.list(tenant, { limit: 9, ...query }), idsOf)
    expect(yield* list({ limit: 2 })).toEqual(all.slice(0, 2))
    expect(yield* list({ limit: 2, before: all[1] ?? "" })).toEqual(all.slice(2, 4))
    const [oldest] = yield* taken(at, tenant)
    expect(oldest?.delivery.id).toBe(all[4])
    expect(yield* list({ state: "Sending" })).toEqual(all.slice(4))
    expect(yield* list({ state: "Due" })).toEqual(all.slice(0, 4))
    expect(yield* list({ state: "Due", before: all[2] ?? "" })).toEqual(all.slice(3, 4))
    const [foreign] = yield* listed(other)
    expect(yield* store.delivery(tenant, foreign?.id ?? "")).toStrictEqual(Option.none())
    expect(yield* store.attempts(other, all[4] ?? "")).toEqual([])
  })

  it("deliveries are listed by endpoint and payment, newest first, with their events", function* (given) {
    const { at, deliveries: store, endpoint: one, ledger, tenant } = given
    const elsewhere = { ...tenant, environment: "production" } as const
    const other = yield* endpointFor(tenant)
    const foreign = yield* endpointFor(elsewhere)
    const books = [yield* created(tenant, at), yield* created(tenant, at + 1000), yield* created(tenant, at + 2000)]
    yield* created(elsewhere, at)
    const [paymentId = ""] = books.map(({ payment }) => payment.id)
    const all = yield* listed(tenant)
    const events = yield* store.events(tenant, [...idsOf(all), "dlv_of_none"])
    expect(events.size).toBe(6)
    for (const { eventId, id } of all) expect(events.get(id)?.id).toBe(eventId)
    const [oldest, ...others] = yield* ledger.timeline(tenant, paymentId, { limit: 10 })
    expect(others).toEqual([])
    expect([...events.values()].filter(({ id }) => id === oldest?.id)).toStrictEqual([oldest, oldest])
    expect(yield* store.events(elsewhere, idsOf(all))).toEqual(new Map())

    const list = (query: object) => Effect.map(store.list(tenant, { limit: 9, ...query }), idsOf)
    const listOne = (query: object) => list({ endpointId: one.id, ...query })
    const ofOne = idsOf(all.filter(({ endpointId }) => endpointId === one.id))
    expect(ofOne).toHaveLength(3)
    expect(yield* listOne({})).toEqual(ofOne)
    expect(yield* listOne({ limit: 2 })).toEqual(ofOne.slice(0, 2))
    expect(yield* listOne({ before: ofOne[0] ?? "" })).toEqual(ofOne.slice(1))
    const [first] = (yield* taken(at, tenant)).filter(({ delivery }) => delivery.endpointId === one.id)
    expect(first?.delivery.id).toBe(ofOne[2])
    // Of two states, still by id.
    expect(yield* listOne({})).toEqual(ofOne)
    expect(yield* listOne({ state: "Sending" })).toEqual(ofOne.slice(2))
    expect(yield* list({ endpointId: foreign.id })).toEqual([])

    const ofPayment = idsOf(all.filter(({ eventId }) => eventId === oldest?.id))
    expect(ofPayment).toHaveLength(2)
    expect(yield* list({ paymentId })).toEqual(ofPayment)
    expect(yield* list({ limit: 1, paymentId })).toEqual(ofPayment.slice(0, 1))
    expect(yield* list({ paymentId, before: ofPayment[0] ?? "" })).toEqual(ofPayment.slice(1))
    const both = yield* store.list(tenant, { limit: 9, paymentId, endpointId: other.id, state: "Sending" })
    expect(both.map(({ endpointId }) => endpointId)).toEqual([other.id])
    expect(yield* list({ paymentId, endpointId: other.id, state: "Due" })).toEqual([])
    expect(yield* store.list(elsewhere, { limit: 9, paymentId })).toEqual([])
  })
})
