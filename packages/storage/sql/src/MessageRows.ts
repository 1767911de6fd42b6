/** How providers' messages are stored. */
import type { MessageNote, StoredMessage, TenantMessage } from "@pointsman/core/ports"
import type { Columns, Owner, Parts, Row } from "./Columns.ts"
import { type Fields, plain, recordOf } from "./Fields.ts"

export const makeMessageRows = <V>({ flag, readTenant, tenantColumns, text, textOrNull }: Parts<V>) => {
  /** What is written when the message is decided. */
  const decision: Fields<Omit<MessageNote, "connectionId" | "eventId" | "receivedAt">, V> = {
    payment_id: textOrNull,
    about: plain(),
    subject_id: text,
    dispute_id: textOrNull,
    verdict: plain(),
    outcome: plain(),
    reason: textOrNull,
    written_at: plain()
  }
  const note: Fields<MessageNote, V> = { connection_id: text, event_id: text, ...decision, received_at: plain() }
  const { columns: noteColumns, read: readNote } = recordOf<MessageNote, V>(note)
  const decisionColumns: Columns<MessageNote, V, Owner> = recordOf(decision).columns
  const message = recordOf<StoredMessage, V>({ ...note, body: text, is_sealed: flag })
  const messageColumns: Columns<StoredMessage, V, Owner> = { ...tenantColumns, ...message.columns }
  return {
    decisionColumns,
    noteColumns,
    messageColumns,
    readNote,
    readTenantMessage: (row: Row): TenantMessage => ({ ...readNote(row), tenant: readTenant(row) }),
    readMessage: message.read
  }
}
