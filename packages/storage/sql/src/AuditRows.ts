/** How entries of the audit trail are stored. */
import type { AuditEntry } from "@pointsman/core/ports"
import type { Parts } from "./Columns.ts"
import { plain, recordOf } from "./Fields.ts"

export const makeAuditRows = <V>({ text }: Parts<V>) => ({
  audit: recordOf<AuditEntry, V>({
    number: plain(),
    at: plain(),
    actor: text,
    via: plain(),
    action: plain(),
    subject: text,
    details: plain(),
    previous: plain(),
    hash: plain()
  })
})
