/** What adapters share in reading what a provider wrote. */
import { Result, Schema, SchemaIssue } from "effect"
import { Unanswered } from "../model/ProviderStatement.ts"
import type { TransportAnswer } from "./Transport.ts"

const issues = SchemaIssue.makeFormatterStandardSchemaV1()

/** Where a reading stopped, in names of fields, the outermost first; empty for the whole. */
export const pathOf = ({ issue }: Schema.SchemaError): ReadonlyArray<string> =>
  issues(issue).issues[0]?.path?.map(String) ?? []

/** The same as one text (`data.object.id`). It never shows a value. */
export const fieldOf = (error: Schema.SchemaError): string => pathOf(error).join(".")

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

/** `reason`: says of an unreadable answer where the reading stopped, in names of the provider's fields; "" for the whole. */
export const answerReader = (reason: (status: number, field: string) => string) => {
  const unreadable = ({ status }: TransportAnswer, field: string): Result.Result<never, Unanswered> =>
    Result.fail(new Unanswered({ reason: reason(status, field) }))

  /** It shows the name of a field, and never a value. */
  const readable = <A>(
    read: (text: string) => Result.Result<A, Schema.SchemaError>,
    answer: TransportAnswer
  ): Result.Result<A, Unanswered> => {
    const result = read(answer.body)
    return Result.isSuccess(result) ? Result.succeed(result.success) : unreadable(answer, fieldOf(result.failure))
  }

  return { readable, unreadable }
}

/** `https://pay.example` for `https://pay.example//`. Linear in the length of the text, as `replace(/\/+$/)` is not. */
export const withoutTrailingSlashes = (url: string): string => {
  let end = url.length
  while (url[end - 1] === "/") end--
  return url.slice(0, end)
}
