/**
 * Lists of payments, newest first, by one walk along the index that fits best: of the provider's reference, the
 * reference, the metadata, the amount, the states, or the ids. Each walk meets the payments in the order of the page and
 * ends with it; the other conditions are checked on the way.
 *
 * The rule that a reader would otherwise break: the plan is made once, for any values. What would sort all that is
 * found (`state in (...)`, an amount in any currency) is a walk for each value instead.
 */
import type { Tenant } from "@pointsman/core"
import type { PaymentFilter, PaymentQuery } from "@pointsman/core/ports"
import { idRangeOf } from "@pointsman/storage-sql"
import { type ReferenceTests, recordedReferences, recordTests } from "./References.ts"
import { bindTenant, bindText } from "./Rows.ts"

const ofTenant = "workspace_id = $1 and environment = $2"

type Statement = readonly [sql: string, params: ReadonlyArray<string>]

export const selectPayments = (tenant: Tenant, query: PaymentQuery, tests: ReferenceTests = recordTests): Statement => {
  const range = idRangeOf(query)
  const params: Array<string> = [...bindTenant(tenant), bindText(range.before), String(query.limit)]
  const bind = (value: string | number) =>
    `$${params.push(typeof value === "number" ? String(value) : bindText(value))}`
  const conditions = [ofTenant, "id < $3", ...(range.from === "" ? [] : [`id >= ${bind(range.from)}`])]
  conditions.push(...conditionsOf(query, bind))
  return [selectBy(query, conditions, bind, tests), params]
}

const page = "order by id desc limit $4"

const conditionsOf = (
  { amountMinor, connectionId, createdBefore, createdFrom, currency, reference }: PaymentFilter,
  bind: (value: string | number) => string
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

const selectBy = (
  { amountMinor, currency, metadata, metadataValue, providerRef, reference, states }: PaymentFilter,
  conditions: ReadonlyArray<string>,
  bind: (value: string | number) => string,
  tests: ReferenceTests
): string => {
  const select = (...more: ReadonlyArray<string>) =>
    `select * from payments where ${[...conditions, ...more].join(" and ")} ${page}`
  const pairs = Object.entries(metadata ?? {}).map((pair) => pair.map(bind) as [name: string, value: string])
  // Each state is a value of its own where it does not lead the walk.
  const inStates = () => (states === undefined ? [] : [`state in (${distinct(states).map(bind).join(", ")})`])
  const value = metadataValue === undefined ? undefined : bind(metadataValue)
  const ofValue = value === undefined ? [] : [hasText(value)]
  const rest = (others = pairs) => [...inStates(), ...others.map(isNamed), ...ofValue]
  if (providerRef !== undefined) {
    return `${namedBy(bind(providerRef), tests)} ${select("id = any(array(select payment_id from found))", ...rest())}`
  }
  if (reference !== undefined) return select(...rest())
  const [first, ...others] = pairs
  if (first !== undefined) {
    return `select found.* from (${withText(...first)}) as named
      cross join lateral (${select("id = named.payment_id", ...rest(others))}) as found
      order by named.payment_id desc limit $4`
  }
  if (value !== undefined) {
    return `select found.* from (${withAnyName(value)}) as named
      cross join lateral (${select("id = named.payment_id", ...inStates())}) as found
      order by named.payment_id desc limit $4`
  }
  if (amountMinor !== undefined && currency !== undefined) return select(...rest())
  if (amountMinor !== undefined) {
    return `${currencies} select found.* from currencies
      cross join lateral (${select("payments.currency = currencies.currency", ...rest())}) as found ${page}`
  }
  if (states === undefined) return select()
  const ofState = distinct(states).map((state) => `(${select(`state = ${bind(state)}`, "state <> ''")})`)
  return `select * from (${ofState.join(" union all ")}) as found ${page}`
}

const distinct = <A>(values: ReadonlyArray<A>): ReadonlyArray<A> => [...new Set(values)]

/** Whether a payment has the text under the name. */
const isNamed = ([name, value]: readonly [name: string, value: string]): string => `exists (
  select 1 from payment_metadata as other where other.workspace_id = payments.workspace_id
    and other.environment = payments.environment and other.payment_id = payments.id
    and other.name = ${name} and other.value = ${value}
)`

/** Whether a payment has the text under any name. */
const hasText = (value: string): string => `exists (
  select 1 from payment_metadata as other where other.workspace_id = payments.workspace_id
    and other.environment = payments.environment and other.payment_id = payments.id and other.value = ${value}
)`

/** The payments with the text under any name, newest first, each once. */
const withAnyName = (value: string): string => `select distinct payment_id from payment_metadata
  where ${ofTenant} and name <> '' and left(value, 64) = left(${value}, 64) and value = ${value}
    and payment_id < $3 order by payment_id desc`

/** The payments with the text under the name, newest first. */
const withText = (name: string, value: string): string => `select payment_id from payment_metadata
  where ${ofTenant} and name <> '' and left(value, 64) = left(${value}, 64) and value = ${value} and name = ${name}
    and payment_id < $3 order by payment_id desc`

/** The currencies of the tenant's payments, each found by one step along the index. */
const currencies = `with recursive currencies (currency) as (
  (select currency from payments where ${ofTenant} and amount_minor >= 0 order by currency limit 1)
  union all select next.currency from currencies as last cross join lateral (
    select currency from payments where ${ofTenant} and amount_minor >= 0 and currency > last.currency
    order by currency limit 1
  ) as next
)`

/** The connections that a table of references has for the tenant, each found by one step along its key. */
const connectionsIn = (table: string): string => `asked_${table} (connection_id) as (
  (select connection_id from ${table} where ${ofTenant} order by connection_id limit 1)
  union all select next.connection_id from asked_${table} as last cross join lateral (
    select connection_id from ${table} where ${ofTenant} and connection_id > last.connection_id
    order by connection_id limit 1
  ) as next
)`

/** The payments with a charge or an attempt that has the reference, at whichever connection. */
const namedBy = (
  providerRef: string,
  { isAttempt, isOwn }: ReferenceTests
): string => `with recursive ${connectionsIn("charge_references")},
  ${connectionsIn("named_references")},
  asked as (select connection_id from asked_charge_references union select connection_id from asked_named_references),
  recorded as materialized (
    select named.* from asked cross join lateral (
      ${recordedReferences(["$1", "$2", "asked.connection_id", providerRef])}
    ) as named
  ),
  found as materialized (select payment_id from recorded where ${isOwn} or ${isAttempt})`
