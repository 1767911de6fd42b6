/** The error codes of the console's API: those of the payment API that its operations have, and its own. */
import type { StorageError } from "@pointsman/core/ports"
import { type ErrorCode as ApiErrorCode, type CodeRow, errorCodes } from "@pointsman/http/api"
import { Cause, Effect, Predicate, Schema } from "effect"

const own = {
  not_signed_in: { status: 401, meaning: "There is no session, or it ended." },
  sign_in_refused: {
    status: 401,
    meaning: "The login, the password, the link or the passkey is wrong, or the link was used."
  },
  password_refused: { status: 401, meaning: "The current password is needed, and is missing or wrong." },
  forbidden: { status: 403, meaning: "The operator's role in this workspace does not allow it." },
  passkey_required: {
    status: 403,
    meaning:
      "A role of the operator takes a passkey, and the session began without one: it can add a passkey, or sign out."
  },
  sign_in_again: {
    status: 403,
    meaning: "It takes a recent sign-in. Sign in again by `POST /session`, and repeat the request. Nothing was done."
  },
  too_many_sign_ins: { status: 429, meaning: "Too many sign-ins were tried; Retry-After states the seconds to wait." },
  statement_refused: {
    status: 409,
    meaning: "The record does not take the statement, or has changed since it was read; nothing was recorded."
  },
  correction_refused: {
    status: 409,
    meaning: "This operator may not decide the correction so, or it was decided before; nothing was changed."
  },
  message_not_applicable: { status: 409, meaning: "The message cannot be read or applied; nothing was changed." },
  report_being_read: {
    status: 409,
    meaning: "A report of the connection is being read; nothing was done. Repeat the request once that has ended."
  },
  key_created: { status: 409, meaning: "The request with this draft created its key before." },
  key_in_configuration: { status: 409, meaning: "The configuration file names the key." },
  workspace_in_configuration: { status: 409, meaning: "A configuration file defines the workspace." },
  record_changed: { status: 409, meaning: "The record was changed since it was read." },
  login_taken: { status: 409, meaning: "An operator has this login already." },
  last_admin: { status: 409, meaning: "No other operator has the role admin in all workspaces." },
  operator_changed: { status: 409, meaning: "The operator was changed or removed at the same time." },
  endpoint_changed: { status: 409, meaning: "Another request replaced the endpoint's secret first." },
  not_redeliverable: {
    status: 409,
    meaning: "The delivery is on its way, was sent again since it was read, or its endpoint is not active."
  },
  passkey_refused: {
    status: 409,
    meaning: "The passkey was not added: the sign-in is too long ago, or the response is not right."
  },
  too_many_requests: {
    status: 429,
    meaning:
      "The operator sent more requests than it may, or has as many exports or followed pages under way as it may have, or the workspace as many exports or searches."
  }
} as const satisfies Record<string, CodeRow>

export const consoleCodes = { ...errorCodes, ...own }

export type ConsoleCode = ApiErrorCode | keyof typeof own

export interface ConsoleError<Code extends ConsoleCode = ConsoleCode> {
  readonly error: {
    readonly code: Code
    /** For people; not part of the contract. */
    readonly message: string
  }
}

/** One schema for each status, because the answer's status is found by its schema. */
export const failures = <const Codes extends ReadonlyArray<ConsoleCode>>(
  ...codes: Codes
): ReadonlyArray<Schema.Codec<ConsoleError<Codes[number]>>> =>
  [...Map.groupBy(codes, (code) => consoleCodes[code].status)].map(
    ([status, group]) =>
      Schema.Struct({ error: Schema.Struct({ code: Schema.Literals(group), message: Schema.String }) }).annotate({
        httpApiStatus: status,
        description: group.map((code) => `\`${code}\`: ${consoleCodes[code].meaning}`).join("\n\n")
      }) as Schema.Codec<ConsoleError<Codes[number]>>
  )

export const failure = <Code extends ConsoleCode>(code: Code, message: string): ConsoleError<Code> => ({
  error: { code, message }
})

const serverFailed = failure("internal_error", "The server could not read or write its database. Try again.")

/** Core's failure in the console's words. What its cause says is for the log. */
export const internalError = (error: StorageError) =>
  Effect.andThen(Effect.logError(error._tag, Cause.die(error.cause)), Effect.fail(serverFailed))

const notFound = (what: string) => failure("not_found", `${what} not found.`)

/** Core's failures that mean the same wherever they come from. */
const meanings = {
  "pointsman/ApiKeyNotFound": notFound("Key"),
  "pointsman/ConnectionNotFound": notFound("Connection"),
  "pointsman/DeliveryNotFound": notFound("Delivery"),
  "pointsman/DisputeNotFound": notFound("Dispute"),
  "pointsman/EndpointNotFound": notFound("Webhook endpoint"),
  "pointsman/MerchantNotFound": notFound("Merchant"),
  "pointsman/MessageNotFound": notFound("Message"),
  "pointsman/OperatorNotFound": notFound("Operator"),
  "pointsman/PasskeyNotFound": notFound("Passkey"),
  "pointsman/PaymentNotFound": notFound("Payment"),
  "pointsman/WorkspaceNotFound": notFound("Workspace"),
  "pointsman/SealBroken": failure(
    "message_not_applicable",
    "The body of the message does not open: another encryption key sealed it, or it was changed."
  )
}

/** What core did not find, where the console looks itself. */
export const missing = <Tag extends keyof typeof meanings>(tag: Tag) => Effect.fail(meanings[tag])

type Told<E> = E extends StorageError
  ? ConsoleError<"internal_error">
  : E extends { readonly _tag: infer Tag extends keyof typeof meanings }
    ? (typeof meanings)[Tag]
    : E

/** Core's failures in the console's words. Those that mean something else here are caught before. */
export const told = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.catch(effect, (reason): Effect.Effect<never, unknown> => {
    const tag = Predicate.hasProperty(reason, "_tag") ? String(reason._tag) : ""
    if (tag === "pointsman/StorageError") return internalError(reason as StorageError & E)
    return Effect.fail(Object.hasOwn(meanings, tag) ? meanings[tag as keyof typeof meanings] : reason)
  }) as Effect.Effect<A, Told<E>, R>
