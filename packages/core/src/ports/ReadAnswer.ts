/** What adapters share in reading a provider's answer. One that is not as described means nothing. */
import { Result, type Schema } from "effect"
import { Unanswered } from "../model/ProviderStatement.ts"
import type { TransportAnswer } from "./Transport.ts"
import { fieldOf } from "./WireFields.ts"

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
