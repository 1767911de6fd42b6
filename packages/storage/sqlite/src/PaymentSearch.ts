/** How SQLite walks along payments in a search (`PaymentSearch.ts` of storage-sql). */
import { newestPage, type SearchForm } from "@pointsman/storage-sql"
import type { Value } from "./Sql.ts"

export const searchForm: SearchForm<Value> = {
  shortName: "name",
  indexedReference: "reference",
  isReference: (reference) => [`reference = ${reference}`],
  named:
    (table, condition) =>
    ({ inRange, where }) => {
      const rows = () => `${inRange("named.", "payment")} and ${condition("named.name")}`
      return {
        ids: () => `select named.payment as id from ${table} as named where ${rows()} order by named.payment desc`,
        page: () => `select payments.* from ${table} as named cross join payments indexed by payments_by_id
          where ${rows()} and payments.t = $1 and payments.id = named.payment ${where()}
          order by named.payment desc limit $3`
      }
    },
  withText:
    (value, name, led) =>
    ({ inRange, text, where }) => {
      const rows = `payment_metadata as named indexed by payment_metadata_by_${name === undefined ? "text" : "value"}`
      const isNamed = () =>
        `${inRange("named.", "payment")} and named.value = ${text(value)}
          ${name === undefined ? "" : `and named.name = ${text(name)}`}`
      return [
        {
          ids: () => `select named.payment as id from ${rows} where ${isNamed()} order by named.payment desc`,
          page: () => `select payments.* from ${rows} cross join payments indexed by payments_by_id
            where ${isNamed()} ${name === undefined ? isFirstName : ""}
              and payments.t = $1 and payments.id = named.payment ${where(led)}
            order by named.payment desc limit $3`
        }
      ]
    },
  inStates:
    (states) =>
    ({ inRange, place, where }) =>
      states.map((state) => {
        const rows = () =>
          `payments indexed by payments_by_state where ${inRange("", "id")} and state = ${place(state)}`
        return {
          ids: () => `select id from ${rows()} order by id desc`,
          page: () => `select * from ${rows()} ${where("states")} ${newestPage}`
        }
      })
}

/** A payment that has the text under several names is met once, by the first of them. */
const isFirstName = `and not exists (select 1 from payment_metadata as earlier where earlier.t = named.t
  and earlier.payment = named.payment and earlier.name < named.name and earlier.value = named.value)`
