/** One call to PayPal: with the shared token, and our id as `PayPal-Request-Id`. */
import {
  type Clean,
  cleaner,
  fromJson,
  type JsonCall,
  jsonCaller,
  type NotSent,
  type Transport,
  type TransportAnswer,
  type Unanswered
} from "@pointsman/core/connector"
import { Effect, Redacted, Result } from "effect"
import type { Read } from "./Answers.ts"
import type { Credentials } from "./Credentials.ts"
import * as Protocol from "./Protocol.ts"
import { type AccessToken, makeTokens } from "./Tokens.ts"

export interface PayPalCall extends JsonCall {
  /** A secret of the body, besides those of the connection. */
  readonly secret?: Redacted.Redacted<string>
}

/** `clean`: takes the secrets out of PayPal's texts, among them the token that the call was made with. */
export type Call = <A>(
  call: PayPalCall,
  read: (answer: TransportAnswer, clean: Clean) => Read<A>
) => Effect.Effect<A, NotSent | Unanswered>

/** A page of 500 transactions, in bytes. */
const pageBytesAtMost = 8 * 1024 * 1024

export const makeCall = (transport: Transport["Service"], credentials: Credentials, timeoutMillis: number): Call => {
  const { baseUrl } = credentials
  const tokens = makeTokens(transport, credentials, timeoutMillis)
  const send = (call: JsonCall, { header }: AccessToken) =>
    jsonCaller(
      transport,
      { baseUrl, keyHeader: "paypal-request-id", timeoutMillis, maxAnswerBytes: pageBytesAtMost },
      Effect.sync(() => ({
        authorization: Redacted.value(header),
        // Also without a body: PayPal answers 415 without it.
        "content-type": "application/json",
        // Else the answer to a charge has no amounts.
        prefer: "return=representation"
      }))
    )(call, Result.succeed)

  return Effect.fnUntraced(function* ({ secret, ...call }, read) {
    const cleanOf = ({ clean, secrets }: AccessToken) => (secret === undefined ? clean : cleaner([...secrets, secret]))
    const token = yield* tokens.current
    const answer = yield* send(call, token)
    // Whatever a 401 is about, the next call asks for a token of its own.
    if (answer.status === 401) yield* tokens.drop(token)
    if (!isTokenRefused(answer)) return yield* Effect.fromResult(read(answer, cleanOf(token)))
    // PayPal refused the token at its door, so that nothing was executed: once more, with another token and the same id.
    const next = yield* tokens.current
    return yield* Effect.fromResult(read(yield* send(call, next), cleanOf(next)))
  })
}

/**
 * "The API endpoint issues this status code when it detects an expired token"
 * (https://developer.paypal.com/docs/api/get-an-access-token-curl/), with an error of OAuth (RFC 6750, section 3.1) in
 * the body. A 401 without that has another cause or another sender.
 */
const isTokenRefused = ({ body, status }: TransportAnswer): boolean =>
  status === 401 && Result.isSuccess(fromJson(Protocol.TokenRefusal, body))
