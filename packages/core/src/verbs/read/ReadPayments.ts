import { Effect, Schema } from "effect"
import type { Event } from "../../model/Event.ts"
import type { Payment } from "../../model/Payment.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { type EventQuery, Ledger, type PaymentQuery, type TimelineQuery } from "../../ports/Ledger.ts"
import { endExpiredPage } from "../hosted/FindPage.ts"

export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly hasMore: boolean
}

/** No such payment of this tenant: also one of another workspace or environment. */
export class PaymentNotFound extends Schema.TaggedError<PaymentNotFound>()("pointsman/PaymentNotFound", {}) {}

/** UUIDv7 as we write it; anything else names none of our payments and need not be looked up. */
const paymentId = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u

/** A hosted page whose time is over is settled first: nobody reads that the customer can still act. */
export const payment = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
  if (!paymentId.test(id)) return yield* new PaymentNotFound()
  const ledger = yield* Ledger
  const found = yield* ledger.payment(tenant, id)
  return yield* endExpiredPage(yield* Effect.mapError(Effect.fromOption(found), () => new PaymentNotFound()))
})

/** Newest first. */
export const payments = Effect.fnUntraced(function* (tenant: Tenant, query: PaymentQuery) {
  const ledger = yield* Ledger
  return page<Payment>(query.limit, yield* ledger.payments(tenant, { ...query, limit: query.limit + 1 }))
})

/** Oldest first. */
export const timeline = Effect.fnUntraced(function* (tenant: Tenant, id: string, query: TimelineQuery) {
  yield* payment(tenant, id)
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
