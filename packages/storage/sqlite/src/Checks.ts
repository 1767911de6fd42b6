/**
 * Which payments the background looks at, and when: two columns of the payment that no reader of payments sees. What is
 * taken is chosen connection by connection, each by its own walk along the index: however much waits for one of them, the
 * others cost no more to find.
 */
import type { DuePayment, DueQuery, Ledger } from "@pointsman/core/ports"
import { asksNone, connectionAsked, type Room, roomOf } from "@pointsman/storage-sql"
import { Effect } from "effect"
import { tenantOf } from "./Books.ts"
import { type Database, read, update } from "./Database.ts"
import { bindId, bindText, readId, readText, tenantHash } from "./Rows.ts"

/**
 * Connections with something to check, and at first those checks that ask none. From one connection to the next by the
 * index: what else waits for the same one is passed over.
 */
const connections = `with recursive connections (id) as (
    select '${asksNone}'
    union all
    select (select min(check_connection) from payments indexed by payments_due_by_connection
      where check_at is not null and check_connection > connections.id)
    from connections where connections.id is not null
  )`

const isOf = "check_connection = ? and check_at is not null"

/** Those with something due, in the order of their first, and for whose payments there is room. */
const roomsDue = (db: Database, query: DueQuery): ReadonlyArray<Room> =>
  roomOf(
    db
      .prepare(`${connections}
        select id, (select min(check_at) from payments indexed by payments_due_by_connection
          where check_connection = connections.id and check_at is not null and check_at <= ?) as first
        from connections where id is not null and first is not null order by first, id`)
      .all(query.now)
      .map((row) => readConnection(row["id"])),
    query
  )

/** `rooms` is where to look, and may be of a moment ago: what is there to take is read inside the transaction. */
const takeDue = (
  db: Database,
  rooms: ReadonlyArray<Room>,
  { leaseMillis, limit, now }: DueQuery
): ReadonlyArray<DuePayment> => {
  const due = db.prepare(`select t, id, check_at
    from payments indexed by payments_due_by_connection where ${isOf} and check_at <= ? order by check_at limit ?`)
  const lease = db.prepare("update payments indexed by payments_by_id set check_at = ? where t = ? and id = ?")
  return rooms
    .flatMap(({ connectionId, room, underWay }) =>
      due
        .all(bindConnection(connectionId), now, room)
        .map((row, index) => ({ connectionId, place: underWay + index, row }))
    )
    .sort((a, b) => a.place - b.place || Number(a.row["check_at"]) - Number(b.row["check_at"]))
    .slice(0, limit)
    .map(({ connectionId, row }) => {
      lease.run(now + leaseMillis, row["t"] as Uint8Array, row["id"] as Uint8Array)
      return { tenant: tenantOf(db, row), paymentId: readId(row["id"]), connectionId }
    })
}

const readConnection = (stored: unknown): string | null => connectionAsked(readText(stored))
const bindConnection = (connectionId: string | null) => bindText(connectionId ?? asksNone)

/** For monitoring by the index, and of each connection no further along it than is counted. */
export const checksIn = (db: Database) =>
  ({
    takeDue: (query) =>
      Effect.flatMap(
        // Without work nothing is written at all.
        read("takeDue", () => roomsDue(db, query)),
        (rooms) => (rooms.length === 0 ? Effect.succeed([]) : update(db, "takeDue", () => takeDue(db, rooms, query)))
      ),
    postpone: ({ id, tenant, version }, checkAt) =>
      read("postpone", () => void db.prepare(replaceTime).run(checkAt, tenantHash(tenant), bindId(id), version)),
    watched: (limit) =>
      read("watched", () => {
        const first = db.prepare(selectFirst)
        const counted = db
          .prepare(`${connections} select id from connections where id is not null`)
          .all()
          .flatMap(({ id }) => first.all(id as string, limit))
          .sort((a, b) => Number(a["check_at"]) - Number(b["check_at"]))
          .slice(0, limit)
        return {
          payments: counted.length,
          withRefunds: counted.filter((row) => Number(row["refund_pending_minor"]) > 0).length,
          firstAt: (counted[0]?.["check_at"] ?? null) as number | null
        }
      }),
    dueByConnection: ({ limit, now }) =>
      read("dueByConnection", () =>
        db
          .prepare(countDue)
          .all(now, limit)
          .map((row) => ({ connectionId: readConnection(row["id"]), payments: Number(row["payments"]) }))
      )
  }) satisfies Partial<Ledger["Service"]>

const replaceTime = `update payments indexed by payments_by_id set check_at = ?
  where t = ? and id = ? and version = ?`
const selectFirst = `select check_at, refund_pending_minor
  from payments indexed by payments_due_by_connection where ${isOf} order by check_at limit ?`
const countDue = `${connections}
  select id, (
    select count(*) from (
      select 1 from payments indexed by payments_due_by_connection
      where check_connection = connections.id and check_at is not null and check_at <= ? limit ?
    )
  ) as payments
  from connections where id is not null and payments > 0`
