/**
 * How PostgreSQL walks along payments in a search (`PaymentSearch.ts` of storage-sql).
 *
 * PostgreSQL plans each statement once, for any values. `offset 0` makes it look up by its key a payment that a row of
 * another table names.
 */
import { newestPage, type SearchForm } from "@pointsman/storage-sql"
import { Effect } from "effect"
import { idsOfReference } from "./Books.ts"
import type { Database } from "./Database.ts"
import type { Value } from "./Rows.ts"

/** The payments that rows beside them name, by a walk along those. */
const named = (rows: string, where: string) => `select p.* from (${rows} order by payment desc) as named
    cross join lateral (select * from payments where t = $1 and id = named.payment ${where} offset 0) as p
    order by named.payment desc limit $3`

const beginsAs = (column: string, text: string) => `left(${column}, 64) = left(${text}, 64)`

export const searchForm = (db: Database): SearchForm<Value> => ({
  idsOfReference: (tenant, providerRef) => idsOfReference(db, "payments", tenant, providerRef),
  // The index holds the beginning, because a reference may be longer than an index takes.
  isReference: (reference) => [beginsAs("reference", reference), `reference = ${reference}`],
  isOneOf: (ids, place) => `id = any(${place(`{${ids.join(",")}}`)}::uuid[])`,
  withText: (text, name, { inRange, where }) =>
    named(
      `select distinct payment from payment_metadata
    where ${inRange("", "payment")} and name <> '' and ${beginsAs("value", text)} and value = ${text}
      ${name === undefined ? "" : `and name = ${name}`}`,
      where
    ),
  inStates: (states, { inRange, where }) => {
    const inState = (state: string) => `from searches where ${inRange("", "payment")} and state = ${state}`
    const walks = [...states.map(inState), `from due where ${inRange("", "payment")}`]
    return `select * from (${walks.map((walk) => `(${named(`select payment ${walk}`, where)})`).join(" union all ")}) as found
      ${newestPage}`
  },
  inAnyCurrency: (_, select) =>
    Effect.succeed(
      `${currencies} select found.* from currencies
      cross join lateral (${select("currencies.currency")}) as found ${newestPage}`
    )
})

/** The currencies of the tenant's payments, each found by one step along the index. */
const currencies = `with recursive currencies (currency) as (
  (select currency from payments where t = $1 and amount_minor >= 0 order by currency limit 1)
  union all select next.currency from currencies as last cross join lateral (
    select currency from payments where t = $1 and amount_minor >= 0 and currency > last.currency
    order by currency limit 1
  ) as next
)`
