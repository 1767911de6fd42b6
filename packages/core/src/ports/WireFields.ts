/** What adapters share in reading what a provider wrote. */
import { Result, Schema, SchemaIssue } from "effect"
import { type ChargeState, Unanswered } from "../model/ProviderStatement.ts"
import type { TransportAnswer } from "./Transport.ts"

const issues = SchemaIssue.makeFormatterStandardSchemaV1()

/** Where a reading stopped, in names of fields, the outermost first; empty for the whole. */
export const pathOf = ({ issue }: Schema.SchemaError): ReadonlyArray<string> =>
  issues(issue).issues[0]?.path?.map(String) ?? []

/** The same as one text (`data.object.id`). It never shows a value. */
export const fieldOf = (error: Schema.SchemaError): string => pathOf(error).join(".")

/** A field that may be absent or null. */
export const wireOptional = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/**
 * A provider's reference must come back to it in a path and be kept as text: `.` and `..` would vanish from a URL, and
 * control characters and halves of surrogate pairs cannot be stored everywhere.
 */
export const WireReference = Schema.NonEmptyString.check(
  Schema.isMaxLength(255),
  Schema.makeFilter((text: string) => text !== "." && text !== ".." && isStorable(text), { expected: "a reference" })
)

const isStorable = (text: string): boolean => text.isWellFormed() && !/\p{Cc}/u.test(text)

/** A text that anybody may have written in place of ours, and that is fit to be kept: 1 to 255 characters. */
export const isWireText = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value.length <= 255 && isStorable(value)

/** Where a customer can be sent. A longer address fits neither into a header of our answer nor into browsers. */
export const WebAddress = Schema.String.check(
  Schema.isMaxLength(4_096),
  Schema.makeFilter(
    (text: string) =>
      /^https?:\/\//iu.test(text) && URL.canParse(text) && text.isWellFormed() && !/[\s\p{Cc}]/u.test(text),
    { expected: "an http or https URL" }
  )
)

/** A time as RFC 3339 writes it; `Date.parse` gives its milliseconds. */
export const WireTime = Schema.String.check(
  Schema.makeFilter(
    (text: string) =>
      /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/iu.test(text) &&
      !Number.isNaN(Date.parse(text)),
    { expected: "an RFC 3339 time" }
  )
)

export const isSuccess = ({ status }: TransportAnswer): boolean => status >= 200 && status < 300

const jsonReaders = new WeakMap<object, (text: string) => Result.Result<unknown, Schema.SchemaError>>()

/** Reads a text of JSON. The reader of a schema is made once. */
export const fromJson = <A>(schema: Schema.Decoder<A>, text: string): Result.Result<A, Schema.SchemaError> => {
  const known = jsonReaders.get(schema)
  const read = known ?? Schema.decodeUnknownResult(Schema.fromJsonString(schema))
  if (known === undefined) jsonReaders.set(schema, read)
  return read(text) as Result.Result<A, Schema.SchemaError>
}

type Read<A> = Result.Result<A, Unanswered>

/**
 * Of one provider. `reason`: says of an unreadable answer where the reading stopped, in names of the provider's fields; "" for
 * the whole.
 */
export const answerReader = (provider: string, reason: (status: number, field: string) => string) => {
  const unreadable = ({ status }: TransportAnswer, field: string): Read<never> =>
    Result.fail(new Unanswered({ reason: reason(status, field) }))

  /** Its status says nothing of what became of the request. */
  const unsettling = ({ status }: TransportAnswer): Read<never> =>
    Result.fail(new Unanswered({ reason: `${provider} responded with status ${status}, so the result is unknown` }))

  /** It shows the name of a field, and never a value. */
  const readable = <A>(schema: Schema.Decoder<A>, answer: TransportAnswer): Read<A> => {
    const result = fromJson(schema, answer.body)
    return Result.isSuccess(result) ? Result.succeed(result.success) : unreadable(answer, fieldOf(result.failure))
  }

  const onlySuccess = <A>(answer: TransportAnswer, read: () => Read<A>): Read<A> =>
    isSuccess(answer) ? read() : unsettling(answer)

  /** What an answer states, or the field that cannot be understood. */
  const settled = <State>(answer: TransportAnswer, state: State | string): Read<State> =>
    typeof state === "string" ? unreadable(answer, state) : Result.succeed(state)

  /** It is about another attempt than was asked for: it settles nothing, and is passed on as that attempt's. */
  const ofAnother = (state: Read<ChargeState>, attemptId: string, reason: string): Read<never> =>
    Result.flatMap(state, (state) => Result.fail(new Unanswered({ reason, ofAnother: { attemptId, state } })))

  return { ofAnother, onlySuccess, readable, settled, unreadable, unsettling }
}

/** `https://pay.example` for `https://pay.example//`. Linear in the length of the text, as `replace(/\/+$/)` is not. */
export const withoutTrailingSlashes = (url: string): string => {
  let end = url.length
  while (url[end - 1] === "/") end--
  return url.slice(0, end)
}
