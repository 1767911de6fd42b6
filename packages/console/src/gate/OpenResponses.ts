/**
 * How many responses that last an operator has at once in this process. Each holds a connection, and each export a page of
 * payments.
 */
import { InProcess } from "@pointsman/http"
import { Context, Effect, Layer } from "effect"
import { failure } from "../api/Errors.ts"
import { CurrentOperator } from "./Caller.ts"

/** A browser opens six connections to a host over HTTP/1.1: pages must get one while streams of changes hold others. */
const atMost = { changes: 4, export: 2 } as const
type Kind = keyof typeof atMost

const refusals = {
  changes: failure(
    "too_many_requests",
    "Too many pages of this operator follow changes. They ask again by themselves."
  ),
  export: failure("too_many_requests", "Two of your exports are running. Wait until one of them is complete.")
}

export class OpenResponses extends Context.Service<OpenResponses, Map<string, number>>()(
  "pointsman/console/OpenResponses"
) {}

export const layer = Layer.sync(OpenResponses, () => new Map())

/** Until the scope of the request closes, which is when its response ended. */
export const openResponse = Effect.fnUntraced(function* (kind: Kind) {
  const { operator } = yield* CurrentOperator
  const open = yield* OpenResponses
  yield* InProcess.takePlace(open, `${kind} ${operator.id}`, atMost[kind], refusals[kind])
})
