/**
 * What each of core's failures is on the wire: one row for every operation and every failure that core's door
 * declares for it. A failure without a row does not compile. Core itself knows no status and no code.
 */
import { CardNumberFound, InvalidEvidence, type Pointsman } from "@pointsman/core"
import type { Effect } from "effect"
import { type CodeRow, type ErrorBody, type ErrorCode, errorCodes } from "./api/Errors.ts"
import { cardNumberBody } from "./Expectations.ts"
import { printable } from "./FailureMessages.ts"

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

interface Row {
  readonly code: ErrorCode
  /** For people: what happened, and what they can do. */
  readonly message: string
}

const storageFailed: { readonly code: "internal_error"; readonly message: string } = {
  code: "internal_error",
  message: "The server could not read its database. Nothing was changed; the request may be sent again."
}

/** Its message names the fields. */
const cardNumberFound: { readonly code: "validation_error"; readonly message: string } = {
  code: "validation_error",
  message: "A text must not contain a card number."
}

const notAdmitted: { readonly code: "internal_error"; readonly message: string } = {
  code: "internal_error",
  message:
    "The server cannot take new requests at the moment. Nothing was sent for this request; send the same request, with " +
    "the same Idempotency-Key, after the time in Retry-After."
}

const noSuchPayment: { readonly code: "not_found"; readonly message: string } = {
  code: "not_found",
  message: "Payment not found."
}

/** What the failures of capture, void and refund have in common. */
const operationFailed = {
  "pointsman/PaymentNotFound": noSuchPayment,
  "pointsman/ApiKeyRevoked": {
    code: "unauthorized",
    message: "The API key was revoked. Nothing was sent to the provider."
  },
  "pointsman/NotAdmitted": notAdmitted,
  "pointsman/NothingSent": {
    code: "internal_error",
    message: "The server failed before anything was sent to the provider. The same request may be sent again."
  },
  "pointsman/ProviderRefused": {
    code: "psp_error",
    message: "The provider rejected the request. Nothing was executed."
  }
} as const

const noSuchDispute: { readonly code: "not_found"; readonly message: string } = {
  code: "not_found",
  message: "Dispute not found."
}

/** What keeping evidence and sending it have in common. */
const disputeFailed = {
  "pointsman/DisputeNotFound": noSuchDispute,
  "pointsman/NotAdmitted": notAdmitted,
  "pointsman/DisputeClosed": {
    code: "dispute_closed",
    message: "The dispute has ended, or the provider has the evidence. Nothing was sent."
  },
  "pointsman/DisputePending": {
    code: "dispute_pending",
    message:
      "A submission or an acceptance of this dispute is not confirmed yet. Do not send another one; the dispute shows " +
      "what became of it."
  },
  "pointsman/InvalidEvidence": {
    code: "validation_error",
    message: "The evidence is invalid, or none is kept for the dispute."
  }
} as const

const archived = (what: string) =>
  `The payment left the store when its retention was over, and is in the archive: it can be read, and not ${what}.`

/** What capture and void have in common besides. */
const authorizationFailed = {
  ...operationFailed,
  "pointsman/RequestInProgress": {
    code: "idempotency_in_progress",
    message: "A request with this Idempotency-Key is still being processed. Send the same request again later."
  },
  "pointsman/NoProviderRef": {
    code: "no_provider_ref",
    message: "The payment has no provider reference to act on."
  }
} as const

/** What a table must hold: a row for every failure of every operation. */
export type TotalErrorTable = { readonly [O in Operation]: { readonly [Tag in TagOf<FailureOf<O>>]: Row } }

export const errorTable = {
  authenticate: {
    "pointsman/KeyRefused": {
      code: "unauthorized",
      message: "The API key is missing, malformed, revoked or unknown. Send it as `Authorization: Bearer <API_KEY>`."
    },
    "pointsman/StorageError": storageFailed
  },
  create: {
    "pointsman/CardNumberFound": cardNumberFound,
    "pointsman/ApiKeyRevoked": {
      code: "unauthorized",
      message: "The API key was revoked. Nothing was sent to a provider."
    },
    "pointsman/RoutingFailed": {
      code: "routing_failed",
      message:
        "No connection can accept this payment. Nothing was recorded. Send `debug: true` to see why each " +
        "connection was excluded."
    },
    "pointsman/KeyReused": {
      code: "idempotency_key_reuse",
      message: "This Idempotency-Key was used with a different body. Nothing was charged."
    },
    "pointsman/RequestInProgress": {
      code: "idempotency_in_progress",
      message: "A request with this Idempotency-Key is still being processed. Send the same request again later."
    },
    "pointsman/NotAdmitted": notAdmitted,
    "pointsman/NothingSent": {
      code: "internal_error",
      message: "The server failed before anything was sent to a provider. The same request may be sent again."
    },
    "pointsman/PaymentResultUnknown": {
      code: "payment_result_unknown",
      message:
        "A provider may have received the payment, and its result could not be recorded. " +
        "Send the same request with the same Idempotency-Key later; never with a new one."
    }
  },
  capture: {
    ...authorizationFailed,
    "pointsman/NotCapturable": {
      code: "not_capturable",
      message:
        "The payment is not AUTHORIZED, so it cannot be captured: it was already captured or voided, or a " +
        "capture or void is in flight or unknown. Retrieve the payment to see its status."
    },
    "pointsman/PaymentArchived": { code: "not_capturable", message: archived("captured") },
    "pointsman/InvalidAmount": { code: "invalid_amount", message: "The amount exceeds the authorized amount." },
    "pointsman/KeyReused": {
      code: "idempotency_key_reuse",
      message: "This Idempotency-Key was used for a capture of a different amount. Nothing was sent to the provider."
    },
    "pointsman/TakenByAnother": {
      code: "capture_conflict",
      message: "Another capture or void of this payment was first. Nothing was sent to the provider."
    },
    "pointsman/Unsupported": { code: "unsupported", message: "The payment's provider cannot capture." },
    "pointsman/StateUnconfirmed": {
      code: "state_unconfirmed",
      message: "The capture was sent, but the provider's response could not be recorded yet. Do not capture again."
    },
    "pointsman/StateConflict": {
      code: "state_conflict",
      message:
        "The provider's response contradicts the capture, or the payment changed in the meantime. Retrieve " +
        "the payment; do not capture again."
    },
    "pointsman/ResultUnknown": {
      code: "capture_result_unknown",
      message:
        "The provider did not respond and may have captured. The payment is UNKNOWN until the provider's " +
        "record settles it. Do not capture again."
    }
  },
  void: {
    ...authorizationFailed,
    "pointsman/NotVoidable": {
      code: "not_voidable",
      message:
        "The payment is not AUTHORIZED, so it cannot be voided: it was already captured or voided, or a " +
        "capture or void is in flight or unknown. Refund a captured payment instead."
    },
    "pointsman/PaymentArchived": { code: "not_voidable", message: archived("voided") },
    "pointsman/KeyReused": {
      code: "idempotency_key_reuse",
      message: "This Idempotency-Key was used for another void. Nothing was sent to the provider."
    },
    "pointsman/TakenByAnother": {
      code: "void_conflict",
      message: "Another capture or void of this payment was first. Nothing was sent to the provider."
    },
    "pointsman/Unsupported": { code: "unsupported", message: "The payment's provider cannot void." },
    "pointsman/StateUnconfirmed": {
      code: "state_unconfirmed",
      message: "The void was sent, but the provider's response could not be recorded yet. Do not void again."
    },
    "pointsman/StateConflict": {
      code: "state_conflict",
      message:
        "The provider's response contradicts the void, or the payment changed in the meantime. Retrieve the " +
        "payment; do not void again."
    },
    "pointsman/ResultUnknown": {
      code: "void_result_unknown",
      message:
        "The provider did not respond and may have voided. The payment is UNKNOWN until the provider's " +
        "record settles it. Do not void again."
    }
  },
  refund: {
    ...operationFailed,
    "pointsman/CardNumberFound": cardNumberFound,
    "pointsman/NotRefundable": {
      code: "not_refundable",
      message: "The payment was never captured, was charged back, or its provider does not support refunds."
    },
    "pointsman/PaymentArchived": { code: "not_refundable", message: archived("refunded") },
    "pointsman/RefundPending": {
      code: "refund_pending",
      message:
        "This refund, or another one that reserves the remaining balance, is not confirmed yet. Do not " +
        "refund again with another key; check `refund_pending_amount`."
    },
    "pointsman/InvalidAmount": { code: "invalid_amount", message: "This payment is already fully refunded." },
    "pointsman/KeyReused": {
      code: "idempotency_key_reuse",
      message: "This Idempotency-Key was used for a refund of a different amount. Nothing was sent to the provider."
    },
    "pointsman/TakenByAnother": {
      code: "refund_conflict",
      message:
        "Concurrent updates of the payment prevented the refund. Nothing was sent to the provider; the same " +
        "request may be sent again."
    },
    "pointsman/StateUnconfirmed": {
      code: "state_unconfirmed",
      message:
        "The provider confirmed the refund, but it could not be recorded and still counts as pending. Do not " +
        "refund again."
    },
    "pointsman/ResultUnknown": {
      code: "refund_result_unknown",
      message:
        "The provider did not respond and may have refunded. The amount stays in `refund_pending_amount` " +
        "until the provider's record settles it. Do not refund again with any key."
    }
  },
  dispute: { "pointsman/DisputeNotFound": noSuchDispute, "pointsman/StorageError": storageFailed },
  disputes: { "pointsman/StorageError": storageFailed },
  keepEvidence: {
    ...disputeFailed,
    "pointsman/CardNumberFound": cardNumberFound,
    "pointsman/ApiKeyRevoked": { code: "unauthorized", message: "The API key was revoked. Nothing was kept." },
    "pointsman/StorageError": {
      code: "internal_error",
      message: "The evidence was not stored. The same request may be sent again."
    }
  },
  submitDispute: {
    ...disputeFailed,
    "pointsman/ApiKeyRevoked": operationFailed["pointsman/ApiKeyRevoked"],
    "pointsman/NothingSent": operationFailed["pointsman/NothingSent"],
    "pointsman/ProviderRefused": operationFailed["pointsman/ProviderRefused"],
    "pointsman/KeyReused": {
      code: "idempotency_key_reuse",
      message: "This Idempotency-Key was used for another request of this dispute. Nothing was sent to the provider."
    },
    "pointsman/TakenByAnother": {
      code: "dispute_conflict",
      message:
        "Concurrent updates of the payment prevented the request. Nothing was sent to the provider; the same request " +
        "may be sent again."
    },
    "pointsman/Unsupported": {
      code: "unsupported",
      message: "The provider takes no answer to this dispute through this API. Answer it at the provider."
    },
    "pointsman/StateUnconfirmed": {
      code: "state_unconfirmed",
      message: "The provider took it, but its response could not be recorded yet. Do not send it again."
    },
    "pointsman/ResultUnknown": {
      code: "dispute_result_unknown",
      message:
        "The provider did not respond and may have taken it. It is asked what became of it. Do not send it again with " +
        "any key."
    }
  },
  payment: { "pointsman/PaymentNotFound": noSuchPayment, "pointsman/StorageError": storageFailed },
  payments: { "pointsman/StorageError": storageFailed },
  timeline: { "pointsman/PaymentNotFound": noSuchPayment, "pointsman/StorageError": storageFailed },
  events: { "pointsman/StorageError": storageFailed },
  provisionMerchant: {
    "pointsman/ApiKeyRevoked": { code: "unauthorized", message: "The API key was revoked. Nothing was created." },
    "pointsman/NotAPartner": { code: "not_a_partner", message: "The workspace is no longer a white-label partner." },
    "pointsman/AlreadyInvited": {
      code: "already_invited",
      message: "You already have a merchant with this email address (compared case-insensitively)."
    },
    "pointsman/AllowanceExhausted": {
      code: "merchant_limit",
      message: "You have reached your allowance of merchants. Ask for a larger allowance."
    },
    "pointsman/StorageError": {
      code: "internal_error",
      message: "The merchant was not stored. The request may be sent again."
    },
    "pointsman/CommitUnknown": {
      code: "internal_error",
      message: "The merchant may have been stored. Check the list before you repeat this request."
    }
  },
  merchants: { "pointsman/StorageError": storageFailed },
  verifyMessage: {
    "pointsman/MessageRefused": { code: "unauthorized", message: "The message's signature is missing or invalid." },
    "pointsman/StorageError": storageFailed
  },
  recordMessage: {
    "pointsman/StorageError": {
      code: "internal_error",
      message: "The message could not be recorded. Send the same message again."
    },
    "pointsman/HintNotLookedUp": {
      code: "internal_error",
      message: "The provider could not be asked about the message. Send the same message again."
    }
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
