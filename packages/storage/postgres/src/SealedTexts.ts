/** Sealed texts in PostgreSQL: the bodies of messages have two places, and one statement replaces many texts. */
import { SealedTexts } from "@pointsman/core/ports"
import {
  type CheckoutForm,
  type DirectoryForm,
  type KeyForm,
  list,
  makeSealedTexts,
  type PlacedKind,
  type Row,
  readSealed,
  type Sql,
  sealedPlaces
} from "@pointsman/storage-sql"
import { Effect } from "effect"
import { readBook } from "./Books.ts"
import type { Database } from "./Database.ts"
import { bindBefore, bindId, nameOf, tenantNumber } from "./Keys.ts"
import { isBodyOf } from "./MessageBodies.ts"
import { bindText, readTenant, readText, type Value } from "./Rows.ts"

/** The key of a message has the hash of its event id in its index. */
const keyForm: KeyForm = {
  column: (name) => (name === "event_id" ? "event_hash" : name),
  value: (name, value) => (name === "event_id" ? `md5(${value})` : value)
}

const selectCheckouts = `select p.*, n.workspace_id, n.environment from (
    select t, payment from names where name = $1 and t = any(array(select t from tenants)) and (t, payment) >= ($2::bigint, $3::uuid)
    order by t, payment limit $4
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
    const params = [nameOf("checkout", ""), t, bindBefore(from?.paymentId ?? ""), String(limit)]
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

export const make = (
  db: Database,
  sql: Sql<Value>,
  form: Pick<DirectoryForm<Value>, "forget" | "tell">
): SealedTexts["Service"] => {
  const plain = makeSealedTexts(sql, form, keyForm, checkoutsIn(db))
  return SealedTexts.of({
    ...plain,
    list: (query) => {
      const { after, kind, limit } = query
      if (kind !== "message") return plain.list(query)
      const values = [limit, ...(after ?? []).map(bindText)]
      return Effect.map(sql.read("sealedTexts", pageOfBodies(after !== null), values), (found) =>
        found.map(readSealed(kind, readText))
      )
    },
    replace: (kind, replacements) => {
      if (kind === "checkout" || sealedPlaces[kind].isDirectory) return plain.replace(kind, replacements)
      const input = replacements.map(({ expected, key, sealed }) => ({
        ...Object.fromEntries(sealedPlaces[kind].key.map((name, at) => [name, bindText(key[at] ?? "")])),
        expected: bindText(expected),
        sealed: bindText(sealed)
      }))
      const text = kind === "message" ? replaceBodies : replaceOf(kind)
      return Effect.map(sql.update("replaceSealed", text, [JSON.stringify(input)]), ([row]) => row?.["count"] as number)
    }
  })
}

/** The bodies of messages, of both of their places: messages outlive their bodies by years, so that none is read in vain. */
const pageOfBodies = (hasBefore: boolean): string => {
  const { key } = sealedPlaces.message
  const order = list(key.map(keyForm.column))
  const isLater = `(${order}) > (${list(key.map((name, at) => keyForm.value(name, `$${at + 2}::text`)))})`
  const later = hasBefore ? ` and ${isLater}` : ""
  const columns = list([...key, "event_hash"])
  return `select ${list(key)}, sealed from (
      (select ${columns}, body as sealed from messages where is_sealed${later} order by ${order} limit $1::integer)
      union all
      (select ${columns}, b.body as sealed from message_bodies as b cross join lateral (
          select event_id from messages where ${isBodyOf("messages")} offset 0
        ) as message where b.is_sealed${later} order by ${order} limit $1::integer)
    ) as page order by ${order} limit $1::integer`
}

const columnsOf = (kind: PlacedKind) => [...sealedPlaces[kind].key, "expected", "sealed"]

const ofInput = (kind: PlacedKind): string => {
  const { key, table } = sealedPlaces[kind]
  return key.map((name) => `${table}.${keyForm.column(name)} = ${keyForm.value(name, `input.${name}`)}`).join(" and ")
}

const replaceBodies = `with input as materialized (
    select * from jsonb_to_recordset($1::text::jsonb) as r (${list(columnsOf("message").map((name) => `${name} text`))})
  ), written as (
    update messages set body = input.sealed from input where ${ofInput("message")} and messages.body = input.expected
    returning 1 as one
  ), named as materialized (
    select input.expected, input.sealed, m.* from input cross join lateral (
      select workspace_id, environment, received_at, connection_id, event_hash from messages
      where ${ofInput("message")} offset 0
    ) as m
  ), kept as (
    update message_bodies as b set body = named.sealed from named
    where ${isBodyOf("named")} and b.body = named.expected returning 1 as one
  ) select ((select count(*) from written) + (select count(*) from kept))::integer as count`

const replaceOf = (kind: PlacedKind): string => {
  const { column, table } = sealedPlaces[kind]
  return `with written as (
      update ${table} set ${column} = input.sealed
      from jsonb_to_recordset($1::text::jsonb) as input (${list(columnsOf(kind).map((name) => `${name} text`))})
      where ${ofInput(kind)} and ${table}.${column} = input.expected returning 1 as one
    ) select count(*)::integer as count from written`
}
