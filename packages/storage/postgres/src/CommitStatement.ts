/**
 * The text of a commit, and what it binds: one text for each shape of a change, for one change or for many of that shape.
 * All parts of a statement see the database as it was when it began. Where the row of the payment is not written nothing
 * is. Where another statement came between, and a part that had to write found nothing to do, an error takes everything
 * back.
 */
import { type Columns, entryKey, list, type Owner, onConflictReplace } from "@pointsman/storage-sql"
import { endpoints, eventWrites, type OwnerText } from "./CommitEvents.ts"
import type { Params } from "./Database.ts"
import {
  columnsOf,
  type DrawnChange,
  keyOf,
  nameOf,
  type Place,
  type Read,
  type Shape,
  written
} from "./DrawnChange.ts"
import { bindText, rows, tenantNumber, typeOf, type Value } from "./Rows.ts"

export interface Statement {
  readonly sql: string
  readonly bind: (changes: ReadonlyArray<DrawnChange>) => Params
}

/**
 * Texts are made once: PostgreSQL prepares each of them once on each connection. `isMany`: of changes that share no payment
 * and no key; the answer names those that it wrote by their places, from 1. `history`: what versions of the database's
 * present history begin after, in SQL; without it all have one history.
 */
export const makeStatements = (isMany: boolean, history?: string): ((shape: Shape) => Statement) => {
  const made = new Map<string, Statement>()
  return (shape) => {
    const name = nameOf(shape)
    const found = made.get(name) ?? statement(shape, isMany, history)
    made.set(name, found)
    return found
  }
}

const statement = (shape: Shape, isMany: boolean, history: string | undefined): Statement => {
  const reads: Array<Read> = [({ change }) => tenantNumber(change.tenant), ({ change }) => change.payment.after.id]
  const types = ["bigint", "uuid"]
  const names = ["t", "id"]
  const place: Place = (type, read) => {
    const known = reads.indexOf(read)
    if (known >= 0) return `i.${names[known]}`
    const name = `c${reads.push(read)}`
    types.push(type)
    names.push(name)
    return `i.${name}`
  }
  const version = (placed: string) =>
    history === undefined ? placed : `greatest(${placed}, (select base from h) + (${placed} & 4294967295))`
  const before = history === undefined ? [] : [`h as materialized (select ${history} as base)`]
  const { parts, whole } = writesOf(shape, isMany, place, version)
  const input = isMany
    ? `i as materialized (select * from unnest(${list(types.map((type, at) => `$${at + 1}::${type}[]`))})
      with ordinality as i (${list([...names, "n"])}))`
    : `i as not materialized (select ${list(types.map((type, at) => `$${at + 1}::${type} as ${names[at]}`))})`
  const answer = isMany ? `array(select i.n::integer from ${written})` : "(select count(*)::integer from p)"
  const cameBetween = whole.map(
    ([part, times]) => `(select count(*) from ${part}) <> ${times} * (select count(*) from p)`
  )
  const taken = cameBetween.length === 0 ? "" : `, case when ${cameBetween.join(" or ")} then came_between() end`
  return {
    sql: `with ${[...before, input, ...parts].join(",\n")}\nselect ${answer} as written${taken}`,
    bind: (changes) =>
      isMany
        ? reads.map((read) => arrayLiteral(changes.map(read)))
        : changes.slice(0, 1).flatMap((change) => reads.map((read) => read(change)))
  }
}

type Version = (placed: string) => string

/** `whole`: parts that have to write so many rows for each change whose row is written. */
const writesOf = (shape: Shape, isMany: boolean, place: Place, version: Version) => {
  const owner = () => ({ workspace: place("text", workspaceOf), environment: place("text", environmentOf) })
  const whole: Array<readonly [part: string, times: number]> = []
  const guards = guardsOf(shape, place, owner)
  const parts = [...rowWrites(shape, place, version, guards, whole), ...placeWrites(shape, place)]
  if (shape.message) parts.push(messageWrite(place, owner, whole))
  if (shape.taken > 0) {
    const names = valuesOf(shape.taken, (at) => place("uuid", ({ taken }) => taken[at] ?? null))
    parts.push(`c as (insert into charges (t, name, payment) select i.t, x.name, i.id
      from ${written} cross join lateral ${names} on conflict do nothing returning 1 as one)`)
    whole.push(["c", shape.taken])
  }
  if (shape.names > 0) {
    const names = valuesOf(shape.names, (at) => place("bigint", (drawn) => drawn.names[at] ?? null))
    parts.push(`v as (insert into names (t, name, payment) select i.t, x.name, i.id
      from ${written} cross join lateral ${names})`)
  }
  if (shape.metadata) {
    const document = place("json", ({ change }) => metadataText(change.payment.after.metadata))
    parts.push(`a as (insert into payment_metadata (t, payment, name, value) select i.t, i.id, x.key, x.value
      from ${written} cross join lateral json_each_text(${document}) as x)`)
  }
  parts.push(...entryWrites(shape, place))
  if (shape.events > 0) parts.push(...eventWrites(isMany, shape, place, owner()))
  return { parts, whole }
}

const workspaceOf: Read = ({ change }) => bindText(change.tenant.workspaceId)
const environmentOf: Read = ({ change }) => change.tenant.environment

const valuesOf = (count: number, name: (at: number) => string): string =>
  `(values ${list(Array.from({ length: count }, (_, at) => `(${name(at)})`))}) as x (name)`

const metadataText = (metadata: Readonly<Record<string, string>> | null): string =>
  JSON.stringify(Object.fromEntries(Object.entries(metadata ?? {}).map((pair) => pair.map(bindText))))

/** Asked for each change (`offset 0`): of a join, PostgreSQL would read the rows of all tenants for many changes. */
const exists = (select: string): string => `exists (${select} offset 0)`

/** Under which a change is written, besides its versions. */
const guardsOf = (shape: Shape, place: Place, owner: () => OwnerText): ReadonlyArray<string> => {
  const guards: Array<string> = []
  if (shape.payment === "new") guards.push(exists("select 1 from tenants where tenants.t = i.t"))
  if (shape.apiKey) {
    const hash = place("text", ({ change }) => bindText(change.apiKeyHash ?? ""))
    guards.push(exists(`select 1 from api_keys as k where k.hash = ${hash} and k.revoked_at is null`))
  }
  if (shape.missing) guards.push(`not ${exists(unrecovered(owner()))}`)
  if (shape.events > 0 && !shape.deliveries) guards.push(`not ${exists(endpoints(owner()))}`)
  if (shape.key) {
    const tag = place("text", ({ change: { guard } }) => guard?.key?.tag ?? null)
    const kind = place("text", ({ change: { guard } }) => guard?.key?.kind ?? null)
    guards.push(`not ${exists(recoveredKeys(owner(), tag, kind, "i.id::text"))}`)
  }
  if (shape.message) guards.push(exists(`select 1 from messages as m where ${isOpenMessage(place, owner())}`))
  for (let at = 0; at < shape.named; at++) {
    const name = place("uuid", ({ named }) => named[at] ?? null)
    const isHeld = `g.t = i.t and g.name = ${name} and g.payment <> i.id`
    guards.push(`not ${exists(`select 1 from charges as g where ${isHeld}`)}`)
  }
  return guards
}

/** Without a loss nothing else is read. */
export const unrecovered = ({ environment, workspace }: OwnerText): string => `select 1 from record_losses as l
    where l.outcome is null and exists (
      select 1 from connections as c where c.workspace_id = ${workspace} and c.environment = ${environment} and not exists (
        select 1 from recovered_connections as r where r.loss = l.number and r.connection_id = c.id
      )
    )`

export const recoveredKeys = (owner: OwnerText, tag: string, kind: string, payment: string): string =>
  `select f.payment_id from recovered_keys as f
    where f.workspace_id = ${owner.workspace} and f.environment = ${owner.environment} and f.tag = ${tag}
      and f.kind = ${kind} and (f.kind = 'charge' or f.payment_id = ${payment})`

const messageConnection: Read = ({ change: { message } }) => bindText(message?.after.connectionId ?? "")
const messageEvent: Read = ({ change: { message } }) => bindText(message?.after.eventId ?? "")
const messageOutcome: Read = ({ change: { message } }) => message?.expected ?? null

const isOpenMessage = (place: Place, owner: OwnerText): string => {
  const isThis = isMessage(owner, place("text", messageConnection), place("text", messageEvent))
  return `${isThis} and m.outcome = ${place("text", messageOutcome)}`
}

export const isMessage = (owner: OwnerText, connection: string, event: string): string =>
  `m.workspace_id = ${owner.workspace} and m.environment = ${owner.environment}
      and m.connection_id = ${connection} and m.event_hash = md5(${event})`

const messageWrite = (place: Place, owner: () => OwnerText, whole: Array<readonly [string, number]>): string => {
  const assignments = Object.entries(rows.decisionColumns).map(([column, take]) => {
    const value = place(typeOf(column), ({ change: { message, tenant } }) =>
      message === undefined ? null : take(message.after, { tenant })
    )
    return `${column} = ${value}`
  })
  whole.push(["m", 1])
  return `m as (update messages as m set ${list(assignments)} from ${written}
      where ${isOpenMessage(place, owner())} returning 1 as one)`
}

/** The row of the payment, and before it the key in the row of another payment, whose claim is over. */
const rowWrites = (
  shape: Shape,
  place: Place,
  version: Version,
  guards: ReadonlyArray<string>,
  whole: Array<readonly [string, number]>
): ReadonlyArray<string> => {
  const { claim } = shape
  const key = claim === "none" ? "" : place("uuid", keyOf)
  const seen =
    claim === "moved" || claim === "taken" ? place("bigint", ({ change }) => change.claim?.expected ?? 0) : ""
  const columns = Object.entries(columnsOf(shape)).map(([name, read]) => {
    const value = place(typeOf(name), read)
    return [name, name.endsWith("version") ? version(value) : value] as const
  })
  const parts: Array<string> = []
  const conditions = [...guards]
  if (claim === "taken") {
    parts.push(`k as (update payments as x set key = null, claim = null, claim_version = null, claimed_at = null from i
      where ${["x.t = i.t", `x.key = ${key}`, "x.id <> i.id", `x.claim_version = ${seen}`, ...guards].join(" and ")}
      returning i.t, i.id)`)
    conditions.push("exists (select 1 from k where k.t = i.t and k.id = i.id)")
    whole.push(["k", 1])
  }
  if (shape.payment === "new") {
    const names = columns.map(([name]) => name)
    const values = columns.map(([, value]) => value)
    parts.push(`p as (insert into payments (t, id, ${list(names)}) select i.t, i.id, ${list(values)} from i
      where ${conditions.join(" and ")} on conflict do nothing returning t, id)`)
    return parts
  }
  const expected = place("bigint", ({ change }) => change.payment.expected)
  if (claim === "moved") conditions.push(`x.key = ${key}`, `x.claim_version = ${seen}`)
  if (claim === "given") {
    conditions.push(`not ${exists(`select 1 from payments as y where y.t = i.t and y.key = ${key}`)}`)
  }
  parts.push(`p as (update payments as x set ${list(columns.map(([name, value]) => `${name} = ${value}`))} from i
      where ${["x.t = i.t", "x.id = i.id", `x.version = ${expected}`, ...conditions].join(" and ")}
      returning x.t, x.id)`)
  return parts
}

/** Where the payment is found by its state, its review, and by the background. */
const placeWrites = (shape: Shape, place: Place): ReadonlyArray<string> => {
  const parts: Array<string> = []
  const isMoved = shape.payment === "moved"
  const leave = (name: string, state: string) =>
    parts.push(`${name} as (delete from searches as x using ${written}
      where x.t = i.t and x.state = ${state} and x.payment = i.id)`)
  const removed = (name: string, table: string) =>
    `${name} as (delete from ${table} as x using ${written} where x.t = i.t and x.payment = i.id)`
  const former = () => place("text", ({ change }) => change.payment.before?.payment.state ?? null)
  const state = place("text", ({ change }) => change.payment.after.state)
  if (shape.due) {
    const at = place("bigint", ({ change }) => change.checkAt ?? 0)
    const connection = place("text", ({ change }) => bindText(change.checkedConnection ?? ""))
    parts.push(`d as (insert into due (t, payment, at, connection, state)
      select i.t, i.id, ${at}, ${connection}, ${state} from ${written} on conflict (t, payment)
      do update set at = excluded.at, connection = excluded.connection, state = excluded.state)`)
    if (isMoved) leave("s", former())
  } else {
    parts.push(`s as (insert into searches (t, state, payment) select i.t, ${state}, i.id from ${written}
      on conflict do nothing)`)
    if (isMoved) parts.push(removed("d", "due"))
    if (shape.state) leave("f", former())
  }
  if (shape.review === "put") {
    const since = place("bigint", ({ change }) => change.payment.after.review?.since ?? 0)
    parts.push(`r as (insert into reviews (t, payment, since) select i.t, i.id, ${since} from ${written}
      on conflict (t, payment) do update set since = excluded.since)`)
  }
  if (shape.review === "ended") parts.push(removed("r", "reviews"))
  return parts
}

const entryWrites = (shape: Shape, place: Place): ReadonlyArray<string> => {
  const entries = <A>(
    table: string,
    count: number,
    columns: Columns<A, Value, Owner>,
    of: (drawn: DrawnChange) => ReadonlyArray<A> | undefined
  ): ReadonlyArray<string> =>
    Array.from({ length: count }, (_, at) => {
      const names = Object.keys(columns)
      const values = Object.entries(columns).map(([column, take]) =>
        place(typeOf(column), (drawn) => {
          const record = of(drawn)?.[at]
          return record === undefined ? null : take(record, drawn.change)
        })
      )
      return `${table}_${at} as (insert into ${table} (${list(names)}) select ${list(values)} from ${written}
        ${onConflictReplace(names, entryKey)})`
    })
  return [
    ...entries("disputes", shape.disputes, rows.disputeColumns, ({ change }) => change.disputes),
    ...entries("dispute_evidence", shape.evidence, rows.evidenceColumns, ({ change }) => change.evidence)
  ]
}

/**
 * Escapes quotation marks and backslashes as JSON does, which the engine writes at once
 * (https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO). What JSON escapes by letters is written as it is.
 */
export const arrayLiteral = (values: Params): string => {
  const json = JSON.stringify(values)
  return letterEscape.test(json) ? `{${values.map(literalOf).join(",")}}` : `{${json.slice(1, -1)}}`
}

/** An escaped backslash in front of such a letter is found too, and costs the longer way alone. */
const letterEscape = /\\[bfnrtu]/

const literalOf = (value: Params[number]): string =>
  value === null ? "NULL" : `"${String(value).replaceAll(/["\\]/g, "\\$&")}"`
