/** Sealed texts in PostgreSQL: the bodies of messages have two places, and one statement replaces many texts. */
import { type SealedKind, SealedTexts } from "@pointsman/core/ports"
import {
  type DirectoryForm,
  type KeyForm,
  list,
  makeSealedTexts,
  readSealed,
  replacement,
  type Sql,
  sealedPlaces,
  sealedUrlPart
} from "@pointsman/storage-sql"
import { Effect } from "effect"
import { newVersion, tellOthers } from "./Directory.ts"
import { isBodyOf } from "./MessageBodies.ts"
import { bindText, readText, type Value } from "./Rows.ts"

/** The key of a message has the hash of its event id in its index. */
export const keyForm: KeyForm = {
  column: (name) => (name === "event_id" ? "event_hash" : name),
  value: (name, value) => (name === "event_id" ? `md5(${value})` : value)
}

export const make = (sql: Sql<Value>, form: Pick<DirectoryForm<Value>, "forget" | "tell">): SealedTexts["Service"] => {
  const plain = makeSealedTexts(sql, form, keyForm)
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
      const bindSealed = kind === "checkout" ? sealedUrlPart : bindText
      const input = replacements.map(({ expected, key, sealed }) => ({
        ...Object.fromEntries(sealedPlaces[kind].key.map((name, at) => [name, bindText(key[at] ?? "")])),
        expected: bindSealed(expected),
        sealed: bindSealed(sealed)
      }))
      return sql
        .update("replaceSealed", kind === "message" ? replaceBodies : replaceOf(kind), [JSON.stringify(input)])
        .pipe(
          Effect.map(([row]) => row?.["count"] as number),
          Effect.ensuring(sealedPlaces[kind].isDirectory ? form.forget : Effect.void)
        )
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

const columnsOf = (kind: SealedKind) => [...sealedPlaces[kind].key, "expected", "sealed"]

const ofInput = (kind: SealedKind): string => {
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

const replaceOf = (kind: SealedKind): string => {
  const { column, isDirectory, table } = sealedPlaces[kind]
  const columns = columnsOf(kind)
  const ofRecord = ofInput(kind)
  const [value, isExpected] = replacement(kind, "input.expected", "input.sealed")
  return `with ${isDirectory ? `version as (${newVersion} returning version), ` : ""}input as materialized (
      select ${list(columns, "r.")}
      from jsonb_to_recordset($1::text::jsonb) as r (${list(columns.map((name) => `${name} text`))})
      ${isDirectory ? "cross join version" : ""}
    ), written as (
      update ${table} set ${column} = ${value} from input where ${ofRecord} and ${isExpected} returning 1 as one
    ) select (select count(*)::integer from written) as count${isDirectory ? `, (${tellOthers})` : ""}`
}
