/**
 * Success rates in PostgreSQL. A statement that waits for another one's row sees, for the rest of it, the database as it
 * was before: what the other one wrote is seen by a statement that begins later. So a function of the database writes,
 * rate by rate, and reads the stored value instead with a separate statement, all in one round trip.
 */
import { SuccessRates } from "@pointsman/core/ports"
import { Effect } from "effect"
import type { Database } from "./Database.ts"
import { rowOf, rows } from "./Rows.ts"

/** `columns`: beside the key, as in the table. A part of the schema: it was released, and is never changed. */
const writeFunction = (name: string, columns: ReadonlyArray<readonly [name: string, type: string]>): string => {
  const names = columns.map(([column]) => column)
  return `create function ${name}(rates jsonb) returns setof success_rates
  language plpgsql volatile as $$
  declare
    given record;
  begin
    for given in
      select r.*, md5(r.segment) as segment_hash from jsonb_to_recordset(rates) as r (workspace_id text,
        environment text, connection_id text, segment text, ${columns.map((column) => column.join(" ")).join(", ")})
      -- In one order, so that no two writers wait for each other.
      order by r.workspace_id collate "C", r.environment collate "C", r.connection_id collate "C", segment_hash
    loop
      -- The row is locked to the end, also where it is not changed.
      insert into success_rates as stored
        (workspace_id, environment, connection_id, segment, ${names.join(", ")})
        values (given.workspace_id, given.environment, given.connection_id, given.segment,
          ${names.map((column) => `given.${column}`).join(", ")})
        on conflict (workspace_id, environment, connection_id, segment_hash) do update
        set ${names.map((column) => `${column} = excluded.${column}`).join(", ")}
        where stored.version = excluded.version - 1;
      if not found then
        return query select s.* from success_rates s where s.workspace_id = given.workspace_id
          and s.environment = given.environment and s.connection_id = given.connection_id
          and s.segment_hash = given.segment_hash;
      end if;
    end loop;
  end $$`
}

const releasedFirst = [
  ["succeeded", "double precision"],
  ["failed", "double precision"],
  ["at", "bigint"],
  ["version", "bigint"]
] as const
export const writeSuccessRates = writeFunction("write_success_rates", releasedFirst)
export const writeRatesWithMemory = writeFunction("write_rates_with_memory", [...releasedFirst, ["memory", "text"]])

const write = "select * from write_rates_with_memory($1::text::jsonb)"
export const selectChanged = "select * from success_rates where at >= $1"

/** What is being written at this moment is not old, and is not waited for: so no writer and this wait for each other. */
const deleteOld = `with gone as (
  delete from success_rates
  where ctid = any (array(select ctid from success_rates where at < $1 for update skip locked))
  returning 1
)
select count(*) as gone from gone`

export const make = (db: Database): SuccessRates["Service"] =>
  SuccessRates.of({
    changedSince: (at) =>
      Effect.map(db.read("changedSince", selectChanged, [String(at)]), (found) => found.map(rows.readRate)),
    write: (rates) =>
      rates.length === 0
        ? Effect.succeed([])
        : Effect.map(
            db.update("writeRates", write, [JSON.stringify(rates.map((rate) => rowOf(rows.rateColumns, rate)))]),
            (found) => found.map(rows.readRate)
          ),
    forgetBefore: (at) =>
      Effect.map(db.update("forgetRates", deleteOld, [String(at)]), ([row]) => Number(row?.["gone"]))
  })
