/** Reads all payments that a filter finds. */
import { Effect, Option, Stream } from "effect"
import type { JsonObject } from "../../model/Event.ts"
import type { Tenant } from "../../model/Tenant.ts"
import type { PaymentFilter } from "../../ports/Ledger.ts"
import { withAllowance } from "../../ports/StorageAllowance.ts"
import { findPayments } from "./ReadPayments.ts"

/** Rows in memory at once. A storage in this process keeps others waiting for as long as it reads a page. */
const pageRows = 200

/** Newest first, one page at a time; each page is one chunk of the stream. A payment that is created meanwhile is not read. */
export const exportPayments = (tenant: Tenant, filter: PaymentFilter) =>
  Stream.paginate(
    undefined as string | undefined,
    Effect.fnUntraced(function* (before) {
      // Each page has the time of a request: the reader decides how long all of them take.
      const { payments, walkedTo } = yield* withAllowance(findPayments(tenant, { ...filter, before, limit: pageRows }))
      const last = payments.length < pageRows ? walkedTo : payments.at(-1)?.id
      return [payments, Option.fromNullishOr(last)] as const
    })
  )

/** The filter for the audit trail: of a searched text the name alone, because entries cannot be erased. */
export const auditedFilter = (filter: PaymentFilter): JsonObject => {
  const { amountMinor, connectionId, createdBefore, createdFrom, currency, states, ...texts } = filter
  const searched = Object.entries(texts).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  const conditions = { states, amountMinor, currency, connectionId, createdFrom, createdBefore }
  const given = Object.entries(conditions).filter(([, value]) => value !== undefined)
  return { ...(Object.fromEntries(given) as JsonObject), ...(searched.length === 0 ? {} : { searched }) }
}
