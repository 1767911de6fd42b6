/**
 * What each of core's failures is on the wire: one row for every operation and every failure that core's door
 * declares for it. A failure without a row does not compile. Core itself knows no status and no code.
 */
import type { Pointsman } from "@pointsman/core"
import type { Effect } from "effect"
import { type CodeRow, type ErrorBody, type ErrorCode, errorCodes } from "./api/Errors.ts"

type Door = Pointsman["Service"]

/** The operations of the door that are served over HTTP. */
export type Operation =
  | "authenticate"
  | "create"
  | "capture"
  | "void"
  | "refund"
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
  message: "The server could not read its store. The request changed nothing and may be sent again."
}

const noSuchPayment: { readonly code: "not_found"; readonly message: string } = {
  code: "not_found",
  message: "There is no such payment."
}

/** What the failures of capture, void and refund have in common. */
const operationFailed = {
  "pointsman/PaymentNotFound": noSuchPayment,
  "pointsman/ApiKeyRevoked": {
    code: "unauthorized",
    message: "The API key was revoked. Nothing was sent to the provider."
  },
  "pointsman/NothingSent": {
    code: "internal_error",
    message: "The server failed before anything was sent to the provider. The same request may be sent again."
  },
  "pointsman/ProviderRefused": { code: "psp_error", message: "The provider refused. Nothing was executed." }
} as const

/** What capture and void have in common besides. */
const authorizationFailed = {
  ...operationFailed,
  "pointsman/RequestInProgress": {
    code: "idempotency_in_progress",
    message: "A request with this Idempotency-Key is still being processed. Send the same request again later."
  },
  "pointsman/NoProviderRef": {
    code: "no_provider_ref",
    message: "The payment has no reference at a provider, so there is nothing to act on."
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
    "pointsman/ApiKeyRevoked": {
      code: "unauthorized",
      message: "The API key was revoked. Nothing was sent to a provider."
    },
    "pointsman/RoutingFailed": {
      code: "routing_failed",
      message:
        "No connection can take this payment. Nothing was recorded. Send `debug: true` to see why each was excluded."
    },
    "pointsman/KeyReused": {
      code: "idempotency_key_reuse",
      message: "This Idempotency-Key was used with a different body. Nothing was charged."
    },
    "pointsman/RequestInProgress": {
      code: "idempotency_in_progress",
      message: "A request with this Idempotency-Key is still being processed. Send the same request again later."
    },
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
        "The payment is not AUTHORIZED, so it cannot be captured: it was captured or voided already, or a capture or " +
        "void is in flight or unknown. Retrieve the payment to see where it stands."
    },
    "pointsman/InvalidAmount": { code: "invalid_amount", message: "The amount is above the authorization." },
    "pointsman/KeyReused": {
      code: "idempotency_key_reuse",
      message: "This Idempotency-Key was used for a capture of another amount. Nothing was sent to the provider."
    },
    "pointsman/TakenByAnother": {
      code: "capture_conflict",
      message: "Another capture or void took the payment first. Nothing was sent to the provider."
    },
    "pointsman/Unsupported": { code: "unsupported", message: "The payment's provider cannot capture." },
    "pointsman/StateUnconfirmed": {
      code: "state_unconfirmed",
      message: "The provider was asked to capture, and its answer could not be recorded yet. Do not capture again."
    },
    "pointsman/StateConflict": {
      code: "state_conflict",
      message:
        "The provider's answer contradicts the capture, or the payment had meanwhile moved. Retrieve the payment; do " +
        "not capture again."
    },
    "pointsman/ResultUnknown": {
      code: "capture_result_unknown",
      message:
        "The provider did not answer and may have captured. The payment is UNKNOWN until the provider's record settles " +
        "it. Do not capture again."
    }
  },
  void: {
    ...authorizationFailed,
    "pointsman/NotVoidable": {
      code: "not_voidable",
      message:
        "The payment is not AUTHORIZED, so it cannot be voided: it was captured or voided already, or a capture or void " +
        "is in flight or unknown. Refund a captured payment instead."
    },
    "pointsman/KeyReused": {
      code: "idempotency_key_reuse",
      message: "This Idempotency-Key was used for another void. Nothing was sent to the provider."
    },
    "pointsman/TakenByAnother": {
      code: "void_conflict",
      message: "Another capture or void took the payment first. Nothing was sent to the provider."
    },
    "pointsman/Unsupported": { code: "unsupported", message: "The payment's provider cannot void." },
    "pointsman/StateUnconfirmed": {
      code: "state_unconfirmed",
      message: "The provider was asked to void, and its answer could not be recorded yet. Do not void again."
    },
    "pointsman/StateConflict": {
      code: "state_conflict",
      message:
        "The provider's answer contradicts the void, or the payment had meanwhile moved. Retrieve the payment; do not " +
        "void again."
    },
    "pointsman/ResultUnknown": {
      code: "void_result_unknown",
      message:
        "The provider did not answer and may have voided. The payment is UNKNOWN until the provider's record settles " +
        "it. Do not void again."
    }
  },
  refund: {
    ...operationFailed,
    "pointsman/NotRefundable": {
      code: "not_refundable",
      message: "The payment was never captured, is charged back, or its provider cannot refund."
    },
    "pointsman/RefundPending": {
      code: "refund_pending",
      message:
        "This refund, or one that holds the rest of the balance, is not confirmed yet. Do not refund again with another " +
        "key; read `refund_pending_amount`."
    },
    "pointsman/InvalidAmount": { code: "invalid_amount", message: "Nothing of the payment is left to refund." },
    "pointsman/KeyReused": {
      code: "idempotency_key_reuse",
      message: "This Idempotency-Key names a refund of another amount. Nothing was sent to the provider."
    },
    "pointsman/TakenByAnother": {
      code: "refund_conflict",
      message: "Other writers kept coming first. Nothing was sent to the provider; the same request may be sent again."
    },
    "pointsman/StateUnconfirmed": {
      code: "state_unconfirmed",
      message:
        "The provider confirmed the refund, and recording it failed: it still counts as pending. Do not refund again."
    },
    "pointsman/ResultUnknown": {
      code: "refund_result_unknown",
      message:
        "The provider did not answer and may have refunded. The amount stays in `refund_pending_amount` until the " +
        "provider's record settles it. Do not refund again under any key."
    }
  },
  payment: { "pointsman/PaymentNotFound": noSuchPayment, "pointsman/StorageError": storageFailed },
  payments: { "pointsman/StorageError": storageFailed },
  timeline: { "pointsman/PaymentNotFound": noSuchPayment, "pointsman/StorageError": storageFailed },
  events: { "pointsman/StorageError": storageFailed },
  provisionMerchant: {
    "pointsman/ApiKeyRevoked": { code: "unauthorized", message: "The API key was revoked. Nothing was created." },
    "pointsman/NotAPartner": { code: "not_a_partner", message: "The workspace is not a white-label partner any more." },
    "pointsman/AlreadyInvited": {
      code: "already_invited",
      message: "You have a merchant with this e-mail address already, in any case of its letters."
    },
    "pointsman/AllowanceExhausted": {
      code: "merchant_limit",
      message: "You have as many merchants as your allowance. Waiting does not help: ask for a larger one."
    },
    "pointsman/StorageError": {
      code: "internal_error",
      message: "The merchant was not stored. The request may be sent again."
    },
    "pointsman/CommitUnknown": {
      code: "internal_error",
      message: "The server cannot tell whether the merchant was stored. Look into the list before you send this again."
    }
  },
  merchants: { "pointsman/StorageError": storageFailed },
  verifyMessage: {
    "pointsman/MessageRefused": { code: "unauthorized", message: "The message's signature is missing or wrong." },
    "pointsman/StorageError": storageFailed
  },
  recordMessage: {
    "pointsman/StorageError": {
      code: "internal_error",
      message: "The message could not be recorded. Send the same message again."
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
  return { error: { code: row.code as CodeOf<O>, message: row.message } }
}

export interface DocumentedCode extends CodeRow {
  readonly code: ErrorCode
}

/** Every code with its status and meaning, for the reference. */
export const documentedCodes: ReadonlyArray<DocumentedCode> = Object.entries(errorCodes).map(([code, row]) => ({
  code: code as ErrorCode,
  ...row
}))
