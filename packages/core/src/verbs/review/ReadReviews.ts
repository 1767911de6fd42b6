/** What operations have to look at, and all that is known about one such payment. */
import { Clock, Effect, Schema } from "effect"
import { type PossibleStatement, possibleStatements } from "../../decide/PossibleStatements.ts"
import { openCorrection } from "../../model/Correction.ts"
import type { Event } from "../../model/Event.ts"
import type { Payment } from "../../model/Payment.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { Ledger, type ReviewQuery } from "../../ports/Ledger.ts"
import { StorageClock } from "../../ports/StorageClock.ts"
import { PaymentNotFound } from "../read/ReadArchive.ts"
import { type Page, page } from "../read/ReadPayments.ts"

/** No such payment waits for operations: it never did, or an operator has reviewed it, or the provider has answered. */
export class ReviewNotFound extends Schema.TaggedError<ReviewNotFound>()("pointsman/ReviewNotFound", {}) {}

/** Everything that is recorded of a payment, of one moment but for its timeline. */
export interface PaymentFile extends PaymentBook {
  /** Oldest first. */
  readonly timeline: ReadonlyArray<Event>
}

/** Those that wait longest first, or by amount. */
export const reviews = Effect.fnUntraced(function* (query: ReviewQuery) {
  const ledger = yield* Ledger
  const found: Page<Payment> = page(query.limit, yield* ledger.reviews({ ...query, limit: query.limit + 1 }))
  return found
})

/** A page of the walk along all reviews, and the pages that it reads at most. */
const proposalsPage = 200
const proposalPagesAtMost = 50

/**
 * Payments with a correction that waits for a second person, those that wait longest first; of all tenants unless one is
 * named. They are looked for among the first 10,000 payments under review.
 */
export const proposals = Effect.fnUntraced(function* (tenant?: Tenant) {
  const found: Array<Payment> = []
  let after: ReviewQuery["after"]
  for (let pages = 0; pages < proposalPagesAtMost; pages++) {
    const { hasMore, items } = yield* reviews({ tenant, limit: proposalsPage, after })
    found.push(...items.filter((payment) => openCorrection(payment) !== undefined))
    const last = items.at(-1)
    if (!hasMore || last === undefined) break
    after = { since: last.review?.since ?? last.createdAt, paymentId: last.id }
  }
  return found
})

/** Of whichever tenant. */
export const reviewOf = Effect.fnUntraced(function* (paymentId: string) {
  const ledger = yield* Ledger
  const [waiting] = yield* ledger.reviews({ paymentId, limit: 1 })
  if (waiting === undefined) return yield* new ReviewNotFound()
  return yield* Effect.catchTag(
    paymentFile(waiting.tenant, paymentId),
    "pointsman/PaymentNotFound",
    () => new ReviewNotFound()
  )
})

/** Unchanged: reading a review does not end an expired page. */
export const paymentFile = Effect.fnUntraced(function* (tenant: Tenant, paymentId: string) {
  const ledger = yield* Ledger
  const book = yield* Effect.fromOption(yield* ledger.book(tenant, paymentId), () => new PaymentNotFound())
  const timeline = yield* ledger.timeline(tenant, paymentId, { limit: eventsAtMost })
  return { ...book, timeline } satisfies PaymentFile
})

/** A payment with what an operator can state of it now. */
export interface ReviewFile extends PaymentFile {
  readonly statements: ReadonlyArray<PossibleStatement>
}

/** Also of a payment that is not under review: a provider may take a capture back. */
export const reviewFile = Effect.fnUntraced(function* (tenant: Tenant, paymentId: string) {
  const file = yield* paymentFile(tenant, paymentId)
  const clock = yield* StorageClock
  const at = { now: yield* Clock.currentTimeMillis, agesFrom: clock?.agesFrom() ?? null }
  return { ...file, statements: possibleStatements(file, at) } satisfies ReviewFile
})

/** A payment has some ten events; one with more than this has a fault that its first ones show. */
export const eventsAtMost = 1000
