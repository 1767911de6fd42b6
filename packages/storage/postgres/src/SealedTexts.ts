/** Sealed texts in PostgreSQL. */
import { derivationKey, type SealedKind, SealedTexts } from "@pointsman/core/ports"
import { list, type Row, sealedPlaces, sealedUrlOf, sealedUrlPart } from "@pointsman/storage-sql"
import { Effect, Option } from "effect"
import type { Database } from "./Database.ts"
import { newVersion, tellOthers } from "./Directory.ts"
import { isBodyOf } from "./MessageBodies.ts"
import { bindText, readText } from "./Rows.ts"

const selectDerivation = "select sealed from kept_secrets where name = $1"
/** What another one wrote at the same time is seen by the next read. */
const addDerivation = "insert into kept_secrets (name, sealed) values ($1, $2) on conflict do nothing returning sealed"

/** `forget`: drops what this process keeps of the directory. */
export const make = (db: Database, forget: Effect.Effect<void>): SealedTexts["Service"] => {
  const sealedOf = ([row]: ReadonlyArray<Row>) =>
    Option.map(Option.fromUndefinedOr(row), (found) => readText(found["sealed"]))
  const derivation = Effect.map(db.read("derivation", selectDerivation, [...derivationKey]), sealedOf)
  return SealedTexts.of({
    list: ({ after, kind, limit }) =>
      Effect.map(
        db.read("sealedTexts", kind === "message" ? pageOfBodies(after !== null) : pageOf(kind, after !== null), [
          String(limit),
          ...(after ?? []).map(bindText)
        ]),
        (found) => found.map(readSealed(kind))
      ),
    replace: (kind, replacements) => {
      const bindSealed = kind === "checkout" ? sealedUrlPart : bindText
      const input = replacements.map(({ expected, key, sealed }) => ({
        ...Object.fromEntries(sealedPlaces[kind].key.map((name, at) => [name, bindText(key[at] ?? "")])),
        expected: bindSealed(expected),
        sealed: bindSealed(sealed)
      }))
      return db
        .update("replaceSealed", kind === "message" ? replaceBodies : replaceOf(kind), [JSON.stringify(input)])
        .pipe(
          Effect.map(([row]) => row?.["count"] as number),
          Effect.ensuring(sealedPlaces[kind].isDirectory ? forget : Effect.void)
        )
    },
    derivation,
    keepDerivation: (sealed) =>
      Effect.flatMap(db.update("keepDerivation", addDerivation, [...derivationKey, bindText(sealed)]), (added) =>
        added.length > 0 ? Effect.succeed(sealed) : Effect.map(derivation, Option.getOrThrow)
      )
  })
}

export const readSealed = (kind: SealedKind) => (row: Row) => ({
  kind,
  key: sealedPlaces[kind].key.map((name) => readText(row[name])),
  sealed: kind === "checkout" ? sealedUrlOf(row["sealed"] as string) : readText(row["sealed"])
})

/** The key of a message has the hash of its event id in its index. */
export const indexed = (name: string): string => (name === "event_id" ? "event_hash" : name)
export const indexedValue = (name: string, value: string): string => (name === "event_id" ? `md5(${value})` : value)

export const pageOf = (kind: SealedKind, hasBefore: boolean): string => {
  const { column, key, table, where } = sealedPlaces[kind]
  const order = list(key.map(indexed))
  const isLater = `(${order}) > (${list(key.map((name, at) => indexedValue(name, `$${at + 2}::text`)))})`
  return `select ${list(key)}, ${column} as sealed from ${table} where ${where}${hasBefore ? ` and ${isLater}` : ""}
    order by ${order} limit $1::integer`
}

/** The bodies of messages, of both of their places: messages outlive their bodies by years, so that none is read in vain. */
const pageOfBodies = (hasBefore: boolean): string => {
  const { key } = sealedPlaces.message
  const order = list(key.map(indexed))
  const isLater = `(${order}) > (${list(key.map((name, at) => indexedValue(name, `$${at + 2}::text`)))})`
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

/** The text with the new one in it, and whether it has the expected one. */
export const replacement = (kind: SealedKind, expected: string, sealed: string): readonly [string, string] => {
  const { column, table } = sealedPlaces[kind]
  return kind === "checkout"
    ? [`replace(${table}.${column}, ${expected}, ${sealed})`, `strpos(${table}.${column}, ${expected}) > 0`]
    : [sealed, `${table}.${column} = ${expected}`]
}

const columnsOf = (kind: SealedKind) => [...sealedPlaces[kind].key, "expected", "sealed"]

const ofInput = (kind: SealedKind): string => {
  const { key, table } = sealedPlaces[kind]
  return key.map((name) => `${table}.${indexed(name)} = ${indexedValue(name, `input.${name}`)}`).join(" and ")
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
