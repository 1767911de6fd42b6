/** What operators read of payouts, through core's door. The pages and the API share it. */
import { Pointsman, type SettlementEntry } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Clock, Effect } from "effect"
import { failure, internalError } from "../api/Errors.ts"
import { cursorOfPlace, placeOfCursor } from "../api/Records.ts"
import { callerOf, type TenantPath } from "../gate/Caller.ts"

const { validationErrorOf } = InProcess

export interface PayoutKey {
  readonly connection: string
  /** The provider's name. */
  readonly payout: string
}

const day = 86_400_000
/** Unless the request names another period. */
export const daysShown = 31
/** A page or a list shows no more payouts. */
export const listedAtMost = 100

/** The entries of the payouts themselves, newest first. */
export const payouts = Effect.fnUntraced(function* (
  path: TenantPath,
  query: {
    readonly connectionId?: string | undefined
    readonly from?: number | undefined
    readonly until?: number | undefined
    readonly limit: number
  }
) {
  const { tenant } = yield* callerOf(path)
  const until = query.until ?? (yield* Clock.currentTimeMillis)
  const { reconciliation } = yield* Pointsman
  return yield* Effect.catch(
    reconciliation.payouts({ ...query, tenant, until, from: query.from ?? until - daysShown * day }),
    internalError
  )
})

/** Of the payouts that entries name: `null` for an entry that names none. */
export const payoutStatuses = Effect.fnUntraced(function* (path: TenantPath, entries: ReadonlyArray<SettlementEntry>) {
  const { tenant } = yield* callerOf(path)
  const { reconciliation } = yield* Pointsman
  return yield* Effect.catch(reconciliation.payoutStatuses(tenant, entries), internalError)
})

const payoutNotFound = failure("not_found", "No report of this connection names this payout.")

export const payout = Effect.fnUntraced(function* (path: TenantPath, { connection, payout: payoutId }: PayoutKey) {
  const { tenant } = yield* callerOf(path)
  const { reconciliation } = yield* Pointsman
  const found = yield* Effect.catch(
    reconciliation.payout(tenant, { connectionId: connection, payoutId }),
    internalError
  )
  return yield* Effect.mapError(Effect.fromOption(found), () => payoutNotFound)
})

/** `next`: the cursor of the next page. */
export const entries = Effect.fnUntraced(function* (
  path: TenantPath,
  { connection, payout: payoutId }: PayoutKey,
  { after, limit }: { readonly after?: string | undefined; readonly limit: number }
) {
  const { tenant } = yield* callerOf(path)
  const [occurredAt, , rowId] = after === undefined ? [] : (placeOfCursor(after) ?? [])
  const place = occurredAt === undefined || rowId === undefined ? undefined : { occurredAt, rowId }
  if (after !== undefined && place === undefined) {
    return yield* Effect.fail(validationErrorOf("`after` must be the cursor of the previous page"))
  }
  const { reconciliation } = yield* Pointsman
  const query = { connectionId: connection, payoutId, after: place, limit: limit + 1 }
  const found = yield* Effect.catch(reconciliation.payoutEntries(tenant, query), internalError)
  const items = found.slice(0, limit)
  const last = items.at(-1)
  return { items, next: found.length > limit && last !== undefined ? cursorOf(last) : null }
})

const cursorOf = ({ connectionId, occurredAt, rowId }: SettlementEntry): string =>
  cursorOfPlace([occurredAt, connectionId, rowId])

/** Our ids of the disputes that entries name, by the provider's. */
export const disputesOf = Effect.fnUntraced(function* (path: TenantPath, entries: ReadonlyArray<SettlementEntry>) {
  const { tenant } = yield* callerOf(path)
  const pointsman = yield* Pointsman
  const payments = new Set(entries.flatMap(({ disputeId, paymentId }) => (disputeId === null ? [] : (paymentId ?? []))))
  const pages = yield* Effect.forEach(
    payments,
    (paymentId) => Effect.catch(pointsman.disputes(tenant, { paymentId, limit: listedAtMost }), internalError),
    { concurrency: 4 }
  )
  return new Map(
    pages.flatMap(({ items }) =>
      items.flatMap(({ id, providerDisputeId }) =>
        providerDisputeId === null ? [] : [[providerDisputeId, id] as const]
      )
    )
  )
})
