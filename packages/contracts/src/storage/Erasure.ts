/** The texts of one payment are erased, wherever they are stored, and nothing else is. */
import { expect } from "@effect/vitest"
import type { Tenant } from "@pointsman/core"
import { Ids, Ledger } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { endpointFor, firstChange, moveAlong, rowOf } from "./Given.ts"
import { messageOf } from "./GivenEntries.ts"
import { chapter } from "./StorageTest.ts"
import { timesFrom } from "./Unguarded.ts"

const someTime = timesFrom(7_000_000_000_000)

const odd = "Zürich \u0000 \ud800 🚃 '"

/** A payment with two events and two messages. */
const told = Effect.fnUntraced(function* (tenant: Tenant, deliverAt?: number) {
  const ledger = yield* Ledger
  const ids = yield* Ids
  const first = yield* firstChange(tenant)
  yield* ledger.commit({ ...first.change, deliverAt })
  const { after, change } = yield* moveAlong(first.after, rowOf("Charging", "ChargeCaptured"))
  yield* ledger.commit({ ...change, deliverAt })
  const { id } = after.payment
  const messages = [`msg_${yield* ids.payment}`, `${odd}${yield* ids.payment}`].map((eventId) =>
    messageOf(eventId, { paymentId: id, outcome: "confirmed", body: `sealed ${eventId}` })
  )
  for (const message of messages) yield* ledger.storeMessage(tenant, message)
  return { id, messages, events: yield* ledger.timeline(tenant, id, { limit: 9 }) }
})

const storedOf = Effect.fnUntraced(function* (
  tenant: Tenant,
  { id, messages }: Effect.Success<ReturnType<typeof told>>
) {
  const ledger = yield* Ledger
  return {
    book: yield* ledger.book(tenant, id),
    events: yield* ledger.timeline(tenant, id, { limit: 9 }),
    messages: yield* Effect.forEach(messages, ({ connectionId, eventId }) =>
      Effect.map(ledger.message(tenant, connectionId, eventId), Option.getOrThrow)
    )
  }
})

export const erasure = chapter("erasure", (it) => {
  it("texts of a payment, its events and messages are erased, and the rest stays", function* ({ ledger, tenant }) {
    const own = yield* told(tenant)
    const before = yield* storedOf(tenant, own)
    const [first, second] = own.events
    const data = { ...first?.data, reference: null, note: odd }
    const order = { paymentId: own.id, events: [{ id: first?.id ?? "", data }] }
    expect(yield* ledger.eraseTexts(tenant, order)).toBe(2)
    const after = yield* storedOf(tenant, own)
    expect(after.events).toStrictEqual([{ ...first, data }, second])
    expect(after.messages).toStrictEqual(own.messages.map((one) => ({ ...one, body: "", isSealed: false })))
    expect(after.book).toStrictEqual(before.book)
    expect(yield* ledger.events(tenant, { after: "", limit: 9 })).toStrictEqual(after.events)

    expect(yield* ledger.eraseTexts(tenant, order)).toBe(0)
    expect(yield* storedOf(tenant, own)).toStrictEqual(after)
  })

  it("texts of other payments and tenants stay, also if their events are named", function* ({ ledger, tenant }) {
    const stranger = { ...tenant, environment: "production" } as const
    const own = yield* told(tenant)
    const others = [[tenant, yield* told(tenant)] as const, [stranger, yield* told(stranger)] as const]
    const before = yield* Effect.forEach(others, ([owner, other]) => storedOf(owner, other))
    const named = others.flatMap(([, { events }]) => events.map(({ id }) => ({ id, data: {} })))
    expect(yield* ledger.eraseTexts(tenant, { paymentId: own.id, events: named })).toBe(2)
    expect(yield* ledger.eraseTexts(stranger, { paymentId: own.id, events: named })).toBe(0)
    expect(yield* Effect.forEach(others, ([owner, other]) => storedOf(owner, other))).toStrictEqual(before)
    expect(yield* ledger.timeline(tenant, own.id, { limit: 9 })).toStrictEqual(own.events)
  })

  it("the webhook of an erased event that waits has the erased data", function* ({ deliveries, ledger, tenant }) {
    const { id } = yield* endpointFor(tenant)
    const at = someTime()
    const own = yield* told(tenant, at)
    const events = own.events.map((event) => ({ id: event.id, data: { ...event.data, reference: null } }))
    yield* ledger.eraseTexts(tenant, { paymentId: own.id, events })
    const due = yield* deliveries.takeDue({ now: at, leaseMillis: 1000, limitPerEndpoint: 1000, limit: 10_000 })
    const sent = due.flatMap(({ delivery, event }) => (delivery.endpointId === id ? [event] : []))
    const byId = sent.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    expect(byId.map(({ data, id: eventId }) => ({ id: eventId, data }))).toStrictEqual(events)
  })
})
