/**
 * The access token of a connection: requested when it is first needed, shared by all calls, and requested again shortly before
 * it ends or after PayPal refused it (https://developer.paypal.com/api/rest/authentication/).
 *
 * A request for a token moves no money, so that whatever becomes of it, the
 * call that needed it is `NotSent`. Calls that need a token at once share one request. A token is a secret, like the
 * credentials, and is in no error.
 */
import {
  BeginBy,
  type Clean,
  cleaner,
  fromJson,
  NotSent,
  type Transport,
  type TransportAnswer
} from "@pointsman/core/connector"
import { Clock, Deferred, Effect, Redacted, Result } from "effect"
import { Base64 } from "effect/encoding"
import type { Credentials } from "./Credentials.ts"
import * as Protocol from "./Protocol.ts"

export interface AccessToken {
  readonly header: Redacted.Redacted<string>
  /** The credentials and the token itself. */
  readonly secrets: ReadonlyArray<Redacted.Redacted<string>>
  /** Takes them out of PayPal's texts. */
  readonly clean: Clean
  /** Epoch milliseconds after which it is not used any more. */
  readonly usableUntil: number
}

export interface Tokens {
  readonly current: Effect.Effect<AccessToken, NotSent>
  /** PayPal refused it: the next call requests another one. Another token, which came meanwhile, is kept. */
  readonly drop: (token: AccessToken) => Effect.Effect<void>
}

/** A token is not used in its last minute, or in the last tenth of a short life: a request takes time. */
const usableMillis = (lifetimeSeconds: number): number => {
  const lifetime = Math.min(lifetimeSeconds, 24 * 60 * 60) * 1000
  return lifetime - Math.min(60_000, lifetime / 10)
}

const without = (reason: string): NotSent =>
  new NotSent({ reason: `nothing was sent to PayPal, because there is no access token: ${reason}` })

const tokenIn = (answer: TransportAnswer): Result.Result<Protocol.Token, NotSent> => {
  if (answer.status !== 200)
    return Result.fail(without(`the request for one was answered with status ${answer.status}`))
  return Result.mapError(fromJson(Protocol.Token, answer.body), () =>
    without("the answer to the request for one cannot be read")
  )
}

export const makeTokens = (
  transport: Transport["Service"],
  { baseUrl, clientId, clientSecret }: Credentials,
  timeoutMillis: number
): Tokens => {
  let known: AccessToken | undefined
  let asking: Deferred.Deferred<AccessToken, NotSent> | undefined

  const ask = Effect.gen(function* () {
    const basic = Base64.encode(`${clientId}:${Redacted.value(clientSecret)}`)
    const answer = yield* transport
      .send({
        method: "POST",
        url: `${baseUrl}/v1/oauth2/token`,
        headers: {
          accept: "application/json",
          "content-type": "application/x-www-form-urlencoded",
          authorization: `Basic ${basic}`
        },
        body: "grant_type=client_credentials",
        timeoutMillis
      })
      .pipe(
        Effect.mapError(({ _tag, reason }) =>
          without(_tag === "pointsman/NotSent" ? reason : "the request for one was not answered")
        ),
        // It is shared by calls of different ages, and each of them checks its own age afterwards.
        Effect.provideService(BeginBy, Number.POSITIVE_INFINITY)
      )
    const { access_token, expires_in } = yield* Effect.fromResult(tokenIn(answer))
    const secrets = [clientSecret, Redacted.make(access_token)]
    return {
      header: Redacted.make(`Bearer ${access_token}`),
      secrets,
      clean: cleaner(secrets),
      usableUntil: (yield* Clock.currentTimeMillis) + usableMillis(expires_in)
    }
  })

  /** In a fiber of its own: an interruption of the call that began it is none of the others' business. */
  const askOnce = Effect.suspend(() => {
    if (asking !== undefined) return Deferred.await(asking)
    const shared = Deferred.makeUnsafe<AccessToken, NotSent>()
    asking = shared
    const settle = ask.pipe(
      Effect.tap((token) =>
        Effect.sync(() => {
          known = token
        })
      ),
      Effect.onExit((exit) =>
        Effect.suspend(() => {
          asking = undefined
          return Deferred.done(shared, exit)
        })
      )
    )
    return Effect.andThen(Effect.forkDetach(settle), Deferred.await(shared))
  })

  return {
    current: Effect.flatMap(Clock.currentTimeMillis, (now) =>
      known !== undefined && now < known.usableUntil ? Effect.succeed(known) : askOnce
    ),
    drop: (token) =>
      Effect.sync(() => {
        if (known === token) known = undefined
      })
  }
}
