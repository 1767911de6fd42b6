/** Payments that retention removed from the store, read from the archive where one is configured. */
import { Clock, Context, Effect, Option, Schema } from "effect"
import { NothingSent } from "../../decide/CreateRequest.ts"
import type { WholePayment } from "../../model/PaymentBook.ts"
import { leastRetention } from "../../model/RetentionTimes.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { withoutPlace } from "../../ports/Admission.ts"
import { Archive } from "../../ports/Archive.ts"
import { StorageError } from "../../ports/StorageError.ts"

/** No such payment of this tenant: also one of another workspace or environment. */
export class PaymentNotFound extends Schema.TaggedError<PaymentNotFound>()("pointsman/PaymentNotFound", {}) {}

export const orNotFound = Effect.fromOption(() => new PaymentNotFound())

/** The payment left the store and is in the archive: it can be read, and nothing can be sent for it. */
export class PaymentArchived extends Schema.TaggedError<PaymentArchived>()("pointsman/PaymentArchived", {}) {}

/** UUIDv7 as we write it; anything else names none of our payments and need not be looked up. */
const paymentIdPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u

export const isPaymentId = (id: string): boolean => paymentIdPattern.test(id)

/** Clocks of servers differ; in milliseconds. */
const clockMayDifferMillis = 60_000

/** Whether it is old enough to have left the store: of other ids the archive is not asked. */
const mayHaveLeft = (id: string, now: number): boolean =>
  Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) < now - leastRetention.payments + clockMayDifferMillis

/** Ids whose hint was logged: enough that repeated requests for the same ids do not fill the log. */
const hintedAtMost = 1_000

export interface ArchiveHints {
  /** Whether this id is asked for the first time. */
  readonly isFirst: (paymentId: string) => boolean
}

/** Of one process. */
export const ArchiveHints = Context.Reference<ArchiveHints>("pointsman/read/ArchiveHints", {
  defaultValue: () => ({ isFirst: () => false })
})

export const makeArchiveHints = (): ArchiveHints => {
  const hinted = new Set<string>()
  return {
    isFirst: (paymentId) => {
      if (hinted.has(paymentId) || hinted.size >= hintedAtMost) return false
      hinted.add(paymentId)
      return true
    }
  }
}

/** A payment that is not in the store. Where the archive does not answer, that is a failure, and not an absence. */
export const archivedPayment = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
  const now = yield* Clock.currentTimeMillis
  if (!isPaymentId(id) || !mayHaveLeft(id, now)) return Option.none<WholePayment>()
  const archive = yield* Archive
  if (archive !== undefined) {
    return yield* Effect.mapError(
      withoutPlace(archive.find(tenant, id)),
      (cause) => new StorageError({ operation: "archive.find", cause })
    )
  }
  if ((yield* ArchiveHints).isFirst(id)) {
    yield* Effect.logInfo(
      "a payment that is old enough to have left the store was asked for and is not in it; with `archive` in the " +
        "configuration file, payments that leave are still found"
    ).pipe(Effect.annotateLogs("payment_id", id))
  }
  return Option.none<WholePayment>()
})

/** An operation on a payment that left the store is refused. Where the archive does not answer, nothing was sent. */
export const refuseArchived =
  (tenant: Tenant, paymentId: string) =>
  <A, E, R>(
    operation: Effect.Effect<A, E | PaymentNotFound, R>
  ): Effect.Effect<A, E | PaymentNotFound | PaymentArchived | NothingSent, R> =>
    Effect.catchIf(
      operation,
      (failure) => failure instanceof PaymentNotFound,
      (notFound): Effect.Effect<never, PaymentNotFound | PaymentArchived | NothingSent> =>
        archivedPayment(tenant, paymentId).pipe(
          Effect.mapError((cause) => new NothingSent({ cause })),
          Effect.flatMap((found) => Effect.fail(Option.isSome(found) ? new PaymentArchived() : notFound))
        )
    ) as Effect.Effect<A, E | PaymentNotFound | PaymentArchived | NothingSent, R>
