/** Providers' messages as the console's API shows them. */
import { messageOutcomes, type TenantMessage } from "@pointsman/core/ports"
import { InProcess } from "@pointsman/http"
import { Schema } from "effect"
import { described, Text, TextOrNull } from "../api/Records.ts"

const { timeView } = InProcess

const fields = {
  connection_id: Text,
  id: Text.annotateKey(described("The provider's id of the message; `sha256:` and a hash if it could not be read.")),
  outcome: Schema.Literals(messageOutcomes),
  reason: TextOrNull.annotateKey(described("Why it could not be read.")),
  about: Schema.Literals(["charge", "operation", "refund", "settlement", "dispute", "unreadable"]),
  subject_id: TextOrNull.annotateKey(described("The attempt, operation or refund that it names.")),
  dispute_id: TextOrNull,
  verdict: Schema.NullOr(Schema.Literals(["opened", "won", "lost"])),
  payment_id: TextOrNull,
  written: Text,
  received: Text
}

export const Message = Schema.Struct(fields).annotate({
  identifier: "Message",
  description: "A verified message of a provider, and what became of it."
})
export type Message = typeof Message.Type

export const MessageWithBody = Schema.Struct({
  ...fields,
  body: Text.annotateKey(described("As it was stored; it may name the customer. Empty after an erasure."))
}).annotate({ identifier: "MessageWithBody", description: "A provider's message with its body." })

export const messageView = (message: TenantMessage): Message => ({
  connection_id: message.connectionId,
  id: message.eventId,
  outcome: message.outcome,
  reason: message.reason,
  about: message.about,
  subject_id: message.subjectId === "" ? null : message.subjectId,
  dispute_id: message.disputeId,
  verdict: message.verdict,
  payment_id: message.paymentId,
  written: timeView(message.writtenAt),
  received: timeView(message.receivedAt)
})
