import { Effect, Option } from "effect"
import type { Event } from "../../model/Event.ts"
import type { Payment } from "../../model/Payment.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { type EventQuery, Ledger, type PaymentQuery, type TimelineQuery } from "../../ports/Ledger.ts"
import { endExpiredPage } from "../hosted/ViewHostedPage.ts"
import { archivedPayment, isPaymentId, PaymentNotFound } from "./ReadArchive.ts"

export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly hasMore: boolean
  /** Where a search ended before its page was full: the next page begins before this id, and not before the last item. */
  readonly walkedTo?: string
}

/** A page whose time is over is settled first. A payment that left the store is read from the archive. */
export const payment = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
  const found = yield* stored(tenant, id)
  if (Option.isSome(found)) return yield* endExpiredPage(found.value)
  return (yield* archived(tenant, id)).book.payment
})

/** As `payment`, with its refunds: one read. */
export const paymentWithRefunds = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
  const found = isPaymentId(id) ? yield* (yield* Ledger).book(tenant, id) : Option.none()
  const { payment, refunds } = Option.isSome(found) ? found.value : (yield* archived(tenant, id)).book
  return { payment: Option.isSome(found) ? yield* endExpiredPage(payment) : payment, refunds }
})

const stored = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
  return isPaymentId(id) ? yield* (yield* Ledger).payment(tenant, id) : Option.none<Payment>()
})

const archived = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
  return yield* Effect.fromOption(yield* archivedPayment(tenant, id), () => new PaymentNotFound())
})

/** Rows that lead to payments, for one page of a search: milliseconds of a database. */
const walkAtMost = 10_000

/** Whether a page may end before it is full. A list by states does not: an index leads to each of its payments. */
export const isSearch = ({ before: _, limit: __, states: ___, ...others }: PaymentQuery): boolean =>
  Object.values(others).some((value) => value !== undefined)

/** Newest first. */
export const findPayments = Effect.fnUntraced(function* (tenant: Tenant, query: PaymentQuery) {
  const ledger = yield* Ledger
  return isSearch(query)
    ? yield* ledger.search(tenant, { ...query, walkAtMost })
    : { payments: yield* ledger.payments(tenant, query), walkedTo: null }
})

export const payments = Effect.fnUntraced(function* (tenant: Tenant, query: PaymentQuery) {
  const { limit } = query
  const { payments, walkedTo } = yield* findPayments(tenant, { ...query, limit: limit + 1 })
  const found = page<Payment>(limit, payments)
  if (walkedTo === null) return found
  return payments.length < limit ? { ...found, hasMore: true, walkedTo } : { ...found, hasMore: true }
})

/** Oldest first. */
export const timeline = Effect.fnUntraced(function* (tenant: Tenant, id: string, query: TimelineQuery) {
  const found = yield* stored(tenant, id)
  if (Option.isNone(found)) {
    const { events } = yield* archived(tenant, id)
    const { after, limit } = query
    return page<Event>(limit, after === undefined ? events : events.filter((event) => event.id > after))
  }
  yield* endExpiredPage(found.value)
  const ledger = yield* Ledger
  return page<Event>(query.limit, yield* ledger.timeline(tenant, id, { ...query, limit: query.limit + 1 }))
})

/** Newest first; oldest first when only `after` is given. */
export const events = Effect.fnUntraced(function* (tenant: Tenant, query: EventQuery) {
  const ledger = yield* Ledger
  return page<Event>(query.limit, yield* ledger.events(tenant, { ...query, limit: query.limit + 1 }))
})

/** One row more than was asked for tells whether there is another page. */
export const page = <A>(limit: number, rows: ReadonlyArray<A>): Page<A> => ({
  items: rows.slice(0, limit),
  hasMore: rows.length > limit
})
