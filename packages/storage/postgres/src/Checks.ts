/**
 * Which payments the background looks at, and when: two columns of the payment that no reader of payments sees. What is
 * taken is chosen connection by connection, each by its own walk along the index: however much waits for one of them, the
 * others cost no more to find.
 */
import type { Payment } from "@pointsman/core"
import type { DueCount, DuePayment, DueQuery, StorageError, Watched } from "@pointsman/core/ports"
import { asksNone, connectionAsked, roomOf } from "@pointsman/storage-sql"
import { Effect } from "effect"
import type { Database } from "./Database.ts"
import { bindTenant, bindText, readTenant, readText } from "./Rows.ts"

/**
 * Connections with something to check, and at first those checks that ask none. From one connection to the next by the
 * index: what else waits for the same one is passed over. Every payment asks none while it is charged: what its commits
 * left in the index is not walked along.
 */
const connections = `with recursive connections (id) as (
    select '${asksNone}'::text collate "C"
    union all
    select (select min(check_connection) from payments
      where check_at is not null and check_connection > connections.id)
    from connections where connections.id is not null
  )`

export const waitingConnections = (columns: string): string => `${connections}
  select ${columns} from connections cross join lateral (
    select min(check_at) as first from payments
    where check_connection = connections.id and check_at is not null and check_at <= $1
  ) as due
  where first is not null order by first, id`

/** What is due of each connection that has room; `locked`: what keeps others from it. */
export const dueOf = (locked: string): string => `connections as materialized (
  select * from jsonb_to_recordset($1::text::jsonb) as c (id text, room integer, under_way integer)
), found as materialized (
  select due.*, under_way from connections cross join lateral (
    select workspace_id, environment, id, check_connection, check_at from payments
    where check_connection = connections.id and check_at is not null and check_at <= $2
    order by check_at limit connections.room
    ${locked}
  ) as due
)`

/** What another server takes at this moment, or writes, is passed over. */
const take = `with ${dueOf("for no key update skip locked")}, due as materialized (
  select found.*, under_way + row_number() over (partition by check_connection order by check_at) as place from found
  order by place, check_at limit $4
), taken as (
  update payments set check_at = $3 from due
  where payments.workspace_id = due.workspace_id and payments.environment = due.environment and payments.id = due.id
  returning payments.workspace_id, payments.environment, payments.id, due.check_connection, due.place,
    due.check_at as waited_since
)
select workspace_id, environment, id, check_connection from taken order by place, waited_since`

export const takeDue = Effect.fnUntraced(function* (
  db: Database,
  query: DueQuery
): Effect.fn.Return<ReadonlyArray<DuePayment>, StorageError> {
  const { leaseMillis, limit, now } = query
  const waiting = yield* db.read("takeDue", waitingConnections("id"), [String(now)])
  const rooms = roomOf(
    waiting.map((row) => readConnection(row["id"])),
    query
  )
  // Without work, or room for it, it does not write at all.
  if (rooms.length === 0) return []
  const wanted = rooms.map(({ connectionId, room, underWay }) => ({
    id: bindText(connectionId ?? asksNone),
    room,
    under_way: underWay
  }))
  const numbers = [now, now + leaseMillis, limit]
  const rows = yield* db.update("takeDue", take, [JSON.stringify(wanted), ...numbers.map(String)])
  return rows.map((row) => ({
    tenant: readTenant(row),
    paymentId: readText(row["id"]),
    connectionId: readConnection(row["check_connection"])
  }))
})

export const readConnection = (stored: unknown): string | null => connectionAsked(readText(stored))

const postponed = `update payments set check_at = $1
  where workspace_id = $2 and environment = $3 and id = $4 and version = $5`

export const postpone = (
  db: Database,
  { id, tenant, version }: Payment,
  checkAt: number | null
): Effect.Effect<void, StorageError> =>
  Effect.asVoid(
    db.update("postpone", postponed, [
      checkAt === null ? null : String(checkAt),
      ...bindTenant(tenant),
      bindText(id),
      String(version)
    ])
  )

/** By the index, and of each connection no further along it than is counted. */
export const selectWatched = `${connections}
  select count(*)::int as payments, count(*) filter (where refund_pending_minor > 0)::int as with_refunds,
    min(check_at) as first_at
  from (
    select first_ones.* from connections cross join lateral (
      select check_at, refund_pending_minor from payments
      where check_connection = connections.id and check_at is not null order by check_at limit $1
    ) as first_ones
    order by check_at limit $1
  ) as watched`

export const watched = (db: Database, limit: number): Effect.Effect<Watched, StorageError> =>
  Effect.map(db.read("watched", selectWatched, [String(limit)]), ([row]) => ({
    payments: Number(row?.["payments"]),
    withRefunds: Number(row?.["with_refunds"]),
    firstAt: (row?.["first_at"] ?? null) as number | null
  }))

export const countDue = `${connections}
  select id, payments from connections cross join lateral (
    select count(*)::int as payments from (
      select 1 as one from payments
      where check_connection = connections.id and check_at is not null and check_at <= $1 limit $2
    ) as due
  ) as counted
  where payments > 0`

export const dueByConnection = (
  db: Database,
  { limit, now }: { readonly now: number; readonly limit: number }
): Effect.Effect<ReadonlyArray<DueCount>, StorageError> =>
  Effect.map(db.read("dueByConnection", countDue, [String(now), String(limit)]), (rows) =>
    rows.map((row) => ({ connectionId: readConnection(row["id"]), payments: Number(row["payments"]) }))
  )
