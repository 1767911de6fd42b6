/** The messages of failures that can tell more than their row of the error table. */
import type { CaptureFailure, EvidenceFailure, RefundFailure, SubmissionFailure, VoidFailure } from "@pointsman/core"

const waiting =
  "A dispute or a refund of this payment may be missing after a loss of records: nothing was sent to the provider. Refunds " +
  "of it wait until an operator accepts what is missing."

/** What is done to a payment or a dispute at its provider may fail with. */
export type OperationFailure = CaptureFailure | VoidFailure | RefundFailure | EvidenceFailure | SubmissionFailure

export const messageOf = (failure: OperationFailure, message: string): string => {
  switch (failure._tag) {
    case "pointsman/InvalidAmount":
      return `${message} Expected ${failure.expected}.`
    case "pointsman/InvalidEvidence":
      return `\`${printable(failure.field)}\`: expected ${failure.expected}.`
    case "pointsman/ProviderRefused":
      return printable(failure.message) || message
    case "pointsman/RefundPending":
      return failure.retryAfterMillis === undefined ? message : waiting
    case "pointsman/StateUnconfirmed":
      return `${message} It said: ${failure.said}.`
    default:
      return message
  }
}

/** Unicode code points of the text that are shown. */
const textLimit = 500

/** What could forge a line of a log or turn the direction of a text around. */
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu

/**
 * A text that a provider wrote, for people: on one line, bounded, and without what only machines read. It may come out
 * empty.
 */
export const printable = (text: string): string => {
  const characters = [...text.replace(unprintable, " ").trim()]
  return characters.length <= textLimit ? characters.join("") : `${characters.slice(0, textLimit - 1).join("")}…`
}
