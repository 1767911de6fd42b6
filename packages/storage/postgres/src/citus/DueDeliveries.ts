/**
 * Deliveries over all nodes: what is due is read of each node, and taken workspace by workspace; an endpoint belongs to
 * one. How many are on their way to an endpoint is counted by one taker at a time, which has its advisory lock.
 */
import type { AttemptRecord, DueDelivery, DueDeliveryQuery, StorageError } from "@pointsman/core/ports"
import type { Row } from "@pointsman/storage-sql"
import { Effect } from "effect"
import type { Database } from "../Database.ts"
import { dueOf, recordRow, selectFirstDueAt, waitingSince } from "../Deliveries.ts"
import { rows } from "../Rows.ts"
import { allWorkspaces, someWorkspaces } from "./ByWorkspace.ts"
import { type NodeFunction, nodeFunction, toldOf } from "./NodeFunction.ts"
import type { NodeReads } from "./NodeReads.ts"

export const takeDeliveriesFunction: NodeFunction = nodeFunction(
  "take_deliveries",
  "workspace text, due jsonb, due_until bigint, lease_end bigint, most integer",
  `declare
    wanted record;
    one record;
    begun integer;
    is_due boolean;
    taken jsonb := '[]';
    written deliveries;
    told events;
    receiver jsonb;
  begin
    for wanted in select * from jsonb_to_recordset(due) as wanted (endpoint text, ids jsonb) loop
      if not pg_try_advisory_xact_lock(hashtextextended(wanted.endpoint, 8101813088)) then continue; end if;
      select count(*) into begun from deliveries as d where d.workspace_id = workspace and d.endpoint_id = wanted.endpoint
        and d.leased_until is not null and d.leased_until > due_until;
      for one in select * from jsonb_to_recordset(wanted.ids) as one (environment text, id text) loop
        exit when begun >= most;
        select true into is_due from deliveries as d
          where d.workspace_id = workspace and d.environment = one.environment and d.id = one.id
            and d.due_at is not null and d.due_at <= due_until for no key update skip locked;
        if is_due is null then continue; end if;
        update deliveries as d set state = 'Sending', attempts = attempts + 1, due_at = lease_end, leased_until = lease_end
          where d.workspace_id = workspace and d.environment = one.environment and d.id = one.id;
        select d.* into written from deliveries as d
          where d.workspace_id = workspace and d.environment = one.environment and d.id = one.id;
        insert into delivery_attempts (workspace_id, environment, delivery_id, number, sent_at)
          values (workspace, one.environment, one.id, written.attempts, due_until);
        select e.* into told from events as e
          where e.workspace_id = workspace and e.environment = one.environment and e.id = written.event_id;
        select to_jsonb(e) into receiver from webhook_endpoints as e where e.id = wanted.endpoint;
        begun := begun + 1;
        taken := taken || jsonb_build_array(to_jsonb(written)
          || jsonb_build_object('event', to_jsonb(told), 'endpoint', receiver));
      end loop;
    end loop;
    return taken;
  end`
)

/** An endpoint that is being written is waited for, as in `../Deliveries.ts`: its writer locks the copy of this node too. */
export const recordFunction: NodeFunction = nodeFunction(
  "record_deliveries",
  "workspace text, ended jsonb",
  `declare
    one record;
    is_active boolean;
  begin
    for one in select * from jsonb_to_recordset(ended) as r (environment text, delivery_id text, endpoint_id text,
      number integer, ended_at bigint, status integer, failure text, state text, failures integer, due_at bigint) loop
      is_active := false;
      if one.failure = 'EndpointWithdrawn' then
        select e.active into is_active from webhook_endpoints as e where e.id = one.endpoint_id for share;
      end if;
      update delivery_attempts as t set ended_at = one.ended_at, status = one.status, failure = one.failure
        where t.workspace_id = workspace and t.environment = one.environment and t.delivery_id = one.delivery_id
          and t.number = one.number;
      update deliveries as t set leased_until = null, failures = one.failures,
        state = case when is_active then 'Due' else one.state end,
        due_at = case when is_active then one.ended_at else one.due_at end
        where t.workspace_id = workspace and t.environment = one.environment and t.id = one.delivery_id
          and t.state = 'Sending' and t.attempts = one.number;
    end loop;
    return null;
  end`
)

const take = `select ${takeDeliveriesFunction.name}($1::text, $2::jsonb, $3::bigint, $4::bigint, $5::integer) as told`
const record = `select ${recordFunction.name}($1::text, $2::jsonb) as told`
const selectDue = `with ${dueOf("", "endpoint_id, ")} select * from due`

const numberOf = (row: Row, column: string): number => Number(row[column])
const nameOf = (row: Row): string => `${row["workspace_id"]} ${row["environment"]} ${row["id"]}`

export const takeDueOnNodes = Effect.fnUntraced(function* (
  db: Database,
  nodes: NodeReads,
  { leaseMillis, limit, limitPerEndpoint, now }: DueDeliveryQuery
): Effect.fn.Return<ReadonlyArray<DueDelivery>, StorageError> {
  const waiting = yield* nodes.some("takeDue", waitingSince, [String(now)])
  if (waiting.length === 0) return []
  const endpoints = waiting
    .toSorted((a, b) => numberOf(a, "first") - numberOf(b, "first"))
    .map((row) => row["id"] as string)
  const numbers = [now, now + leaseMillis, limit, limitPerEndpoint].map(String)
  const found = yield* nodes.some("takeDue", selectDue, [JSON.stringify(endpoints), ...numbers])
  const place = new Map(endpoints.map((id, index) => [id, index]))
  const placeOf = (row: Row) => place.get(row["endpoint_id"] as string) ?? endpoints.length
  const chosen = found
    .toSorted(
      (a, b) =>
        placeOf(a) - placeOf(b) ||
        numberOf(a, "waited_since") - numberOf(b, "waited_since") ||
        ((a["id"] as string) < (b["id"] as string) ? -1 : 1)
    )
    .slice(0, limit)
  const answers = yield* someWorkspaces(
    chosen,
    (row) => row["workspace_id"] as string,
    (workspace, some) => {
      const due = [...Map.groupBy(some, (row) => row["endpoint_id"])].map(([endpoint, ids]) => ({
        endpoint,
        ids: ids.map(({ environment, id }) => ({ environment, id }))
      }))
      return Effect.map(
        db.update("takeDue", take, [
          workspace,
          JSON.stringify(due),
          String(now),
          String(now + leaseMillis),
          String(limitPerEndpoint)
        ]),
        toldOf<ReadonlyArray<Row>>
      )
    }
  )
  const order = new Map(chosen.map((row, index) => [nameOf(row), index]))
  return answers
    .flat()
    .toSorted((a, b) => (order.get(nameOf(a)) ?? 0) - (order.get(nameOf(b)) ?? 0))
    .map((row) => ({
      delivery: rows.readDelivery(row),
      endpoint: rows.directory.webhookEndpoints.read(row["endpoint"] as Row),
      event: rows.readEvent(row["event"] as Row)
    }))
})

export const firstDueOnNodes = (nodes: NodeReads): Effect.Effect<number | null, StorageError> =>
  Effect.map(nodes.some("firstDueAt", selectFirstDueAt), (found) => {
    const firsts = found.flatMap((row) => (row["first_at"] == null ? [] : [numberOf(row, "first_at")]))
    return firsts.length === 0 ? null : Math.min(...firsts)
  })

export const recordOnNodes = (db: Database, records: ReadonlyArray<AttemptRecord>): Effect.Effect<void, StorageError> =>
  Effect.asVoid(
    allWorkspaces(
      records.map(recordRow),
      (row) => row.workspace_id,
      (workspace, some) => db.update("record", record, [workspace, JSON.stringify(some)])
    )
  )
