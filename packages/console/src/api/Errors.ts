/** The error codes of the console's API: those of the payment API that its operations have, and its own. */
import { type ErrorCode as ApiErrorCode, type CodeRow, errorCodes } from "@pointsman/http/api"
import { Schema } from "effect"

const own = {
  not_signed_in: { status: 401, meaning: "There is no session, or it ended." },
  sign_in_refused: { status: 401, meaning: "The login, the password or the link is wrong, or the link was used." },
  password_refused: { status: 401, meaning: "The current password is needed, and is missing or wrong." },
  forbidden: { status: 403, meaning: "The operator's role in this workspace does not allow it." },
  too_many_sign_ins: { status: 429, meaning: "Too many sign-ins were tried; Retry-After states the seconds to wait." },
  operator_changed: { status: 409, meaning: "The operator was changed or removed at the same time." },
  too_many_requests: { status: 429, meaning: "The operator has too many responses of this kind open." }
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
