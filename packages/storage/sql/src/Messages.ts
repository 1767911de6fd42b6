/** How providers' messages lie in their table. */
import type { MessageNote, StoredMessage, TenantMessage } from "@pointsman/core/ports"
import type { Columns, Owner, Parts, Row } from "./Columns.ts"

export const makeMessageRows = <V>(parts: Parts<V>) => {
  const { bindBoolean, bindText, bindTextOrNull, readBoolean, readTenant, readText, readTextOrNull, tenantColumns } =
    parts

  /** What is written when the message is decided. */
  const decisionColumns: Columns<MessageNote, V, Pick<Owner, "tenant">> = {
    payment_id: ({ paymentId }) => bindTextOrNull(paymentId),
    about: ({ about }) => about,
    subject_id: ({ subjectId }) => bindText(subjectId),
    dispute_id: ({ disputeId }) => bindTextOrNull(disputeId),
    verdict: ({ verdict }) => verdict,
    outcome: ({ outcome }) => outcome,
    reason: ({ reason }) => bindTextOrNull(reason),
    written_at: ({ writtenAt }) => writtenAt
  }

  const noteColumns: Columns<MessageNote, V, Pick<Owner, "tenant">> = {
    connection_id: ({ connectionId }) => bindText(connectionId),
    event_id: ({ eventId }) => bindText(eventId),
    ...decisionColumns,
    received_at: ({ receivedAt }) => receivedAt
  }

  const messageColumns: Columns<StoredMessage, V, Pick<Owner, "tenant">> = {
    ...tenantColumns,
    ...noteColumns,
    body: ({ body }) => bindText(body),
    is_sealed: ({ isSealed }) => bindBoolean(isSealed)
  }

  const readNote = (row: Row): MessageNote => ({
    connectionId: readText(row["connection_id"]),
    eventId: readText(row["event_id"]),
    paymentId: readTextOrNull(row["payment_id"]),
    about: row["about"] as MessageNote["about"],
    subjectId: readText(row["subject_id"]),
    disputeId: readTextOrNull(row["dispute_id"]),
    verdict: row["verdict"] as MessageNote["verdict"],
    outcome: row["outcome"] as MessageNote["outcome"],
    reason: readTextOrNull(row["reason"]),
    writtenAt: row["written_at"] as number,
    receivedAt: row["received_at"] as number
  })

  const readTenantMessage = (row: Row): TenantMessage => ({ ...readNote(row), tenant: readTenant(row) })

  const readMessage = (row: Row): StoredMessage => ({
    ...readNote(row),
    body: readText(row["body"]),
    isSealed: readBoolean(row["is_sealed"])
  })

  return { decisionColumns, noteColumns, messageColumns, readNote, readTenantMessage, readMessage }
}
