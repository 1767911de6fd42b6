/** From the cookie to the operator, and to what the role allows. */
import { Pointsman } from "@pointsman/core"
import { AuditActor, type SignedIn } from "@pointsman/core/ports"
import { InProcess, RateLimit } from "@pointsman/http"
import { evidenceBodyBytes } from "@pointsman/http/api"
import { Effect, Layer, type Schema, SchemaAST } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { accessOf } from "../api/ConsoleApi.ts"
import { failure, internalError } from "../api/Errors.ts"
import { Authorize } from "../api/Parts.ts"
import { refusalOf } from "./Access.ts"
import { CurrentOperator } from "./Caller.ts"
import { readCookie } from "./Cookie.ts"
import { ConsoleSettings } from "./Settings.ts"

const notSignedIn = failure("not_signed_in", "Sign in first: there is no session, or it ended.")

/** The session of the request's cookie. */
export const currentSession = Effect.gen(function* () {
  const { operators } = yield* Pointsman
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const token = readCookie(headers["cookie"], yield* ConsoleSettings)
  if (token === undefined) return yield* Effect.fail(notSignedIn)
  return yield* operators.session(token).pipe(
    Effect.catchTags({
      "pointsman/NotSignedIn": () => Effect.fail(notSignedIn),
      "pointsman/StorageError": internalError
    })
  )
})

export const tooManyRequests = failure(
  "too_many_requests",
  "Too many requests of this operator. Try again in a second."
)

/** The session of a request that its operator may make now. */
export const admittedSession = Effect.gen(function* () {
  const signedIn = yield* currentSession
  const { take } = yield* RateLimit.OperatorRateLimit
  const request = yield* HttpServerRequest.HttpServerRequest
  const requests = InProcess.isEvidenceForm(request) ? RateLimit.requestsOf(request.headers, evidenceBodyBytes) : 1
  yield* Effect.mapError(take(signedIn.operator.id, requests), () => tooManyRequests)
  return signedIn
})

/** What follows is the operator's: the audit trail names it. */
export const asOperator =
  (signedIn: SignedIn) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, CurrentOperator>> =>
    effect.pipe(
      Effect.provideService(CurrentOperator, signedIn),
      Effect.provideService(AuditActor, signedIn.operator.login)
    )

const parametersOf = (query: Schema.Top | undefined): ReadonlyArray<string> => {
  const ast = query && SchemaAST.toEncoded(query.ast)
  return ast?._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []
}

/** What changes something runs to its end, also where its client goes away. */
export const layer = Layer.effect(
  Authorize,
  Effect.gen(function* () {
    const services = yield* Effect.context<Pointsman | ConsoleSettings>()
    const { requirePasskey } = yield* ConsoleSettings
    return Authorize.of((handler, { endpoint }) =>
      Effect.gen(function* () {
        const signedIn = yield* Effect.provideContext(admittedSession, services)
        const { workspace } = yield* HttpRouter.params
        const access = accessOf[endpoint.identifier as keyof typeof accessOf]
        const reason = refusalOf(signedIn, access, workspace, requirePasskey)
        if (reason !== undefined) return yield* Effect.fail(reason)
        yield* InProcess.refuseUnknownParameters(parametersOf(endpoint.query))
        const answer = asOperator(signedIn)(handler)
        return yield* endpoint.method === "GET" ? answer : Effect.uninterruptible(answer)
      })
    )
  })
)
