/** Filters of lists: what is found is what matches all of them, newest first, a page at a time. */
import { expect } from "@effect/vitest"
import { type Metadata, money, type Payment, type Tenant } from "@pointsman/core"
import { isPlainText } from "@pointsman/core/internal"
import { Ledger, type PaymentFilter, type SearchedPayments } from "@pointsman/core/ports"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { firstChange, moveAlong, newTenant, rowOf, type Walked, written } from "./Given.ts"
import { nextOf } from "./GivenEntries.ts"
import { chapter } from "./StorageTest.ts"

const dayMillis = 24 * 60 * 60_000

const references = ["order-1", "order-10", null, "", "ORDER-1", "order-1\0", "order-\ud800", "o".repeat(5_000)]
const currencies = ["EUR", "JPY", "KWD"]
const metadata: ReadonlyArray<Metadata | null> = [
  null,
  { channel: "web", order: "1001" },
  { channel: "app", "": "x", "na\0me": "te\ud800xt", order: "1001" },
  { order: "v".repeat(5_000), "order]": '"quoted" \\ and {braced}' },
  { channel: "web", order: "1002", constructor: "c" },
  { first: "web", second: "web" }
]

/** A payment a day, no two alike; each second one is captured at a connection of its own. */
const write = Effect.fnUntraced(function* (tenant: Tenant, count: number) {
  const all: Array<Walked> = []
  for (let at = 0; at < count; at++) {
    const given = {
      reference: references[at % references.length] as string | null,
      metadata: metadata[at % metadata.length] as Metadata | null,
      purchase:
        at % 2 === 0
          ? { description: `Order ${at}`, locale: "de", lines: [{ name: "\0", quantity: 1, amountMinor: -5 }] }
          : null,
      money: money(at % 4 === 0 ? 1_999 : 1_000 + (at % 5), currencies[at % 3] as string)
    }
    const { after } = yield* written(firstChange(tenant, { payment: given }))
    all.push(at % 2 === 0 ? after : yield* capture(after, at))
    yield* TestClock.adjust(dayMillis)
  }
  return all
})

const capture = Effect.fnUntraced(function* (begun: Walked, at: number) {
  const ledger = yield* Ledger
  const { after, change } = yield* moveAlong(begun, rowOf("Charging", "ChargeCaptured"))
  const charge = { connectionId: at % 4 === 1 ? "first" : "second", providerRef: `ch-${at}` }
  const of = <A extends object>(record: A) => ({ ...record, ...charge })
  yield* ledger.commit({
    ...change,
    payment: { ...change.payment, after: of(change.payment.after) },
    attempts: change.attempts.map(of)
  })
  return { ...after, payment: of(after.payment), attempts: after.attempts.map(of) }
})

const matches = (payment: Payment, filter: PaymentFilter): boolean =>
  (filter.states?.includes(payment.state) ?? true) &&
  (filter.reference ?? payment.reference) === payment.reference &&
  (filter.referencePrefix === undefined || beginsWith(payment.reference ?? "", filter.referencePrefix)) &&
  (filter.amountMinor ?? payment.money.minorUnits) === payment.money.minorUnits &&
  (filter.currency ?? payment.money.currency) === payment.money.currency &&
  (filter.connectionId ?? payment.connectionId) === payment.connectionId &&
  (filter.providerRef ?? payment.providerRef) === payment.providerRef &&
  Object.entries(filter.metadata ?? {}).every(
    ([name, text]) => new Map(Object.entries(payment.metadata ?? {})).get(name) === text
  ) &&
  (filter.metadataValue === undefined || Object.values(payment.metadata ?? {}).includes(filter.metadataValue)) &&
  (filter.createdFrom ?? 0) <= payment.createdAt &&
  payment.createdAt < (filter.createdBefore ?? Number.POSITIVE_INFINITY)

const beginsWith = (reference: string, prefix: string): boolean =>
  reference.startsWith(prefix) && isPlainText(reference) && isPlainText(prefix)

/** All pages of a search whose page meets four rows at most. */
export const walk = Effect.fnUntraced(function* (tenant: Tenant, filter: PaymentFilter) {
  const ledger = yield* Ledger
  const found: Array<Payment> = []
  // Greater than any id.
  for (let before: string | null = "g"; before !== null; ) {
    const page: SearchedPayments = yield* ledger.search(tenant, { ...filter, before, limit: 100, walkAtMost: 4 })
    expect(page.walkedTo === null || page.walkedTo < before, JSON.stringify(filter)).toBe(true)
    found.push(...page.payments)
    before = page.walkedTo
  }
  return found
})

export const paymentSearch = chapter("search", (it) => {
  it("a search by any filters finds the payments that match, in pages", function* ({ ledger, tenant }) {
    const payments = (yield* write(tenant, 24)).map(({ payment }) => payment).toReversed()
    // Another tenant's are never found.
    yield* write(yield* newTenant(), 2)
    const at = (index: number) => payments[index]?.createdAt
    const each = <Field extends keyof PaymentFilter>(field: Field, values: ReadonlyArray<PaymentFilter[Field]>) =>
      values.map((value): PaymentFilter => ({ [field]: value }))
    const single = [
      ...each("reference", [...references.filter((one) => one !== null), "order", "nothing"]),
      ...each("referencePrefix", ["order-1", "ORDER-", "order-1\0", "order-\ud800", "order", "o", "r", "\u{10ffff}"]),
      ...each("amountMinor", [1_999, 1_000, 1_001, 7]),
      ...each("currency", [...currencies, "USD"]),
      ...each("connectionId", ["first", "second", "third"]),
      ...each("providerRef", ["ch-1", "ch-3", "ch-2", ""]),
      ...each("metadata", [
        ...metadata.filter((one) => one !== null),
        { channel: "web" },
        { order: "1001" },
        { order: "web" },
        { constructor: "c" },
        { missing: "web" },
        {}
      ]),
      ...each("metadataValue", ["web", "1001", "c", "te\ud800xt", "v".repeat(5_000), "channel", ""]),
      ...each("states", [["Charging"], ["Captured", "Charging"], []]),
      ...each("createdFrom", [at(7), (at(7) ?? 0) + 1, 0, Number.MAX_SAFE_INTEGER]),
      ...each("createdBefore", [at(7), (at(7) ?? 0) + 1, 0, Number.MAX_SAFE_INTEGER])
    ]
    const pairs = single.flatMap((one, place) =>
      single.slice(place + 1).flatMap((other) => {
        const both = { ...one, ...other }
        return Object.keys(both).length === 2 ? [both] : []
      })
    )
    const filters = [{}, ...single, ...pairs]
    let found = 0
    for (const [place, filter] of filters.entries()) {
      const all = yield* ledger.payments(tenant, { ...filter, limit: 100 })
      expect(all, JSON.stringify(filter)).toStrictEqual(payments.filter((payment) => matches(payment, filter)))
      // All by one condition, and a part of the others.
      if (place < single.length || place % 8 === 0)
        expect(yield* walk(tenant, filter), JSON.stringify(filter)).toStrictEqual(all)
      if (all.length < 2) continue
      found++
      const half = Math.ceil(all.length / 2)
      const first = yield* ledger.payments(tenant, { ...filter, limit: half })
      const rest = yield* ledger.payments(tenant, { ...filter, limit: 100, before: first.at(-1)?.id })
      expect([...first, ...rest], JSON.stringify(filter)).toStrictEqual(all)
    }
    expect(found).toBeGreaterThan(100)
  })

  it("more references that begin alike than are walked singly are found, in pages", function* ({ ledger, tenant }) {
    const alike: Array<Payment> = []
    for (let at = 0; at < 120; at++) {
      const reference = at % 2 === 0 ? `alike-${at}` : `other-${at}`
      const { after } = yield* written(firstChange(tenant, { payment: { reference } }))
      if (at % 2 === 0) alike.unshift(after.payment)
    }
    for (const query of [{ referencePrefix: "alike" }, { referencePrefix: "alike", states: ["Charging" as const] }]) {
      const first = yield* ledger.payments(tenant, { ...query, limit: 40 })
      const rest = yield* ledger.payments(tenant, { ...query, limit: 40, before: first.at(-1)?.id })
      expect([...first, ...rest]).toStrictEqual(alike)
      expect(yield* walk(tenant, query)).toStrictEqual(alike)
    }
    expect(yield* ledger.payments(tenant, { referencePrefix: "alike-118", limit: 10 })).toStrictEqual([alike[0]])
  })

  it("the reference of an attempt that moved no money finds its payment", function* ({ ledger, tenant }) {
    const { after } = yield* written(firstChange(tenant))
    const declined = yield* moveAlong(after, rowOf("Charging", "ChargeDeclined"))
    const attempts = declined.change.attempts.map((attempt) => ({ ...attempt, providerRef: "ch-declined" }))
    yield* ledger.commit({ ...declined.change, attempts })
    const find = (filter: PaymentFilter) =>
      Effect.map(ledger.payments(tenant, { ...filter, limit: 10 }), (found) => found.map(({ id }) => id))
    expect(yield* find({ providerRef: "ch-declined" })).toEqual([after.payment.id])
    expect(yield* find({ providerRef: "ch-declined", states: ["Captured"] })).toEqual([])
    expect(yield* find({ providerRef: "ch" })).toEqual([])
  })

  it("the payment's own time decides of an id drawn half an hour before or after", function* ({ ledger, tenant }) {
    yield* TestClock.adjust(dayMillis)
    for (const minutes of [-30, 30]) {
      const now = yield* Clock.currentTimeMillis
      const createdAt = now + minutes * 60_000
      const { after } = yield* written(firstChange(tenant, { payment: { createdAt } }))
      const find = (filter: PaymentFilter) => ledger.payments(tenant, { ...filter, limit: 10 })
      const only = { createdFrom: createdAt, createdBefore: createdAt + 1 }
      expect(yield* find(only)).toStrictEqual([after.payment])
      expect(yield* find({ createdFrom: createdAt + 1, createdBefore: createdAt + 2 })).toEqual([])
      yield* TestClock.adjust(dayMillis)
    }
  })

  it("texts that are erased find their payment no more", function* ({ ledger, tenant }) {
    const payment = { metadata: { customer: "1", other: "2" }, reference: "customer-1" }
    const [first, second] = [yield* firstChange(tenant, { payment }), yield* firstChange(tenant, { payment })]
    for (const { change } of [first, second]) yield* ledger.commit(change)
    yield* ledger.eraseTexts(tenant, { paymentId: first.after.payment.id, events: [] })
    const erasing = nextOf(first.after.payment, { metadata: null, reference: null })
    yield* ledger.commit(erasing)
    const find = (filter: PaymentFilter) => ledger.payments(tenant, { ...filter, limit: 10 })
    for (const metadata of [{ customer: "1" }, { other: "2" }, { customer: "1", other: "2" }]) {
      expect(yield* find({ metadata })).toStrictEqual([second.after.payment])
    }
    expect(yield* find({ metadataValue: "2" })).toStrictEqual([second.after.payment])
    expect(yield* find({ reference: "customer-1" })).toStrictEqual([second.after.payment])
    expect(yield* find({})).toStrictEqual([second.after.payment, erasing.payment.after])
  })
})
