/**
 * Which payments the background looks at, and when. What is taken is chosen connection by connection, each by its own
 * walk along the index: however much waits for one of them, the others cost no more to find.
 */
import type { DuePayment, Ledger } from "@pointsman/core/ports"
import { asksNone, connectionAsked, type Row, roomOf } from "@pointsman/storage-sql"
import { Effect } from "effect"
import type { Database } from "./Database.ts"
import { bindId, bindText, readTenant, readText, tenantNumber } from "./Rows.ts"

/** Connections with something to check, from one to the next by the index; first the checks that ask none. */
const connections = `with recursive connections (id) as (
    select '${asksNone}'::text collate "C"
    union all
    select (select min(connection) from due where connection > connections.id)
    from connections where connections.id is not null
  )`

export const waitingConnections = `${connections}
  select id, first from connections cross join lateral (
    select min(at) as first from due where connection = connections.id and at <= $1
  ) as due
  where first is not null order by first, id`

const dueOf = (lock: string) => `connections as materialized (
  select * from jsonb_to_recordset($1::text::jsonb) as c (id text, room integer, under_way integer)
), found as materialized (
  select first_ones.*, under_way from connections cross join lateral (
    select t, payment, connection, at from due where connection = connections.id and at <= $2
    order by at limit connections.room ${lock}
  ) as first_ones
)`
const ofTenants = (part: string) =>
  `${part} cross join lateral (select * from tenants where tenants.t = ${part}.t offset 0) as n`

export const selectDue = `with ${dueOf("")}
  select n.workspace_id, n.environment, payment, connection, at, under_way from ${ofTenants("found")}`

/** What another server takes at this moment, or writes, is passed over. */
export const take = `with ${dueOf("for no key update skip locked")}, chosen as materialized (
  select found.*, under_way + row_number() over (partition by connection order by at) as place from found
  order by place, at limit $4
), taken as (
  update due set at = $3 from chosen where due.t = chosen.t and due.payment = chosen.payment
  returning due.t, due.payment, due.connection, chosen.place, chosen.at as waited_since
)
select n.workspace_id, n.environment, payment, connection
  from ${ofTenants("taken")}
  order by place, waited_since`

export const wantedOf = ({ connectionId, room, underWay }: ReturnType<typeof roomOf>[number]) => ({
  id: bindText(connectionId ?? asksNone),
  room,
  under_way: underWay
})

export const readDue = (row: Row): DuePayment => ({
  tenant: readTenant(row),
  paymentId: row["payment"] as string,
  connectionId: readConnection(row["connection"])
})

export const readConnection = (stored: unknown): string | null => connectionAsked(readText(stored))

/** The row of the payment is locked first: a write of it that is under way comes before, and is kept. */
const seen = `with p as materialized (
    select t, id, state from payments where t = $1 and id = $2 and version = $3 for no key update
  )`
const postponed = `${seen}, s as (
    delete from searches as x using p where x.t = p.t and x.state = p.state and x.payment = p.id
  ) insert into due (t, payment, at, connection, state) select t, id, $4::bigint, '${asksNone}', state from p
    on conflict (t, payment) do update set at = excluded.at`
const ended = `${seen}, d as (
    delete from due as x using p where x.t = p.t and x.payment = p.id
  ) insert into searches (t, state, payment) select t, state, id from p on conflict do nothing`

/** By the index, and of each connection no further along it than is counted. */
export const selectWatched = `${connections}
  select count(*)::int as payments, count(*) filter (where refund_pending_minor > 0)::int as with_refunds,
    min(at) as first_at
  from (
    select first_ones.* from connections cross join lateral (
      select t, payment, at from due where connection = connections.id order by at limit $1
    ) as first_ones
    order by at limit $1
  ) as watched cross join lateral (
    select refund_pending_minor from payments where payments.t = watched.t and id = watched.payment offset 0
  ) as p`

const countDue = `${connections}
  select id, payments from connections cross join lateral (
    select count(*)::int as payments from (
      select 1 as one from due where connection = connections.id and at <= $1 limit $2
    ) as due
  ) as counted
  where payments > 0`

export const makeChecks = (db: Database) =>
  ({
    takeDue: Effect.fnUntraced(function* (query) {
      const { leaseMillis, limit, now } = query
      const waiting = (yield* db.read("takeDue", waitingConnections, [now])).map(({ id }) => readConnection(id))
      const rooms = roomOf(waiting, query)
      // Without work, or room for it, it does not write at all.
      if (rooms.length === 0) return []
      const wanted = JSON.stringify(rooms.map(wantedOf))
      return (yield* db.update("takeDue", take, [wanted, now, now + leaseMillis, limit])).map(readDue)
    }),
    postpone: ({ id, tenant, version }, checkAt) => {
      const key = [tenantNumber(tenant), bindId(id), version]
      const [text, params] = checkAt === null ? [ended, key] : [postponed, [...key, checkAt]]
      return Effect.asVoid(db.update("postpone", text, params))
    },
    watched: (limit) =>
      Effect.map(db.read("watched", selectWatched, [limit]), ([row]) => ({
        payments: Number(row?.["payments"]),
        withRefunds: Number(row?.["with_refunds"]),
        firstAt: (row?.["first_at"] ?? null) as number | null
      })),
    dueByConnection: ({ limit, now }) =>
      Effect.map(db.read("dueByConnection", countDue, [now, limit]), (rows) =>
        rows.map(({ id, payments }) => ({ connectionId: readConnection(id), payments: Number(payments) }))
      )
  }) satisfies Partial<Ledger["Service"]>
