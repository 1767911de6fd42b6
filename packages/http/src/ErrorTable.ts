/**
 * What each of core's failures is on the wire: one row for every operation and every failure that core's door
 * declares for it. A failure without a row does not compile. Core itself knows no status and no code.
 */
import type { Pointsman } from "@pointsman/core"
import type { Effect } from "effect"
import { type CodeRow, type ErrorBody, type ErrorCode, errorCodes } from "./api/Errors.ts"

type Door = Pointsman["Service"]

/** The operations of the door that are served over HTTP. */
export type Operation = "authenticate" | "create" | "payment" | "payments" | "timeline" | "events"

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
  payment: { "pointsman/PaymentNotFound": noSuchPayment, "pointsman/StorageError": storageFailed },
  payments: { "pointsman/StorageError": storageFailed },
  timeline: { "pointsman/PaymentNotFound": noSuchPayment, "pointsman/StorageError": storageFailed },
  events: { "pointsman/StorageError": storageFailed }
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
