/** Erases the texts of a payment (`../Erasure.ts`), as a function of the workspace's node. */
import type { Tenant } from "@pointsman/core"
import type { StorageError, TextErasure } from "@pointsman/core/ports"
import { Effect } from "effect"
import type { Database } from "../Database.ts"
import { eraseParameters } from "../Erasure.ts"
import { type NodeFunction, nodeFunction, toldOf } from "./NodeFunction.ts"

export const eraseFunction: NodeFunction = nodeFunction(
  "erase",
  "workspace text, of_environment text, of_payment text, texts jsonb",
  `declare
    one record;
    emptied integer;
  begin
    for one in select * from jsonb_to_recordset(texts) as one (id text, data text) loop
      update events as e set data = one.data where e.workspace_id = workspace and e.environment = of_environment
        and e.id = one.id and e.payment_id = of_payment;
    end loop;
    delete from payment_metadata as m where m.workspace_id = workspace and m.environment = of_environment
      and m.payment_id = of_payment;
    update messages as m set body = '', is_sealed = false where m.workspace_id = workspace
      and m.environment = of_environment and m.payment_id = of_payment and m.payment_id <> '' and m.body <> '';
    get diagnostics emptied = row_count;
    return to_jsonb(emptied);
  end`
)

const call = `select ${eraseFunction.name}($1::text, $2::text, $3::text, $4::jsonb) as told`

export const eraseOnNode = (db: Database, tenant: Tenant, erasure: TextErasure): Effect.Effect<number, StorageError> =>
  Effect.map(db.update("eraseTexts", call, eraseParameters(tenant, erasure)), toldOf<number>)
