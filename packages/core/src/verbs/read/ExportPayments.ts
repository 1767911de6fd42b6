/** Reads all payments that a filter finds. */
import { Effect, Option, Stream } from "effect"
import type { JsonObject } from "../../model/Event.ts"
import type { Payment } from "../../model/Payment.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { Ledger, type PaymentFilter } from "../../ports/Ledger.ts"
import { withAllowance } from "../../ports/StorageAllowance.ts"

/** Rows in memory at once. A storage in this process keeps others waiting for as long as it reads a page. */
const pageRows = 200

/** Newest first, one page at a time; each page is one chunk of the stream. A payment that is created meanwhile is not read. */
export const exportPayments = (tenant: Tenant, filter: PaymentFilter) =>
  Stream.paginate(
    undefined as string | undefined,
    Effect.fnUntraced(function* (before) {
      const ledger = yield* Ledger
      // Each page has the time of a request: the reader decides how long all of them take.
      const rows: ReadonlyArray<Payment> = yield* withAllowance(
        ledger.payments(tenant, { ...filter, before, limit: pageRows })
      )
      const next = rows.length < pageRows ? Option.none<string>() : Option.fromUndefinedOr(rows.at(-1)?.id)
      return [rows, next] as const
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
