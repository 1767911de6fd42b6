/** How SQLite walks along payments in a search (`PaymentSearch.ts` of storage-sql). */
import type { Tenant } from "@pointsman/core"
import { list, newestPage, type SearchForm } from "@pointsman/storage-sql"
import { Effect } from "effect"
import { idsOfReference } from "./Books.ts"
import { type Database, read, snapshot } from "./Database.ts"
import { bindId, tenantsOf } from "./Keys.ts"
import type { Value } from "./Sql.ts"

const merged = (walks: ReadonlyArray<string>): string =>
  walks.length < 2
    ? walks.join("")
    : `${walks.map((walk) => `select * from (${walk})`).join(" union all ")} ${newestPage}`

export const searchForm = (db: Database): SearchForm<Value> => ({
  idsOfReference: (tenant, providerRef) =>
    read("payments", () => snapshot(db, () => idsOfReference(db, tenant, providerRef))),
  isReference: (reference) => [`reference = ${reference}`],
  isOneOf: (ids, place) => `id in (${list(ids.map((id) => place(bindId(id))))})`,
  withText: (text, name, { inRange, where }) => `select payments.* from payment_metadata as named
      indexed by payment_metadata_by_${name === undefined ? "text" : "value"}
      cross join payments indexed by payments_by_id
    where ${inRange("named.", "payment")} and named.value = ${text}
      and ${name === undefined ? isFirstName : `named.name = ${name}`}
      and payments.t = $1 and payments.id = named.payment ${where}
    order by named.payment desc limit $3`,
  inStates: (states, { select }) => merged(states.map((state) => select("payments_by_state", `state = ${state}`))),
  inAnyCurrency: (tenant, select, place) =>
    Effect.map(
      read("payments", () => currenciesOf(db, tenant)),
      (found) => merged(found.map((one) => select(place(one))))
    )
})

/** A payment that has the text under several names is met once, by the first of them. */
const isFirstName = `not exists (select 1 from payment_metadata as earlier where earlier.t = named.t
  and earlier.payment = named.payment and earlier.name < named.name and earlier.value = named.value)`

/** The currencies of the tenant's payments, each found by one step along the index. */
const currenciesOf = (db: Database, tenant: Tenant): ReadonlyArray<string> => {
  const rows = "payments indexed by payments_by_amount"
  const next = db.prepare(`select currency from ${rows} where t = ? and currency > ? order by currency limit 1`)
  const found: Array<string> = []
  for (;;) {
    const row = next.get(tenantsOf(db).find(tenant), found.at(-1) ?? "")
    if (row === undefined) return found
    found.push(row["currency"] as string)
  }
}
