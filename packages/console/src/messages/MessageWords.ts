/** Providers' messages in words, and their bodies as text that cannot mislead. */
import type { MessageNote, MessageOutcome } from "@pointsman/core/ports"

export const outcomeNames: Readonly<Record<MessageOutcome, string>> = {
  received: "Not decided yet",
  applied: "Applied",
  confirmed: "Confirms the record",
  older: "Older than the record",
  contradicts: "Contradicts the record",
  waits: "Waits",
  unreadable: "Unreadable",
  unmatched: "Matches no payment"
}

/** What became of it, and what it may need. */
export const outcomeTexts: Readonly<Record<MessageOutcome, string>> = {
  received:
    "It was stored and not decided: the server stopped, or its database failed. The provider may send it again.",
  applied: "It changed the payment.",
  confirmed: "It states what is recorded already.",
  older: "The record is newer, and the message states nothing else.",
  contradicts: "It cannot be reconciled with the record. The payment is under review.",
  waits: "It is decided when a request in flight has ended, or when a lookup has decided.",
  unreadable: "Its connector could not read it. Apply it again when the connector is mended.",
  unmatched:
    "It names a charge, an operation or a refund that is not stored here. Apply it again when the record is there."
}

const aboutNames: Readonly<Record<MessageNote["about"], string>> = {
  charge: "Charge",
  operation: "Capture or void",
  refund: "Refund",
  settlement: "Settlement",
  dispute: "Dispute",
  unreadable: "–"
}

export const aboutText = ({ about, verdict }: Pick<MessageNote, "about" | "verdict">): string =>
  verdict === null ? aboutNames[about] : `${aboutNames[about]} ${verdict}`

/** A longer one is shown in part: the API has all of it. */
const charactersShown = 50_000

/**
 * JSON with indents where it is JSON. Characters that are not seen, or that turn the direction of what follows, are
 * written as their numbers.
 */
export const bodyText = (body: string): string => {
  const text = indented(body)
  const shown = text.length > charactersShown ? `${text.slice(0, charactersShown)}\n…` : text
  return shown.replace(/[^\S\n ]|[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, (character) =>
    character === "\n" ? character : `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`
  )
}

/** Numbers that a double cannot hold would be shown as others. */
const indented = (body: string): string => {
  try {
    const value: unknown = JSON.parse(body)
    return JSON.stringify(value) === body ? JSON.stringify(value, undefined, 2) : body
  } catch {
    return body
  }
}
