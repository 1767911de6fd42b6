/** Payments in PostgreSQL: one change is one statement (`Commit.ts`), and so is one read. */
import { brokenChange, Ledger } from "@pointsman/core/ports"
import {
  list,
  makeDisputes,
  makeMessages,
  makePaymentReads,
  makePaymentSearch,
  type PaymentForm,
  type SearchForm,
  type Walk
} from "@pointsman/storage-sql"
import { Effect } from "effect"
import { booksNamed, booksNaming } from "./Books.ts"
import { makeChecks } from "./Checks.ts"
import { type LedgerOptions, makeCommit } from "./Commit.ts"
import type { Database } from "./Database.ts"
import { makeStoredMessages } from "./Messages.ts"
import { makeReads, type Reads } from "./Reads.ts"
import type { Value } from "./Rows.ts"
import { sqlOf } from "./Sql.ts"

/** The payments that rows beside them name, by a walk along those; each is looked up by its key (`offset 0`). */
const named = (rows: string, where: string) => `select p.* from (${rows} order by payment desc) as named
    cross join lateral (select * from payments where t = $1 and id = named.payment ${where} offset 0) as p
    order by named.payment desc limit $3`

const idsOf = (rows: string) => `select payment as id ${rows} order by payment desc`

const beginsAs = (column: string, text: string) => `left(${column}, 64) = left(${text}, 64)`

/** How PostgreSQL walks along payments in a search (`PaymentSearch.ts` of storage-sql). */
const searchForm: SearchForm<Value> = {
  shortName: "name::text",
  indexedReference: "left(reference, 64)",
  // The index holds the beginning, because a reference may be longer than an index takes.
  isReference: (reference) => [beginsAs("reference", reference), `reference = ${reference}`],
  named:
    (table, condition) =>
    ({ inRange, where }) => {
      const rows = () => `from ${table} where ${inRange("", "payment")} and ${condition("name")}`
      return { ids: () => idsOf(rows()), page: () => named(`select payment ${rows()}`, where()) }
    },
  withText:
    (value, name, led) =>
    ({ inRange, text, where }) => {
      const rows = (given: string) => `from payment_metadata
        where ${inRange("", "payment")} and ${beginsAs("value", given)}`
      return [
        {
          ids: () => idsOf(rows(text(value))),
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
        return { ids: () => idsOf(rows()), page: () => named(`select payment ${rows()}`, where()) }
      }
      const rows = `from due where ${inRange("", "payment")}`
      const due: Walk = {
        ids: () => idsOf(rows),
        page: () => named(`select payment ${rows} and state in (${list(states.map(place))})`, where())
      }
      return [...states.map(ofState), due]
    }
}

const paymentForm = (db: Database, reads: Reads): PaymentForm<Value> => ({
  bookColumns: "*",
  isSent: "created_at >= 0 and is_sent",
  reviews: {
    select: () => `select p.*, r.since from reviews as r
      cross join lateral (select * from payments where payments.t = r.t and id = r.payment offset 0) as p`,
    is: "r.since >= 0",
    t: "r.t",
    id: "r.payment",
    byTime: "r.since, r.payment",
    byAmount: "p.currency, -p.amount_minor, p.id"
  },
  booksNamed: (tenant, name) => booksNamed(db, "bookOf", tenant, [name]),
  booksNaming: (tenant, charge) => booksNaming(db, "bookOf", tenant, [charge]),
  // The order of the ids is also that of these, and of the ids with the same one.
  beginningOf: (id) => `substr(uuid_send(${id}), 1, 5)`,
  events: reads.events
})

export const make = Effect.fnUntraced(function* (
  db: Database,
  { reads = makeReads(db, undefined), ...options }: LedgerOptions & { readonly reads?: Reads } = {}
) {
  const commit = yield* makeCommit(db, options)
  const sql = sqlOf(db, reads)
  return Ledger.of({
    commit: (change) =>
      Effect.suspend(() => {
        const broken = brokenChange(change)
        return broken === undefined ? commit(change) : Effect.die(new Error(`Ledger.commit: ${broken}`))
      }),
    ...makePaymentReads(sql, paymentForm(db, reads)),
    ...makeStoredMessages(db, sql),
    messages: makeMessages(sql, (tenant, charges) => booksNaming(db, "messages", tenant, charges)),
    ...makeChecks(db),
    ...makePaymentSearch(sql, searchForm),
    ...makeDisputes(sql)
  })
})
