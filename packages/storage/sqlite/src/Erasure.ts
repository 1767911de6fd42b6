/** Erases the texts of a payment that its own row does not hold: the data of its events and the bodies of its messages. */
import type { Tenant } from "@pointsman/core"
import type { StorageError, TextErasure } from "@pointsman/core/ports"
import type { Effect } from "effect"
import { type Database, update } from "./Database.ts"
import { bindEventId, bindId, tenantsOf } from "./Keys.ts"
import { bindTenant, bindText } from "./Rows.ts"

const replaceData = "update events set data = ? where t = ? and id = ? and payment = ?"
const forgetMetadata = "delete from payment_metadata where t = ? and payment = ?"
/** An empty body is not sealed: there is nothing to decrypt. */
const emptyBodies = `update messages indexed by messages_by_payment set body = '', is_sealed = 0
  where payment_id = ? and workspace_id = ? and environment = ? and body <> ''`

export const eraseTexts = (
  db: Database,
  tenant: Tenant,
  { events, paymentId }: TextErasure
): Effect.Effect<number, StorageError> =>
  update(db, "eraseTexts", () => {
    const t = tenantsOf(db).find(tenant)
    const replace = db.prepare(replaceData)
    for (const { data, id } of events) {
      replace.run(JSON.stringify(data), t, bindEventId(id), bindId(paymentId))
    }
    db.prepare(forgetMetadata).run(t, bindId(paymentId))
    return Number(db.prepare(emptyBodies).run(bindText(paymentId), ...bindTenant(tenant)).changes)
  })
