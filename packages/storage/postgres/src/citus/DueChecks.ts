/**
 * Checks that are due, over all nodes: what is due is read of each node, and taken workspace by workspace. What another
 * server takes at this moment, or writes, is passed over, and what it took before is not due any more.
 */
import type { DueCount, DuePayment, DueQuery, StorageError, Watched } from "@pointsman/core/ports"
import { asksNone, type Row, roomOf } from "@pointsman/storage-sql"
import { Effect } from "effect"
import { countDue, dueOf, readConnection, selectWatched, waitingConnections } from "../Checks.ts"
import type { Database } from "../Database.ts"
import { bindText, readTenant, readText } from "../Rows.ts"
import { someWorkspaces } from "./ByWorkspace.ts"
import { type NodeFunction, nodeFunction, toldOf } from "./NodeFunction.ts"
import type { NodeReads } from "./NodeReads.ts"

export const takeChecksFunction: NodeFunction = nodeFunction(
  "take_checks",
  "workspace text, due jsonb, due_until bigint, leased_until bigint",
  `declare
    one record;
    seen bigint;
    taken jsonb := '[]';
  begin
    for one in select * from jsonb_to_recordset(due) as one (environment text, id text) loop
      select p.check_at into seen from payments as p
        where p.workspace_id = workspace and p.environment = one.environment and p.id = one.id
          and p.check_at is not null and p.check_at <= due_until for no key update skip locked;
      if seen is null then continue; end if;
      update payments as p set check_at = leased_until
        where p.workspace_id = workspace and p.environment = one.environment and p.id = one.id;
      taken := taken || jsonb_build_array(one.environment || ' ' || one.id);
    end loop;
    return taken;
  end`
)

const take = `select ${takeChecksFunction.name}($1::text, $2::jsonb, $3::bigint, $4::bigint) as told`

const selectDue = `with ${dueOf("")} select * from found`

const numberOf = (row: Row, column: string): number => Number(row[column])

export const takeDueOnNodes = Effect.fnUntraced(function* (
  db: Database,
  nodes: NodeReads,
  query: DueQuery
): Effect.fn.Return<ReadonlyArray<DuePayment>, StorageError> {
  const { leaseMillis, limit, now } = query
  const first = new Map<string, number>()
  for (const row of yield* nodes.some("takeDue", waitingConnections("id, first"), [String(now)])) {
    const id = row["id"] as string
    first.set(id, Math.min(first.get(id) ?? Number.POSITIVE_INFINITY, numberOf(row, "first")))
  }
  const waiting = [...first].toSorted(([a, x], [b, y]) => x - y || (a < b ? -1 : 1)).map(([id]) => readConnection(id))
  const rooms = roomOf(waiting, query)
  if (rooms.length === 0) return []
  const wanted = rooms.map(({ connectionId, room, underWay }) => ({
    id: bindText(connectionId ?? asksNone),
    room,
    under_way: underWay
  }))
  const found = yield* nodes.some("takeDue", selectDue, [JSON.stringify(wanted), String(now)])
  const chosen = chosenOf(found, wanted, limit)
  const answers = yield* someWorkspaces(
    chosen,
    (row) => row["workspace_id"] as string,
    (workspace, rows) => {
      const due = rows.map(({ environment, id }) => ({ environment, id }))
      return Effect.map(
        db.update("takeDue", take, [workspace, JSON.stringify(due), String(now), String(now + leaseMillis)]),
        (found) => toldOf<ReadonlyArray<string>>(found).map((name) => `${workspace} ${name}`)
      )
    }
  )
  const taken = new Set(answers.flat())
  return chosen
    .filter((row) => taken.has(`${row["workspace_id"]} ${row["environment"]} ${row["id"]}`))
    .map((row) => ({
      tenant: readTenant(row),
      paymentId: readText(row["id"]),
      connectionId: readConnection(row["check_connection"])
    }))
})

/** Each connection its turn, those that have waited longest first. */
const chosenOf = (
  found: ReadonlyArray<Row>,
  wanted: ReadonlyArray<{ readonly id: string; readonly room: number; readonly under_way: number }>,
  limit: number
): ReadonlyArray<Row> => {
  const byConnection = Map.groupBy(found, (row) => row["check_connection"] as string)
  return wanted
    .flatMap(({ id, room, under_way }) =>
      (byConnection.get(id) ?? [])
        .toSorted((a, b) => numberOf(a, "check_at") - numberOf(b, "check_at"))
        .slice(0, room)
        .map((row, index) => ({ row, place: under_way + index }))
    )
    .toSorted((a, b) => a.place - b.place || numberOf(a.row, "check_at") - numberOf(b.row, "check_at"))
    .slice(0, limit)
    .map(({ row }) => row)
}

export const watchedOnNodes = (nodes: NodeReads, limit: number): Effect.Effect<Watched, StorageError> =>
  Effect.map(nodes.some("watched", selectWatched, [String(limit)]), (rows) => {
    const sum = (column: string) => rows.reduce((all, row) => all + numberOf(row, column), 0)
    const firsts = rows.flatMap((row) => (row["first_at"] == null ? [] : [numberOf(row, "first_at")]))
    const payments = sum("payments")
    return {
      payments: Math.min(limit, payments),
      withRefunds: Math.min(limit, sum("with_refunds")),
      firstAt: firsts.length === 0 ? null : Math.min(...firsts)
    }
  })

export const dueOnNodes = (
  nodes: NodeReads,
  { limit, now }: { readonly now: number; readonly limit: number }
): Effect.Effect<ReadonlyArray<DueCount>, StorageError> =>
  Effect.map(nodes.some("dueByConnection", countDue, [String(now), String(limit)]), (rows) =>
    [...Map.groupBy(rows, (row) => row["id"] as string)].map(([id, of]) => ({
      connectionId: readConnection(id),
      payments: Math.min(
        limit,
        of.reduce((all, row) => all + numberOf(row, "payments"), 0)
      )
    }))
  )
