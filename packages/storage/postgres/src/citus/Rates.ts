/** Success rates over all nodes. The rule for waiting writers is that of `../SuccessRates.ts`. */
import { SuccessRates } from "@pointsman/core/ports"
import type { Row } from "@pointsman/storage-sql"
import { Effect } from "effect"
import type { Database } from "../Database.ts"
import { bindText, rowOf, rows } from "../Rows.ts"
import { selectChanged } from "../SuccessRates.ts"
import { someWorkspaces } from "./ByWorkspace.ts"
import { type NodeFunction, nodeFunction, toldOf } from "./NodeFunction.ts"
import type { NodeReads } from "./NodeReads.ts"

export const writeRatesFunction: NodeFunction = nodeFunction(
  "write_rates",
  "workspace text, rates jsonb",
  `declare
    given record;
    held jsonb;
    refused jsonb := '[]';
  begin
    for given in
      select r.*, md5(r.segment) as segment_hash from jsonb_to_recordset(rates) as r (environment text,
        connection_id text, segment text, succeeded double precision, failed double precision, at bigint, version bigint,
        memory text)
      -- In one order, so that no two writers wait for each other.
      order by r.environment collate "C", r.connection_id collate "C", segment_hash
    loop
      -- The row is locked to the end, also where it is not changed.
      insert into success_rates as stored
        (workspace_id, environment, connection_id, segment, segment_hash, succeeded, failed, at, version, memory)
        values (workspace, given.environment, given.connection_id, given.segment, given.segment_hash, given.succeeded,
          given.failed, given.at, given.version, given.memory)
        on conflict (workspace_id, environment, connection_id, segment_hash) do update
        set succeeded = excluded.succeeded, failed = excluded.failed, at = excluded.at, version = excluded.version,
          memory = excluded.memory
        where stored.version = excluded.version - 1;
      if not found then
        select to_jsonb(s) into held from success_rates as s where s.workspace_id = workspace
          and s.environment = given.environment and s.connection_id = given.connection_id
          and s.segment_hash = given.segment_hash;
        refused := refused || held;
      end if;
    end loop;
    return refused;
  end`
)

/** What is being written at this moment is not old, and is not waited for. */
export const forgetRatesFunction: NodeFunction = nodeFunction(
  "forget_rates",
  "workspace text, before bigint",
  `declare
    one record;
    gone integer := 0;
  begin
    for one in select s.environment, s.connection_id, s.segment_hash from success_rates as s
      where s.workspace_id = workspace and s.at < before for update skip locked loop
      delete from success_rates as s where s.workspace_id = workspace and s.environment = one.environment
        and s.connection_id = one.connection_id and s.segment_hash = one.segment_hash;
      gone := gone + 1;
    end loop;
    return to_jsonb(gone);
  end`
)

const write = `select ${writeRatesFunction.name}($1::text, $2::jsonb) as told`
const forget = `select ${forgetRatesFunction.name}($1::text, $2::bigint) as told`
const selectOld = "select distinct workspace_id from success_rates where at < $1"

export const make = (db: Database, nodes: NodeReads): SuccessRates["Service"] =>
  SuccessRates.of({
    changedSince: (at) =>
      Effect.map(nodes.some("changedSince", selectChanged, [String(at)]), (found) => found.map(rows.readRate)),
    // Rates of a node that is down are not written. After a failure all of them would be written again and counted twice.
    write: (rates) =>
      Effect.map(
        someWorkspaces(
          rates,
          ({ tenant }) => tenant.workspaceId,
          (workspace, some) => {
            const given = JSON.stringify(some.map((rate) => rowOf(rows.rateColumns, rate)))
            return Effect.map(db.update("writeRates", write, [bindText(workspace), given]), (found) =>
              toldOf<ReadonlyArray<Row>>(found).map(rows.readRate)
            )
          }
        ),
        (refused) => refused.flat()
      ),
    forgetBefore: (at) =>
      Effect.gen(function* () {
        const old = yield* nodes.some("forgetRates", selectOld, [String(at)])
        const gone = yield* someWorkspaces(
          old,
          (row) => row["workspace_id"] as string,
          (workspace) => Effect.map(db.update("forgetRates", forget, [workspace, String(at)]), toldOf<number>)
        )
        return gone.reduce((all, count) => all + count, 0)
      })
  })
