/** The messages of failures that can tell more than their row of the error table. */
import type { CaptureFailure, EvidenceFailure, RefundFailure, SubmissionFailure, VoidFailure } from "@pointsman/core"
import { printable } from "./PrintableText.ts"

const waiting =
  "A dispute or a refund of this payment may be missing after a loss of records: nothing was sent to the provider. Refunds " +
  "of it wait until an operator accepts what is missing."

/** Of a capture, a void or a refund. */
export const operationMessageOf = (failure: CaptureFailure | VoidFailure | RefundFailure, message: string): string => {
  switch (failure._tag) {
    case "pointsman/InvalidAmount":
      return `${message} Expected ${failure.expected}.`
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

/** Of a dispute's evidence, submission or acceptance. */
export const disputeMessageOf = (failure: EvidenceFailure | SubmissionFailure, message: string): string => {
  switch (failure._tag) {
    case "pointsman/InvalidEvidence":
      return `\`${printable(failure.field)}\`: expected ${failure.expected}.`
    case "pointsman/ProviderRefused":
      return printable(failure.message) || message
    case "pointsman/StateUnconfirmed":
      return `${message} It said: ${failure.said}.`
    default:
      return message
  }
}
