/** Providers' messages, for programs and for people. */
import type { TenantMessage } from "@pointsman/core/ports"
import { facts, type Text, table } from "./Table.ts"
import { timeOf } from "./Words.ts"

export const messageView = (message: TenantMessage) => ({
  connection_id: message.connectionId,
  message_id: message.eventId,
  workspace_id: message.tenant.workspaceId,
  environment: message.tenant.environment,
  outcome: message.outcome,
  /** Why it is unreadable. */
  reason: message.reason,
  about: message.about,
  /** The attempt, the operation or the refund that it names; empty where it cannot be read. */
  subject_id: message.subjectId,
  dispute_id: message.disputeId,
  verdict: message.verdict,
  payment_id: message.paymentId,
  written_at: timeOf(message.writtenAt),
  received_at: timeOf(message.receivedAt)
})

export type MessageView = ReturnType<typeof messageView>

export const messagesText = (messages: ReadonlyArray<MessageView>): Text =>
  table(
    ["RECEIVED", "CONNECTION", "OUTCOME", "ABOUT", "PAYMENT", "MESSAGE"],
    messages.map((one) => [one.received_at, one.connection_id, one.outcome, one.about, one.payment_id, one.message_id])
  )

export const messageText = (one: MessageView): Text =>
  facts([
    ["Message", one.message_id],
    ["Connection", one.connection_id],
    ["Workspace", `${one.workspace_id} (${one.environment})`],
    ["Outcome", one.reason === null ? one.outcome : `${one.outcome}: ${one.reason}`],
    ["About", one.verdict === null ? one.about : `${one.about} ${one.verdict}`],
    ["Names", one.subject_id === "" ? null : one.subject_id],
    ["Payment", one.payment_id],
    ["Written", one.written_at],
    ["Received", one.received_at]
  ])
