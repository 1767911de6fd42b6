/** What a message says, and what was decided about it, as it is stored. Pure. */
import { attemptNamed } from "../../decide/interpret/Interpret.ts"
import type { Interpretation } from "../../decide/interpret/Interpretation.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import type { MessageAbout, ProviderMessage } from "../../model/ProviderStatement.ts"
import type { MessageNote, MessageOutcome } from "../../model/StoredMessage.ts"

/** Our id of it where we know it: what was reported under the provider's name and under ours is about one thing. */
export const subjectIdOf = (connectionId: string, about: MessageAbout, book: PaymentBook | undefined): string => {
  if (about._tag === "Refund") return about.refundId
  if (about._tag === "Operation") return about.operationId
  const { charge } = about
  if ("attemptId" in charge) return charge.attemptId
  return (book === undefined ? undefined : attemptNamed(book, connectionId, charge)?.id) ?? charge.providerRef
}

/** Without a meaning the message concerns nothing that its connection was asked. */
const outcomeOf = (meaning: Interpretation | undefined): MessageOutcome =>
  meaning === undefined ? "unmatched" : outcomes[meaning._tag]

const outcomes = {
  Moves: "applied",
  Confirms: "confirmed",
  Older: "older",
  Waits: "waits",
  Contradicts: "contradicts",
  Malformed: "unreadable",
  // A message never says that nothing was received.
  TooEarly: "unreadable"
} as const satisfies Record<Interpretation["_tag"], MessageOutcome>

const kindOf = {
  Charge: "charge",
  CaptureFailed: "charge",
  Changed: "charge",
  Operation: "operation",
  Refund: "refund",
  UnnamedRefund: "refund",
  Settled: "settlement",
  Dispute: "dispute"
} as const

/** What the message says, as it is stored. */
export const contentOf = (
  connectionId: string,
  { about, at }: ProviderMessage,
  book: PaymentBook | undefined,
  receivedAt: number
) => ({
  about: kindOf[about._tag] satisfies MessageNote["about"],
  subjectId: subjectIdOf(connectionId, about, book),
  disputeId: about._tag === "Dispute" ? about.disputeId : null,
  verdict: about._tag === "Dispute" ? about.verdict : null,
  writtenAt: at ?? receivedAt
})

const reasonOf = (meaning: Interpretation | undefined, removed: string | null): string | null => {
  if (meaning?._tag === "Malformed") return meaning.reason
  return meaning === undefined && removed !== null ? `payment ${removed} left the store` : null
}

/** A message that could not be read keeps the id that it was stored under. */
export const decidedMessage = (
  { connectionId, eventId, outcome: expected, receivedAt }: MessageNote,
  message: ProviderMessage,
  book: PaymentBook | undefined,
  meaning: Interpretation | undefined,
  removed: string | null
) => ({
  expected,
  after: {
    connectionId,
    eventId,
    paymentId: book?.payment.id ?? null,
    outcome: outcomeOf(meaning),
    reason: reasonOf(meaning, removed),
    receivedAt,
    ...contentOf(connectionId, message, book, receivedAt)
  } satisfies MessageNote
})
