/**
 * Retention over many nodes. What is removed of a workspace is removed by a function of its node, with the conditions and in
 * the order of `../Retention.ts`; Citus refuses the statements there, which read what they delete.
 */
import type { ReadPayment, Retention, StorageError } from "@pointsman/core/ports"
import {
  isDecidedBody,
  isOpenDelivery,
  isOpenMessage,
  mayLeaveEntry,
  type Row,
  tablesOfPayment
} from "@pointsman/storage-sql"
import { Effect } from "effect"
import type { Database } from "../Database.ts"
import { heldParams, make as makePlain, pruneParams, readHeld, textsOf } from "../Retention.ts"
import { bindTenant, bindText, readText } from "../Rows.ts"
import { type NodeFunction, nodeFunction, toldOf } from "./NodeFunction.ts"

const tenantArguments = "workspace text, of_environment text"
const ofTenant = (table: string) => `${table}.workspace_id = workspace and ${table}.environment = of_environment`
const ofPayment = (table: string) => `${ofTenant(table)} and ${table}.payment_id = one.id and ${table}.payment_id <> ''`

const removeNamed = (connection: string, reference: string) => `delete from named_references as r
        where ${ofTenant("r")} and r.connection_id = ${connection} and r.reference_hash = md5(${reference})
          and r.payment_id = one.id;`

const removeDelivery = (
  id: string
) => `delete from delivery_attempts as t where ${ofTenant("t")} and t.delivery_id = ${id};
      delete from deliveries as t where ${ofTenant("t")} and t.id = ${id};`

/** A payment that another transaction is writing is passed over. Its row is held to the end of the function. */
export const removeFunction: NodeFunction = nodeFunction(
  "remove",
  `${tenantArguments}, versions jsonb`,
  `declare
    one record;
    held record;
    event record;
    delivery record;
    named record;
    is_kept boolean;
    ended text[];
    removed jsonb := '[]';
  begin
    for one in select * from jsonb_to_recordset(versions) as one (id text, version bigint) order by id loop
      select p.version, p.connection_id, p.provider_ref, p.idempotency_key, p.reported into held from payments as p
        where ${ofTenant("p")} and p.id = one.id for update skip locked;
      if not found or held.version <> one.version then continue; end if;
      is_kept := exists (select 1 from messages as m where ${ofPayment("m")} and ${isOpenMessage});
      ended := '{}';
      for event in select e.id from events as e where ${ofPayment("e")} loop
        for delivery in select d.id, ${isOpenDelivery} as is_open from deliveries as d
          where ${ofTenant("d")} and d.event_id = event.id and d.event_id <> '' for update loop
          is_kept := is_kept or delivery.is_open;
          ended := ended || delivery.id;
        end loop;
      end loop;
      if is_kept then continue; end if;
      for delivery in select unnest(ended) as id loop
      ${removeDelivery("delivery.id")}
      end loop;
      for named in select a.connection_id, a.provider_ref from attempts as a
        where ${ofTenant("a")} and a.payment_id = one.id and a.provider_ref is not null loop
        ${removeNamed("named.connection_id", "named.provider_ref")}
      end loop;
      if held.provider_ref is not null then
        ${removeNamed("held.connection_id", "held.provider_ref")}
      end if;
      for named in select c ->> 'id' as id from json_array_elements(held.reported::json -> 'captures') as c loop
        ${removeNamed("held.connection_id", "named.id")}
      end loop;
      delete from claims as c where ${ofTenant("c")} and c.payment_id = one.id and c.key = held.idempotency_key;
      ${["messages", ...tablesOfPayment].map((table) => `delete from ${table} as t where ${ofPayment("t")};`).join("\n      ")}
      delete from settlement_entries as t where ${ofTenant("t")} and t.payment_id = one.id and ${mayLeaveEntry};
      delete from payments as t where ${ofTenant("t")} and t.id = one.id;
      removed := removed || to_jsonb(one.id);
    end loop;
    return removed;
  end`
)

const endedDeliveries = `from deliveries as d
        where ${ofTenant("d")} and d.id < ids_before and d.created_at < deliveries_before and not (${isOpenDelivery})
        order by d.id`

export const pruneDeliveriesFunction: NodeFunction = nodeFunction(
  "prune_deliveries",
  `${tenantArguments}, ids_before text, deliveries_before bigint, most integer`,
  `declare
    one record;
    pruned integer := 0;
  begin
    for one in select d.id ${endedDeliveries} limit most for update skip locked loop
      ${removeDelivery("one.id")}
      pruned := pruned + 1;
    end loop;
    return to_jsonb(pruned);
  end`
)

/** The node finds the shards by the argument. */
const isDecided = isDecidedBody.replaceAll("= messages.workspace_id", "= workspace")
const decided = `from messages
        where ${ofTenant("messages")} and received_at < bodies_before and ${isDecided} order by received_at`

export const pruneBodiesFunction: NodeFunction = nodeFunction(
  "prune_bodies",
  `${tenantArguments}, bodies_before bigint, most integer`,
  `declare
    one record;
    emptied integer := 0;
  begin
    for one in select connection_id, event_hash ${decided} limit most for update skip locked loop
      update messages as m set body = '', is_sealed = false where ${ofTenant("m")}
        and m.connection_id = one.connection_id and m.event_hash = one.event_hash;
      emptied := emptied + 1;
    end loop;
    return to_jsonb(emptied);
  end`
)

export const heldFunction: NodeFunction = nodeFunction(
  "held",
  `${tenantArguments}, ids_before text, deliveries_before bigint, bodies_before bigint, most integer`,
  `declare
    deliveries_held integer;
    bodies_held integer;
    payment_at bigint;
    delivery_at bigint;
    body_at bigint;
  begin
    select count(*) into deliveries_held from (select 1 ${endedDeliveries} limit most) as ended;
    select count(*) into bodies_held from (select 1 ${decided} limit most) as decided;
    select p.created_at into payment_at from payments as p where ${ofTenant("p")} order by p.id limit 1;
    select d.created_at into delivery_at from deliveries as d where ${ofTenant("d")} order by d.id limit 1;
    select m.received_at into body_at from messages as m
      where ${ofTenant("m")} and m.body <> '' order by m.received_at limit 1;
    return jsonb_build_object('deliveries', deliveries_held, 'bodies', bodies_held, 'oldest_payment_at', payment_at,
      'oldest_delivery_at', delivery_at, 'oldest_body_at', body_at);
  end`
)

const callRemove = `select ${removeFunction.name}($1::text, $2::text, $3::jsonb) as told`
const callPruneDeliveries = `select ${pruneDeliveriesFunction.name}($1::text, $2::text, $3::text, $4::bigint, $5::integer)
  as told`
const callPruneBodies = `select ${pruneBodiesFunction.name}($1::text, $2::text, $3::bigint, $4::integer) as told`
const callHeld = `select ${heldFunction.name}($1::text, $2::text, $3::text, $4::bigint, $5::bigint, $6::integer) as told`

/** `db`: of the nodes of workspaces. `plain`: for the lease, which is on the coordinator. */
export const make = (db: Database, plain: Database): Retention => ({
  ...makePlain(db, textsOf("$1")),
  lease: makePlain(plain).lease,
  remove: (payments) => remove(db, payments),
  held: (query) => Effect.map(db.read("held", callHeld, heldParams(query)), (found) => readHeld(toldOf<Row>(found))),
  pruneDeliveries: (query) =>
    Effect.map(db.update("pruneDeliveries", callPruneDeliveries, pruneParams(query)), toldOf<number>),
  pruneBodies: ({ before, limit, tenant }) =>
    Effect.map(
      db.update("pruneBodies", callPruneBodies, [...bindTenant(tenant), String(before), String(limit)]),
      toldOf<number>
    ),
  // A cluster has no partitions (see `withoutPartitions`): deliveries leave by `pruneDeliveries`.
  upkeep: () => Effect.succeed({ bodies: 0, deliveries: 0 })
})

/** By tenant. If it is unknown whether one was written, the next sweep finds those that are left. */
const remove = (
  db: Database,
  payments: ReadonlyArray<ReadPayment>
): Effect.Effect<ReadonlyArray<string>, StorageError> =>
  Effect.map(
    Effect.forEach(
      Map.groupBy(payments, ({ tenant }) => JSON.stringify(bindTenant(tenant))).values(),
      ([first, ...others]) => {
        if (first === undefined) return Effect.succeed([])
        const versions = [first, ...others].map(({ paymentId, version }) => ({ id: bindText(paymentId), version }))
        return Effect.map(
          db.update("remove", callRemove, [...bindTenant(first.tenant), JSON.stringify(versions)]),
          (found) => toldOf<ReadonlyArray<string>>(found).map(readText)
        )
      }
    ),
    (removed) => removed.flat()
  )
