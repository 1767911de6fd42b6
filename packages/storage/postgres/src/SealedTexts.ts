/** Sealed texts in PostgreSQL: the bodies of messages have two places. */
import {
  type CheckoutForm,
  type DirectoryForm,
  makeSealedTexts,
  type Row,
  type SealedForm,
  type Sql
} from "@pointsman/storage-sql"
import { Effect } from "effect"
import { readBook } from "./Books.ts"
import type { Database } from "./Database.ts"
import { isBodyOf } from "./Messages.ts"
import { bindBefore, bindId, nameHash, readTenant, tenantNumber, type Value } from "./Rows.ts"

const bodyKey = "workspace_id, environment, connection_id, event_id, event_hash"

/** Of the second place only bodies are read, and then their messages, which outlive them by years. */
const sealedForm: SealedForm = {
  column: (name) => (name === "event_id" ? "event_hash" : name),
  value: (name, value) => (name === "event_id" ? `md5(${value})` : value),
  rows: {
    message: (later, order) => `select * from (
      (select ${bodyKey}, body as sealed from messages where is_sealed${later} order by ${order} limit $1::integer)
      union all
      (select ${bodyKey}, b.body as sealed from message_bodies as b cross join lateral (
          select event_id from messages where ${isBodyOf("messages")} offset 0
        ) as message where b.is_sealed${later} order by ${order} limit $1::integer)
    ) as page`
  },
  replaceAlso: {
    message: ([expected, sealed], items, isOf) => `update message_bodies as b set body = ${sealed} ${items}
      cross join lateral (
        select workspace_id, environment, received_at, connection_id, event_hash from messages
        where ${isOf("messages")} offset 0
      ) as m where ${isBodyOf("m")} and b.body = ${expected} returning 1 as one`
  }
}

const selectCheckouts = `select p.*, n.workspace_id, n.environment from (
    select t, payment from names where name = ${nameHash("checkout ")} and t = any(array(select t from tenants))
      and (t, payment) >= ($1::bigint, $2::uuid)
    order by t, payment limit $3
  ) as named cross join lateral (
    select * from payments where payments.t = named.t and id = named.payment offset 0
  ) as p cross join lateral (select * from tenants where tenants.t = named.t offset 0) as n
  order by p.t, p.id`

/** With a version of its own: who decided on the book as it was must not write the former text back. */
const replaceInBook = `update payments set version = version + 1, book = replace(book, $3, $4)
  where t = $1 and id = $2 and strpos(book, $3) > 0 returning 1 as one`

const byPlace = (a: Row, b: Row): number =>
  Number(a["t"]) - Number(b["t"]) || (String(a["id"]) < String(b["id"]) ? -1 : 1)

const checkoutsIn = (db: Database): CheckoutForm => ({
  books: (from, limit) => {
    const t = from === null ? "0" : tenantNumber(from.tenant)
    const params = [t, bindBefore(from?.paymentId ?? ""), limit]
    return Effect.map(db.read("sealedTexts", selectCheckouts, params), (found) =>
      found.toSorted(byPlace).map((row) => readBook(readTenant(row), row))
    )
  },
  // One by one: a payment may have several.
  replace: (replacements) =>
    Effect.map(
      Effect.forEach(replacements, ({ expected, paymentId, sealed, tenant }) =>
        db.update("replaceSealed", replaceInBook, [tenantNumber(tenant), bindId(paymentId), expected, sealed])
      ),
      (written) => written.flat().length
    )
})

export const make = (db: Database, sql: Sql<Value>, form: Pick<DirectoryForm<Value>, "forget" | "tell">) =>
  makeSealedTexts(sql, form, sealedForm, checkoutsIn(db))
