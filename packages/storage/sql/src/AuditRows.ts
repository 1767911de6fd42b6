/** How entries of the audit trail are stored. */
import type { AuditEntry } from "@pointsman/core/ports"
import type { Columns, Parts, Row } from "./Columns.ts"

export const makeAuditRows = <V>({ bindText, readText }: Parts<V>) => {
  const auditColumns: Columns<AuditEntry, V> = {
    number: ({ number }) => number,
    at: ({ at }) => at,
    actor: ({ actor }) => bindText(actor),
    action: ({ action }) => action,
    subject: ({ subject }) => bindText(subject),
    details: ({ details }) => details,
    previous: ({ previous }) => previous,
    hash: ({ hash }) => hash
  }
  const readEntry = (row: Row): AuditEntry => ({
    number: Number(row["number"]),
    at: Number(row["at"]),
    actor: readText(row["actor"]),
    action: row["action"] as AuditEntry["action"],
    subject: readText(row["subject"]),
    details: row["details"] as string,
    previous: row["previous"] as string,
    hash: row["hash"] as string
  })
  return { auditColumns, readEntry }
}
