/** What a failure of a statement says (see `Database.ts`). */
import { CommitUnknown, StorageError } from "@pointsman/core/ports"
import { Data } from "effect"
import { ConnectionError, SqlError } from "effect/sql/SqlError"

/** The server took the statement back, and said why. */
export class Refused extends Data.TaggedClass("Refused")<{
  readonly code: string
  readonly error: StorageError
  /** That of a broken constraint. */
  readonly constraint?: string | undefined
}> {}

export const noAnswer = (millis: number): SqlError => {
  const message = `the server did not respond within ${Math.round(millis)} ms`
  return new SqlError({ reason: new ConnectionError({ cause: new Error(message), message, operation: "execute" }) })
}

export const noAnswerCause = (millis: number): Error => causeOf(noAnswer(millis))

/** What the server says of an error (https://www.postgresql.org/docs/current/protocol-error-fields.html). */
interface ErrorFields {
  readonly code: string
  readonly severityUnlocalized?: string
  readonly message: string
  readonly constraint?: string
}

const fieldsOf = ({ reason }: SqlError): ErrorFields | undefined => {
  const cause = reason.cause as Partial<ErrorFields> | null | undefined
  return typeof cause?.code === "string" && cause.severityUnlocalized !== undefined ? (cause as ErrorFields) : undefined
}

export const sqlStateOf = (error: SqlError): string | undefined => fieldsOf(error)?.code

/** After FATAL and PANIC the connection is gone, perhaps between the commit and the word of it. */
export const isTakenBack = ({ severityUnlocalized }: Pick<ErrorFields, "severityUnlocalized">): boolean =>
  severityUnlocalized === "ERROR"

export const failureOf =
  (isTakenBack: (fields: ErrorFields) => boolean) =>
  (operation: string, error: SqlError): Refused | CommitUnknown => {
    const fields = fieldsOf(error)
    if (fields === undefined || !isTakenBack(fields)) return new CommitUnknown({ operation, cause: causeOf(error) })
    const { code, constraint } = fields
    return new Refused({ code, constraint, error: storageError(operation, error) })
  }

export const storageError = (operation: string, error: SqlError): StorageError =>
  new StorageError({ operation, cause: causeOf(error) })

/** The SQLSTATE behind a failure. */
export const codeOf = (failed: unknown): unknown =>
  (failed as { readonly cause?: { readonly code?: unknown } | null } | undefined)?.cause?.code

/** Without the server's details, which quote rows. */
const causeOf = (error: SqlError): Error => {
  const fields = fieldsOf(error)
  if (fields !== undefined) return Object.assign(new Error(fields.message), { code: fields.code })
  const { cause } = error.reason
  return cause instanceof Error ? new Error(cause.message) : new Error(error.message)
}

/** SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
export const codes = {
  deadlock: "40P01",
  serialization: "40001",
  lockNotAvailable: "55P03",
  uniqueViolation: "23505",
  undefinedTable: "42P01",
  /** Ours: another write came between what was seen and what was to be written. */
  cameBetween: "PM001"
} as const
