/**
 * What each of core's failures is on the wire: one row for every operation and every failure that core's door
 * declares for it. A failure without a row does not compile. Core itself knows no status and no code.
 */
import { CardNumberFound, InvalidEvidence, type Pointsman } from "@pointsman/core"
import type { Effect } from "effect"
import { type CodeRow, type ErrorBody, type ErrorCode, errorCodes } from "./api/Errors.ts"
import { cardNumberBody } from "./Expectations.ts"
import { messageOf, type OperationFailure, printable } from "./FailureMessages.ts"

type Door = Pointsman["Service"]

/** The operations of the door that are served over HTTP. */
export type Operation =
  | "authenticate"
  | "create"
  | "capture"
  | "void"
  | "refund"
  | "dispute"
  | "disputes"
  | "keepEvidence"
  | "submitDispute"
  | "payment"
  | "payments"
  | "timeline"
  | "events"
  | "provisionMerchant"
  | "merchants"
  | "verifyMessage"
  | "recordMessage"

export type FailureOf<O extends Operation> = Door[O] extends (
  ...args: never
) => Effect.Effect<infer _A, infer E, infer _R>
  ? E
  : never

type TagOf<E> = E extends { readonly _tag: infer Tag extends string } ? Tag : never

interface Row<Code extends ErrorCode = ErrorCode> {
  readonly code: Code
  /** For people: what happened, and what they can do. */
  readonly message: string
}

const row = <const Code extends ErrorCode>(code: Code, message: string): Row<Code> => ({ code, message })

const storageFailed = row(
  "internal_error",
  "The server could not read its database. Nothing was changed; the request may be sent again."
)

/** Its message names the fields. */
const cardNumberFound = row("validation_error", "A text must not contain a card number.")

const notAdmitted = row(
  "internal_error",
  "The server cannot take new requests at the moment. Nothing was sent for this request; send the same request, with " +
    "the same Idempotency-Key, after the time in Retry-After."
)

const noSuchPayment = row("not_found", "Payment not found.")

/** What the failures of capture, void and refund have in common. */
const operationFailed = {
  "pointsman/PaymentNotFound": noSuchPayment,
  "pointsman/ApiKeyRevoked": row("unauthorized", "The API key was revoked. Nothing was sent to the provider."),
  "pointsman/NotAdmitted": notAdmitted,
  "pointsman/NothingSent": row(
    "internal_error",
    "The server failed before anything was sent to the provider. The same request may be sent again."
  ),
  "pointsman/ProviderRefused": row("psp_error", "The provider rejected the request. Nothing was executed.")
} as const

const noSuchDispute = row("not_found", "Dispute not found.")

/** What keeping evidence and sending it have in common. */
const disputeFailed = {
  "pointsman/DisputeNotFound": noSuchDispute,
  "pointsman/NotAdmitted": notAdmitted,
  "pointsman/DisputeClosed": row(
    "dispute_closed",
    "The dispute has ended, or the provider has the evidence. Nothing was sent."
  ),
  "pointsman/DisputePending": row(
    "dispute_pending",
    "A submission or an acceptance of this dispute is not confirmed yet. Do not send another one; the dispute shows " +
      "what became of it."
  ),
  "pointsman/InvalidEvidence": row("validation_error", "The evidence is invalid, or none is kept for the dispute.")
} as const

const archived = (what: string) =>
  `The payment left the store when its retention was over, and is in the archive: it can be read, and not ${what}.`

/** What capture and void have in common besides. */
const authorizationFailed = {
  ...operationFailed,
  "pointsman/RequestInProgress": row(
    "idempotency_in_progress",
    "A request with this Idempotency-Key is still being processed. Send the same request again later."
  ),
  "pointsman/NoProviderRef": row("no_provider_ref", "The payment has no provider reference to act on.")
} as const

/** What a table must hold: a row for every failure of every operation. */
export type TotalErrorTable = { readonly [O in Operation]: { readonly [Tag in TagOf<FailureOf<O>>]: Row } }

export const errorTable = {
  authenticate: {
    "pointsman/KeyRefused": row(
      "unauthorized",
      "The API key is missing, malformed, revoked or unknown. Send it as `Authorization: Bearer <API_KEY>`."
    ),
    "pointsman/StorageError": storageFailed
  },
  create: {
    "pointsman/CardNumberFound": cardNumberFound,
    "pointsman/ApiKeyRevoked": row("unauthorized", "The API key was revoked. Nothing was sent to a provider."),
    "pointsman/RoutingFailed": row(
      "routing_failed",
      "No connection can accept this payment. Nothing was recorded. Send `debug: true` to see why each " +
        "connection was excluded."
    ),
    "pointsman/KeyReused": row(
      "idempotency_key_reuse",
      "This Idempotency-Key was used with a different body. Nothing was charged."
    ),
    "pointsman/RequestInProgress": row(
      "idempotency_in_progress",
      "A request with this Idempotency-Key is still being processed. Send the same request again later."
    ),
    "pointsman/NotAdmitted": notAdmitted,
    "pointsman/NothingSent": row(
      "internal_error",
      "The server failed before anything was sent to a provider. The same request may be sent again."
    ),
    "pointsman/PaymentResultUnknown": row(
      "payment_result_unknown",
      "A provider may have received the payment, and its result could not be recorded. " +
        "Send the same request with the same Idempotency-Key later; never with a new one."
    )
  },
  capture: {
    ...authorizationFailed,
    "pointsman/NotCapturable": row(
      "not_capturable",
      "The payment is not AUTHORIZED, so it cannot be captured: it was already captured or voided, or a " +
        "capture or void is in flight or unknown. Retrieve the payment to see its status."
    ),
    "pointsman/PaymentArchived": row("not_capturable", archived("captured")),
    "pointsman/InvalidAmount": row("invalid_amount", "The amount exceeds the authorized amount."),
    "pointsman/KeyReused": row(
      "idempotency_key_reuse",
      "This Idempotency-Key was used for a capture of a different amount. Nothing was sent to the provider."
    ),
    "pointsman/TakenByAnother": row(
      "capture_conflict",
      "Another capture or void of this payment was first. Nothing was sent to the provider."
    ),
    "pointsman/Unsupported": row("unsupported", "The payment's provider cannot capture."),
    "pointsman/StateUnconfirmed": row(
      "state_unconfirmed",
      "The capture was sent, but the provider's response could not be recorded yet. Do not capture again."
    ),
    "pointsman/StateConflict": row(
      "state_conflict",
      "The provider's response contradicts the capture, or the payment changed in the meantime. Retrieve " +
        "the payment; do not capture again."
    ),
    "pointsman/ResultUnknown": row(
      "capture_result_unknown",
      "The provider did not respond and may have captured. The payment is UNKNOWN until the provider's " +
        "record settles it. Do not capture again."
    )
  },
  void: {
    ...authorizationFailed,
    "pointsman/NotVoidable": row(
      "not_voidable",
      "The payment is not AUTHORIZED, so it cannot be voided: it was already captured or voided, or a " +
        "capture or void is in flight or unknown. Refund a captured payment instead."
    ),
    "pointsman/PaymentArchived": row("not_voidable", archived("voided")),
    "pointsman/KeyReused": row(
      "idempotency_key_reuse",
      "This Idempotency-Key was used for another void. Nothing was sent to the provider."
    ),
    "pointsman/TakenByAnother": row(
      "void_conflict",
      "Another capture or void of this payment was first. Nothing was sent to the provider."
    ),
    "pointsman/Unsupported": row("unsupported", "The payment's provider cannot void."),
    "pointsman/StateUnconfirmed": row(
      "state_unconfirmed",
      "The void was sent, but the provider's response could not be recorded yet. Do not void again."
    ),
    "pointsman/StateConflict": row(
      "state_conflict",
      "The provider's response contradicts the void, or the payment changed in the meantime. Retrieve the " +
        "payment; do not void again."
    ),
    "pointsman/ResultUnknown": row(
      "void_result_unknown",
      "The provider did not respond and may have voided. The payment is UNKNOWN until the provider's " +
        "record settles it. Do not void again."
    )
  },
  refund: {
    ...operationFailed,
    "pointsman/CardNumberFound": cardNumberFound,
    "pointsman/NotRefundable": row(
      "not_refundable",
      "The payment was never captured, was charged back, or its provider does not support refunds."
    ),
    "pointsman/PaymentArchived": row("not_refundable", archived("refunded")),
    "pointsman/RefundPending": row(
      "refund_pending",
      "This refund, or another one that reserves the remaining balance, is not confirmed yet. Do not " +
        "refund again with another key; check `refund_pending_amount`."
    ),
    "pointsman/InvalidAmount": row("invalid_amount", "This payment is already fully refunded."),
    "pointsman/KeyReused": row(
      "idempotency_key_reuse",
      "This Idempotency-Key was used for a refund of a different amount. Nothing was sent to the provider."
    ),
    "pointsman/TakenByAnother": row(
      "refund_conflict",
      "Concurrent updates of the payment prevented the refund. Nothing was sent to the provider; the same " +
        "request may be sent again."
    ),
    "pointsman/StateUnconfirmed": row(
      "state_unconfirmed",
      "The provider confirmed the refund, but it could not be recorded and still counts as pending. Do not " +
        "refund again."
    ),
    "pointsman/ResultUnknown": row(
      "refund_result_unknown",
      "The provider did not respond and may have refunded. The amount stays in `refund_pending_amount` " +
        "until the provider's record settles it. Do not refund again with any key."
    )
  },
  dispute: { "pointsman/DisputeNotFound": noSuchDispute, "pointsman/StorageError": storageFailed },
  disputes: { "pointsman/StorageError": storageFailed },
  keepEvidence: {
    ...disputeFailed,
    "pointsman/CardNumberFound": cardNumberFound,
    "pointsman/ApiKeyRevoked": row("unauthorized", "The API key was revoked. Nothing was kept."),
    "pointsman/StorageError": row("internal_error", "The evidence was not stored. The same request may be sent again.")
  },
  submitDispute: {
    ...disputeFailed,
    "pointsman/ApiKeyRevoked": operationFailed["pointsman/ApiKeyRevoked"],
    "pointsman/NothingSent": operationFailed["pointsman/NothingSent"],
    "pointsman/ProviderRefused": operationFailed["pointsman/ProviderRefused"],
    "pointsman/KeyReused": row(
      "idempotency_key_reuse",
      "This Idempotency-Key was used for another request of this dispute. Nothing was sent to the provider."
    ),
    "pointsman/TakenByAnother": row(
      "dispute_conflict",
      "Concurrent updates of the payment prevented the request. Nothing was sent to the provider; the same request " +
        "may be sent again."
    ),
    "pointsman/Unsupported": row(
      "unsupported",
      "The provider takes no answer to this dispute through this API. Answer it at the provider."
    ),
    "pointsman/StateUnconfirmed": row(
      "state_unconfirmed",
      "The provider took it, but its response could not be recorded yet. Do not send it again."
    ),
    "pointsman/ResultUnknown": row(
      "dispute_result_unknown",
      "The provider did not respond and may have taken it. It is asked what became of it. Do not send it again with " +
        "any key."
    )
  },
  payment: { "pointsman/PaymentNotFound": noSuchPayment, "pointsman/StorageError": storageFailed },
  payments: { "pointsman/StorageError": storageFailed },
  timeline: { "pointsman/PaymentNotFound": noSuchPayment, "pointsman/StorageError": storageFailed },
  events: { "pointsman/StorageError": storageFailed },
  provisionMerchant: {
    "pointsman/ApiKeyRevoked": row("unauthorized", "The API key was revoked. Nothing was created."),
    "pointsman/NotAPartner": row("not_a_partner", "The workspace is no longer a white-label partner."),
    "pointsman/AlreadyInvited": row(
      "already_invited",
      "You already have a merchant with this email address (compared case-insensitively)."
    ),
    "pointsman/AllowanceExhausted": row(
      "merchant_limit",
      "You have reached your allowance of merchants. Ask for a larger allowance."
    ),
    "pointsman/StorageError": row("internal_error", "The merchant was not stored. The request may be sent again."),
    "pointsman/CommitUnknown": row(
      "internal_error",
      "The merchant may have been stored. Check the list before you repeat this request."
    )
  },
  merchants: { "pointsman/StorageError": storageFailed },
  verifyMessage: {
    "pointsman/MessageRefused": row("unauthorized", "The message's signature is missing or invalid."),
    "pointsman/StorageError": storageFailed
  },
  recordMessage: {
    "pointsman/StorageError": row("internal_error", "The message could not be recorded. Send the same message again."),
    "pointsman/HintNotLookedUp": row(
      "internal_error",
      "The provider could not be asked about the message. Send the same message again."
    )
  }
} as const satisfies TotalErrorTable

type Table = typeof errorTable

/** The codes that an operation can fail with. */
export type CodeOf<O extends Operation> = {
  [Tag in keyof Table[O]]: Table[O][Tag] extends { readonly code: infer Code extends ErrorCode } ? Code : never
}[keyof Table[O]]

/** The envelope of a core failure. */
export const errorBodyOf = <O extends Operation>(operation: O, failure: FailureOf<O>): ErrorBody<CodeOf<O>> => {
  const rows: Record<string, Row> = errorTable[operation]
  const row = rows[(failure as { readonly _tag: string })._tag] as Row
  const { message, param = paramOf(failure, row) } =
    failure instanceof CardNumberFound ? cardNumberBody(failure).error : { message: row.message }
  return { error: { code: row.code as CodeOf<O>, message, ...(param === undefined ? {} : { param }) } }
}

/** What is done to a payment or a dispute at its provider. */
export type ProviderOperation = "capture" | "void" | "refund" | "keepEvidence" | "submitDispute"

/** The same, with what only this failure can tell. */
export const wordedBodyOf = <O extends ProviderOperation>(
  operation: O,
  failure: FailureOf<O>
): ErrorBody<CodeOf<O>> => {
  const { error } = errorBodyOf(operation, failure)
  return { error: { ...error, message: messageOf(failure as OperationFailure, error.message) } }
}

const paramOf = (failure: unknown, { code }: Row): string | undefined => {
  if (failure instanceof InvalidEvidence) return printable(failure.field)
  return code === "invalid_amount" ? "amount" : undefined
}

export interface DocumentedCode extends CodeRow {
  readonly code: ErrorCode
}

/** Every code with its status and meaning, for the reference. */
export const documentedCodes: ReadonlyArray<DocumentedCode> = Object.entries(errorCodes).map(([code, row]) => ({
  code: code as ErrorCode,
  ...row
}))
