/**
 * Lists of payments, newest first, by one walk along the index that fits best: of the provider's reference, the
 * reference, the metadata, the amount, the states, or the ids. Each walk meets the payments in the order of the page and
 * ends with it; the other conditions are checked on the way.
 *
 * The rule that a reader would otherwise break: the plan is made once, for any values. What would sort all that is
 * found (`state in (...)`, an amount in any currency) is a walk for each value instead, and a payment that a row beside it
 * names is looked up by its key (`offset 0`).
 */
import type { Payment, Tenant } from "@pointsman/core"
import type { PaymentFilter, PaymentQuery, StorageError } from "@pointsman/core/ports"
import { idRangeOf } from "@pointsman/storage-sql"
import { Effect } from "effect"
import { idsOfReference, readPayment } from "./Books.ts"
import type { Database } from "./Database.ts"
import { bindAfter, bindBefore, tenantNumber } from "./Keys.ts"
import type { Reads } from "./Reads.ts"
import { bindText } from "./Rows.ts"

type Statement = readonly [sql: string, params: ReadonlyArray<string>]
type Bind = (value: string | number) => string

export const findPayments = Effect.fnUntraced(function* (
  db: Database,
  reads: Reads,
  tenant: Tenant,
  query: PaymentQuery
): Effect.fn.Return<ReadonlyArray<Payment>, StorageError> {
  const { providerRef, states } = query
  if (states?.length === 0) return []
  let ids: ReadonlyArray<string> | undefined
  if (providerRef !== undefined) {
    ids = yield* idsOfReference(db, "payments", tenant, providerRef)
    if (ids.length === 0) return []
  }
  const found = yield* reads.list("payments", selectPayments(tenant, query, ids))
  return found.map((row) => readPayment(tenant, row))
})

/** `ids`: of the payments with the provider's reference. */
const selectPayments = (tenant: Tenant, query: PaymentQuery, ids?: ReadonlyArray<string>): Statement => {
  const range = idRangeOf(query)
  const params: Array<string> = [tenantNumber(tenant), bindBefore(range.before), String(query.limit)]
  const bind: Bind = (value) => `$${params.push(typeof value === "number" ? String(value) : bindText(value))}`
  const after = range.from.length > 0 ? bind(bindAfter(range.from)) : undefined
  const inRange = (id: string) => `t = $1 and ${id} < $2 ${after === undefined ? "" : `and ${id} > ${after}`}`
  return [selectBy(query, inRange, conditionsOf(query, bind), bind, ids), params]
}

const conditionsOf = (
  { amountMinor, connectionId, createdBefore, createdFrom, currency, reference }: PaymentFilter,
  bind: Bind
): ReadonlyArray<string> => {
  const conditions: Array<string> = []
  // The index holds the beginning, because a reference may be longer than an index takes.
  if (reference !== undefined) {
    const bound = bind(reference)
    conditions.push(`left(reference, 64) = left(${bound}, 64)`, `reference = ${bound}`)
  }
  if (currency !== undefined) conditions.push(`currency = ${bind(currency)}`)
  if (amountMinor !== undefined) conditions.push(`amount_minor = ${bind(amountMinor)}`, "amount_minor >= 0")
  if (connectionId !== undefined) conditions.push(`connection_id = ${bind(connectionId)}`)
  if (createdFrom !== undefined) conditions.push(`created_at >= ${bind(createdFrom)}`)
  if (createdBefore !== undefined) conditions.push(`created_at < ${bind(createdBefore)}`)
  return conditions
}

const page = "order by id desc limit $3"

const selectBy = (
  { amountMinor, currency, metadata, metadataValue, reference, states }: PaymentFilter,
  inRange: (id: string) => string,
  conditions: ReadonlyArray<string>,
  bind: Bind,
  ids: ReadonlyArray<string> | undefined
): string => {
  const where = (...more: ReadonlyArray<string>) => [...conditions, ...more].map((one) => `and ${one}`).join(" ")
  const select = (...more: ReadonlyArray<string>) =>
    `select * from payments where ${inRange("id")} ${where(...more)} ${page}`
  /** Of the payments that rows beside them name, by a walk along those. */
  const named = (rows: string, ...more: ReadonlyArray<string>) => `select p.* from (${rows}) as named
    cross join lateral (select * from payments where t = $1 and id = named.payment ${where(...more)} offset 0) as p
    order by named.payment desc limit $3`
  const pairs = Object.entries(metadata ?? {}).map((pair) => pair.map(bind) as [name: string, value: string])
  const ofStates = states === undefined ? undefined : [...new Set(states)].map(bind)
  // Each state is a value of its own where it does not lead the walk.
  const inStates = ofStates === undefined ? [] : [`state in (${ofStates.join(", ")})`]
  const value = metadataValue === undefined ? undefined : bind(metadataValue)
  const rest = (others = pairs) => [
    ...inStates,
    ...others.map(([name, text]) => has(`name = ${name} and value = ${text}`)),
    ...(value === undefined ? [] : [has(`value = ${value}`)])
  ]
  const texts = (text: string, more = "") => `select distinct payment from payment_metadata
    where ${inRange("payment")} and name <> '' and left(value, 64) = left(${text}, 64) and value = ${text} ${more}
    order by payment desc`
  if (ids !== undefined) return select(`id = any(${bind(`{${ids.join(",")}}`)}::uuid[])`, ...rest())
  if (reference !== undefined) return select(...rest())
  const [first, ...others] = pairs
  if (first !== undefined) return named(texts(first[1], `and name = ${first[0]}`), ...rest(others))
  if (value !== undefined) return named(texts(value), ...inStates)
  if (amountMinor !== undefined && currency !== undefined) return select(...inStates)
  if (amountMinor !== undefined) {
    return `${currencies} select found.* from currencies
      cross join lateral (${select("payments.currency = currencies.currency", ...inStates)}) as found ${page}`
  }
  if (ofStates === undefined) return select()
  const walks = [
    ...ofStates.map(
      (state) => `select payment from searches where ${inRange("payment")} and state = ${state}
      order by payment desc`
    ),
    `select payment from due where ${inRange("payment")} order by payment desc`
  ]
  return `select * from (${walks.map((walk) => `(${named(walk, ...inStates)})`).join(" union all ")}) as found ${page}`
}

/** Whether a payment has such metadata. */
const has = (condition: string): string => `exists (
  select 1 from payment_metadata as other where other.t = payments.t and other.payment = payments.id and other.${condition.replace(" and ", " and other.")}
)`

/** The currencies of the tenant's payments, each found by one step along the index. */
const currencies = `with recursive currencies (currency) as (
  (select currency from payments where t = $1 and amount_minor >= 0 order by currency limit 1)
  union all select next.currency from currencies as last cross join lateral (
    select currency from payments where t = $1 and amount_minor >= 0 and currency > last.currency
    order by currency limit 1
  ) as next
)`
