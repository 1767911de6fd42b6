/**
 * Lists of payments, newest first, by one walk along the index that fits best: of the provider's reference, the
 * reference, the metadata, the amount, the states, or the ids. Each walk meets the payments in the order of the page and
 * ends with it; the other conditions are checked on the way. What would sort all that is found (`state in (...)`, an
 * amount in any currency) is a walk for each value instead.
 */
import type { Tenant } from "@pointsman/core"
import type { Ledger, PaymentQuery, StorageError } from "@pointsman/core/ports"
import { Effect } from "effect"
import { type Bound, list } from "./Columns.ts"
import { idRangeOf } from "./IdRange.ts"
import { makeReadBook } from "./PaymentReads.ts"
import { placesOf, type Sql } from "./Sql.ts"

/** A page of one walk. */
interface Page {
  /** `prefix`: of the table, with its point. */
  readonly inRange: (prefix: string, id: string) => string
  /** All conditions of the query, each behind `and`. */
  readonly where: string
  readonly select: (index: string, ...more: ReadonlyArray<string>) => string
}

/** How a database walks where not all do the same. Values are the places of them. */
export interface SearchForm<V> {
  readonly idsOfReference: (tenant: Tenant, providerRef: string) => Effect.Effect<ReadonlyArray<string>, StorageError>
  /** An index may hold the beginning of the reference. */
  readonly isReference: (reference: string) => ReadonlyArray<string>
  readonly isOneOf: (ids: ReadonlyArray<string>, place: (value: Bound<V>) => string) => string
  /** Those with the text in their metadata, each once; under the name, or any. */
  readonly withText: (text: string, name: string | undefined, page: Page) => string
  readonly inStates: (states: ReadonlyArray<string>, page: Page) => string
  /** `select`: those in a currency. No text where there is none. */
  readonly inAnyCurrency: (
    tenant: Tenant,
    select: (currency: string) => string,
    place: (value: Bound<V>) => string
  ) => Effect.Effect<string, StorageError>
}

export const newestPage = "order by id desc limit $3"

export const makePaymentSearch = <V>(sql: Sql<V>, form: SearchForm<V>): Ledger["Service"]["payments"] => {
  const readBook = makeReadBook(sql)
  return Effect.fnUntraced(function* (tenant, query) {
    const { providerRef, states } = query
    if (states?.length === 0) return []
    const ids = providerRef === undefined ? undefined : yield* form.idsOfReference(tenant, providerRef)
    if (ids?.length === 0) return []
    const { bindBefore } = sql.keys
    const values: Array<Bound<V>> = [sql.bindOwner(tenant), bindBefore(idRangeOf(query).before), query.limit]
    const text = yield* selectPayments(sql, form, tenant, query, ids, values)
    if (text === "") return []
    return (yield* sql.list("payments", text, values)).map((row) => readBook(tenant, row).payment)
  })
}

const conditionsOf = <V>(
  form: SearchForm<V>,
  { amountMinor, connectionId, createdBefore, createdFrom, currency, reference }: PaymentQuery,
  text: (text: string) => string,
  place: (value: Bound<V>) => string
): ReadonlyArray<string> => [
  ...(reference === undefined ? [] : form.isReference(text(reference))),
  ...(currency === undefined ? [] : [`currency = ${place(currency)}`]),
  ...(amountMinor === undefined ? [] : [`amount_minor = ${place(amountMinor)}`, "amount_minor >= 0"]),
  ...(connectionId === undefined ? [] : [`connection_id = ${text(connectionId)}`]),
  ...(createdFrom === undefined ? [] : [`created_at >= ${place(createdFrom)}`]),
  ...(createdBefore === undefined ? [] : [`created_at < ${place(createdBefore)}`])
]

/** `ids`: of the payments with the provider's reference. `values` begin with the tenant, the end and the limit. */
const selectPayments = <V>(
  { by, keys, rows }: Sql<V>,
  form: SearchForm<V>,
  tenant: Tenant,
  query: PaymentQuery,
  ids: ReadonlyArray<string> | undefined,
  values: Array<Bound<V>>
): Effect.Effect<string, StorageError> => {
  const { amountMinor, currency, metadata, metadataValue, reference, states } = query
  const place = placesOf(values)
  const text = (given: string) => place(rows.bindText(given))
  const { from } = idRangeOf(query)
  const after = from === "" ? undefined : place(keys.bindAfter(from))
  const inRange = (prefix: string, id: string) =>
    `${prefix}t = $1 and ${prefix}${id} < $2${after === undefined ? "" : ` and ${prefix}${id} > ${after}`}`
  const conditions = conditionsOf(form, query, text, place)
  const select = (index: string, ...more: ReadonlyArray<string>) =>
    `select * from ${by("payments", index)} where ${[inRange("", "id"), ...conditions, ...more].join(" and ")} ${newestPage}`
  const pageOf = (...more: ReadonlyArray<string>): Page => {
    const where = [...conditions, ...more].map((one) => `and ${one}`).join(" ")
    return { inRange, where, select }
  }
  const pairs = Object.entries(metadata ?? {}).map((pair) => pair.map(text) as [name: string, value: string])
  const ofStates = [...new Set(states)].map(place)
  // Each state is a value of its own where it does not lead the walk.
  const inStates = states === undefined ? [] : [`state in (${list(ofStates)})`]
  const value = metadataValue === undefined ? undefined : text(metadataValue)
  const rest = (others = pairs) => [
    ...inStates,
    ...others.map(([name, one]) => has(`other.name = ${name} and other.value = ${one}`)),
    ...(value === undefined ? [] : [has(`other.value = ${value}`)])
  ]
  const selected = (): string | undefined => {
    if (ids !== undefined) return select("payments_by_id", form.isOneOf(ids, place), ...rest())
    if (reference !== undefined) return select("payments_by_reference", ...rest())
    const [first, ...others] = pairs
    if (first !== undefined) return form.withText(first[1], first[0], pageOf(...rest(others)))
    if (value !== undefined) return form.withText(value, undefined, pageOf(...inStates))
    if (amountMinor !== undefined) {
      return currency === undefined ? undefined : select("payments_by_amount", ...inStates)
    }
    return states === undefined ? select("payments_by_id") : form.inStates(ofStates, pageOf(...inStates))
  }
  const found = selected()
  return found === undefined
    ? form.inAnyCurrency(tenant, (is) => select("payments_by_amount", `payments.currency = ${is}`, ...inStates), place)
    : Effect.succeed(found)
}

/** Whether a payment has such metadata. */
const has = (condition: string): string => `exists (
  select 1 from payment_metadata as other where other.t = payments.t and other.payment = payments.id and ${condition}
)`
