/**
 * How PostgreSQL walks along payments in a search (`PaymentSearch.ts` of storage-sql).
 *
 * PostgreSQL plans each statement once, for any values. `offset 0` makes it look up by its key a payment that a row of
 * another table names.
 */
import { list, type SearchForm, type Walk } from "@pointsman/storage-sql"
import type { Value } from "./Rows.ts"

/** The payments that rows beside them name, by a walk along those. */
const named = (rows: string, where: string) => `select p.* from (${rows} order by payment desc) as named
    cross join lateral (select * from payments where t = $1 and id = named.payment ${where} offset 0) as p
    order by named.payment desc limit $3`

const beginsAs = (column: string, text: string) => `left(${column}, 64) = left(${text}, 64)`

export const searchForm: SearchForm<Value> = {
  shortName: "name::text",
  // The index holds the beginning, because a reference may be longer than an index takes.
  isReference: (reference) => [beginsAs("reference", reference), `reference = ${reference}`],
  named:
    (table, condition) =>
    ({ inRange, where }) => {
      const rows = () => `from ${table} where ${inRange("", "payment")} and ${condition("name")}`
      return {
        ids: () => `select payment as id ${rows()} order by payment desc`,
        page: () => named(`select payment ${rows()}`, where())
      }
    },
  withText:
    (value, name, led) =>
    ({ inRange, text, where }) => {
      const rows = (given: string) => `from payment_metadata
        where ${inRange("", "payment")} and ${beginsAs("value", given)}`
      return [
        {
          ids: () => `select payment as id ${rows(text(value))} order by payment desc`,
          page: () => {
            const given = text(value)
            const isNamed = name === undefined ? "" : `and name = ${text(name)}`
            return named(`select distinct payment ${rows(given)} and value = ${given} ${isNamed}`, where(led))
          }
        }
      ]
    },
  inStates:
    (states) =>
    ({ inRange, place, where }) => {
      const ofState = (state: string): Walk => {
        const rows = () => `from searches where ${inRange("", "payment")} and state = ${place(state)}`
        return {
          ids: () => `select payment as id ${rows()} order by payment desc`,
          page: () => named(`select payment ${rows()}`, where())
        }
      }
      const rows = `from due where ${inRange("", "payment")}`
      const due: Walk = {
        ids: () => `select payment as id ${rows} order by payment desc`,
        page: () => named(`select payment ${rows} and state in (${list(states.map(place))})`, where())
      }
      return [...states.map(ofState), due]
    }
}
