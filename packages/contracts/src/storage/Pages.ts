/**
 * Pages stay as they are while new rows arrive, and a cursor is a place in the order, not a row. A reader that continues from
 * its last event misses none, however many writers there are.
 */
import { expect } from "@effect/vitest"
import type { Event, Payment, Tenant } from "@pointsman/core"
import { Effect, Fiber } from "effect"
import { firstChange, moveAlong, reach, rowOf, written } from "./Given.ts"
import { chapter } from "./StorageTest.ts"
import { pagesOf } from "./Unguarded.ts"

const pageSize = 4
/** Two full pages, and a part of a third. */
const rows = 2 * pageSize + 2

const write = Effect.fnUntraced(function* (tenant: Tenant) {
  const { after } = yield* written(firstChange(tenant))
  return after
})

const ids = (rows: ReadonlyArray<{ readonly id: string }>): ReadonlyArray<string> => rows.map(({ id }) => id)

export const pages = chapter("pages", (it) => {
  it("pages of payments, newest first, do not move while new ones arrive", function* ({ ledger, tenant }) {
    const written = yield* Effect.forEach(Array(rows).keys(), () => write(tenant))
    const read = yield* pagesOf(
      Effect.fnUntraced(function* (last?: Payment) {
        if (last !== undefined) yield* write(tenant)
        const page = yield* ledger.payments(tenant, { before: last?.id, limit: pageSize })
        expect(page.length).toBeLessThanOrEqual(pageSize)
        return page
      })
    )
    expect(ids(read)).toEqual(ids(written.map(({ payment }) => payment)).toReversed())
  })

  it("pages of events, newest first, do not move while new ones arrive", function* ({ ledger, tenant }) {
    yield* Effect.forEach(Array(rows).keys(), () => write(tenant))
    const all = yield* ledger.events(tenant, { limit: 100 })
    expect(all).toHaveLength(rows)
    expect(ids(all)).toEqual(ids(all).toSorted().toReversed())
    const read = yield* pagesOf((last?: Event) =>
      Effect.andThen(
        last === undefined ? Effect.void : write(tenant),
        ledger.events(tenant, { before: last?.id, limit: pageSize })
      )
    )
    expect(read).toStrictEqual(all)
  })

  it("only payments in the states that are asked for are listed", function* ({ ledger, tenant }) {
    const written: Array<Payment> = []
    for (const state of ["Charging", "Authorized", "ChargeUnknown", "Authorized", "Captured", "Charging"] as const) {
      written.push((yield* reach(tenant, state)).walked.payment)
    }
    const list = (states: ReadonlyArray<Payment["state"]>, limit = 10, before?: string) =>
      Effect.map(ledger.payments(tenant, { states, limit, before }), (found) =>
        found.map((payment) => written.findIndex(({ id }) => id === payment.id))
      )
    expect(yield* list(["Authorized"])).toEqual([3, 1])
    expect(yield* list(["Charging", "Captured", "ChargeUnknown"])).toEqual([5, 4, 2, 0])
    expect(yield* list(["Charging", "Captured", "ChargeUnknown"], 2)).toEqual([5, 4])
    expect(yield* list(["Charging", "Captured", "ChargeUnknown"], 2, written[4]?.id)).toEqual([2, 0])
    expect(yield* list(["Charging", "Charging"])).toEqual([5, 0])
    expect(yield* list(["Refunded"])).toEqual([])
    expect(yield* list([])).toEqual([])
  })

  it("only events of the type that is asked for are listed, either way", function* ({ ledger, tenant }) {
    const payments: Array<Payment> = []
    for (let count = 0; count < 3; count++) payments.push((yield* reach(tenant, "Captured")).walked.payment)
    const type = "payment.captured"
    const oldestFirst = ids(payments)
    const paymentIds = (events: ReadonlyArray<Event>) => events.map((event) => event.paymentId)
    const newest = yield* ledger.events(tenant, { type, limit: 10 })
    expect(paymentIds(newest)).toEqual(oldestFirst.toReversed())
    expect(newest.every((event) => event.type === type)).toBe(true)
    const followed = yield* ledger.events(tenant, { type, after: newest[2]?.id, limit: 10 })
    expect(paymentIds(followed)).toEqual(oldestFirst.slice(1))
    const between = yield* ledger.events(tenant, { type, after: newest[2]?.id, before: newest[0]?.id, limit: 10 })
    expect(paymentIds(between)).toEqual(oldestFirst.slice(1, 2))
    expect(yield* ledger.events(tenant, { type: "payment.settled", limit: 10 })).toEqual([])
  })

  it("the newest between `after` and `before` come first when more than fits", function* ({ ledger, tenant }) {
    yield* Effect.forEach(Array(rows).keys(), () => write(tenant))
    const newest = yield* ledger.events(tenant, { limit: 100 })
    const page = yield* ledger.events(tenant, {
      after: newest.at(-1)?.id,
      before: newest[0]?.id,
      limit: pageSize
    })
    expect(page).toStrictEqual(newest.slice(1, 1 + pageSize))
  })

  it("pages of a timeline have each event once and the oldest first", function* ({ ledger, tenant }) {
    const { walked } = yield* reach(tenant, "Refunded")
    const { id } = walked.payment
    const all = yield* ledger.timeline(tenant, id, { limit: 100 })
    expect(all.map((event) => event.type)).toEqual(["payment.created", "payment.captured", "payment.refunded"])
    const first = yield* ledger.timeline(tenant, id, { limit: 2 })
    const rest = yield* ledger.timeline(tenant, id, { after: first.at(-1)?.id, limit: 2 })
    expect([...first, ...rest]).toStrictEqual(all)
    expect(yield* ledger.timeline(tenant, id, { after: all.at(-1)?.id, limit: 2 })).toEqual([])
  })

  it("a cursor that names no row is a place in the order of a page", function* ({ ledger, tenant }) {
    const { payment } = yield* write(tenant)
    const [event] = yield* ledger.events(tenant, { limit: 1 })
    expect(ids(yield* ledger.payments(tenant, { before: `${payment.id}0`, limit: 10 }))).toEqual([payment.id])
    expect(yield* ledger.payments(tenant, { before: payment.id.slice(0, -1), limit: 10 })).toEqual([])
    expect(yield* ledger.events(tenant, { after: `${event?.id}0`, limit: 10 })).toEqual([])
    expect(yield* ledger.events(tenant, { after: event?.id.slice(0, -1), limit: 10 })).toEqual([event])
    expect(yield* ledger.timeline(tenant, payment.id, { after: "evt_", limit: 10 })).toEqual([event])
  })
})

const writers = 40
/** Each writer's two moves write one event each. */
const expected = 2 * writers
/** Far more than the writers can take, so that a missed event ends the test. */
const maxPolls = 100_000

export const followers = chapter("followers", (it) => {
  it(`a follower misses nothing of ${writers} writers from its last event`, function* ({ ledger, tenant }) {
    const seen: Array<Event> = []
    const follower = yield* Effect.gen(function* () {
      for (let poll = 0; poll < maxPolls && seen.length < expected; poll++) {
        seen.push(...(yield* ledger.events(tenant, { after: seen.at(-1)?.id ?? "", limit: 7 })))
        yield* Effect.yieldNow
      }
    }).pipe(Effect.forkChild)

    yield* Effect.forEach(
      Array(writers).keys(),
      Effect.fnUntraced(function* () {
        const first = yield* written(firstChange(tenant))
        yield* written(moveAlong(first.after, rowOf("Charging", "ChargeCaptured")))
      }),
      { concurrency: "unbounded", discard: true }
    )
    yield* Fiber.join(follower)

    const all = (yield* ledger.events(tenant, { limit: expected + 1 })).toReversed()
    expect(all).toHaveLength(expected)
    expect(seen).toStrictEqual(all)
    const order = all.map(({ id }) => id)
    expect(order).toEqual([...new Set(order)].toSorted())
  })
})
