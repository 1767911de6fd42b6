/**
 * Authentication, workspace, scope and rate, in this order and before anything of the request is decoded. Partner
 * endpoints ask for more, among the answers 403: a suspended workspace hears of nothing else; then a test key, whatever
 * its scopes, since no scope would help it; then the scope; and a key that could do it hears at last that its workspace
 * is no partner.
 */
import { Pointsman, type Scope } from "@pointsman/core"
import type { KeyHolder } from "@pointsman/core/ports"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiSchema } from "effect/http-api"
import { insufficientScope, liveKeyRequired, notAPartner, rateLimited, suspended } from "./AccessErrors.ts"
import { Authorization, BodyLimit, CurrentCaller, PartnerAuthorization, RequiredScope } from "./api/Authorization.ts"
import type { ErrorBody } from "./api/Errors.ts"
import { errorBodyOf } from "./ErrorTable.ts"
import { FailureLimit, type RateExceeded, RateLimit, requestsOf } from "./RateLimit.ts"
import { report } from "./Report.ts"

/**
 * Who a request comes from, for limits by source: the address that the connection comes from. A server behind proxies
 * that it trusts provides another one, and so does a program whose requests show no address: those are one source.
 */
export const Source = Context.Reference<(request: HttpServerRequest.HttpServerRequest) => string>(
  "pointsman/http/Source",
  { defaultValue: () => (request) => Option.getOrElse(request.remoteAddress, () => "") }
)

/**
 * Whether a request comes from one of these networks: IP addresses and CIDR ranges, as a key names them. The runtime
 * compares addresses, so the server provides it; without it, no request comes from any network.
 */
export const ComesFrom = Context.Reference<
  (request: HttpServerRequest.HttpServerRequest, networks: ReadonlyArray<string>) => boolean
>("pointsman/http/ComesFrom", { defaultValue: () => () => false })

/** What the holder of a good key is refused for; `undefined` when the request is allowed. */
type Refuse<Refusal> = (holder: KeyHolder, scope: Scope) => Refusal | undefined

const refuseWorkspace = ({ workspace }: KeyHolder) => (workspace.suspended ? suspended : undefined)

const refuseScope = ({ apiKey: { scopes } }: KeyHolder, scope: Scope) =>
  scopes === null || scopes.includes(scope) ? undefined : insufficientScope(scope)

const refuseMerchant: Refuse<ErrorBody<"workspace_suspended" | "insufficient_scope">> = (holder, scope) =>
  refuseWorkspace(holder) ?? refuseScope(holder, scope)

const refusePartner: Refuse<
  ErrorBody<"workspace_suspended" | "live_key_required" | "insufficient_scope" | "not_a_partner">
> = (holder, scope) =>
  refuseWorkspace(holder) ??
  (holder.apiKey.environment === "production" ? undefined : liveKeyRequired) ??
  refuseScope(holder, scope) ??
  (holder.workspace.partner === null ? notAPartner : undefined)

const waitFirst = (retryAfterSeconds: number) =>
  HttpApiSchema.withHeaders({
    body: rateLimited(retryAfterSeconds),
    headers: { "retry-after": String(retryAfterSeconds) }
  })

const tooManyWrongKeys = (retryAfterSeconds: number): ErrorBody<"rate_limited"> => ({
  error: {
    code: "rate_limited",
    message: `Too many requests from this address without a valid key. Try again in ${retryAfterSeconds} s.`
  }
})

const secondsOf = ({ retryAfterMillis }: RateExceeded): number => Math.max(1, Math.ceil(retryAfterMillis / 1000))

/** Authorizes by the services that are at hand when the layer is built. */
const makeAuthorize = Effect.gen(function* () {
  const pointsman = yield* Pointsman
  const rateLimit = yield* RateLimit
  const failureLimit = yield* FailureLimit
  const sourceOf = yield* Source
  const comesFrom = yield* ComesFrom

  /** A right key from the same source is never refused for it. */
  const countWrongKey = (request: HttpServerRequest.HttpServerRequest) =>
    failureLimit.count("key", sourceOf(request)).pipe(
      Effect.mapError((exceeded) => {
        const seconds = secondsOf(exceeded)
        return HttpApiSchema.withHeaders({
          body: tooManyWrongKeys(seconds),
          headers: { "retry-after": String(seconds) }
        })
      })
    )

  return Effect.fnUntraced(function* <Refusal>(
    refuse: Refuse<Refusal>,
    credential: Redacted.Redacted<string>,
    annotations: Context.Context<never>
  ) {
    const request = yield* HttpServerRequest.HttpServerRequest
    const isAllowed = (networks: ReadonlyArray<string>) => comesFrom(request, networks)
    const holder = yield* pointsman.authenticate(Redacted.value(credential), isAllowed).pipe(
      Effect.catch(
        Effect.fnUntraced(function* (failure) {
          if (failure._tag === "pointsman/StorageError") yield* report(failure)
          else yield* countWrongKey(request)
          return yield* Effect.fail(errorBodyOf("authenticate", failure))
        })
      )
    )
    const refusal = refuse(holder, Context.getUnsafe(annotations, RequiredScope))
    if (refusal !== undefined) return yield* Effect.fail(refusal)
    const requests = requestsOf(request.headers, Context.get(annotations, BodyLimit))
    yield* rateLimit.take(holder.apiKey, requests).pipe(Effect.mapError((exceeded) => waitFirst(secondsOf(exceeded))))
    return CurrentCaller.of({
      tenant: { workspaceId: holder.workspace.id, environment: holder.apiKey.environment },
      workspace: holder.workspace,
      apiKey: holder.apiKey
    })
  })
})

const layerMerchant = Layer.effect(
  Authorization,
  Effect.map(makeAuthorize, (authorize) =>
    Authorization.of({
      bearer: (handler, { credential, endpoint }) =>
        Effect.flatMap(authorize(refuseMerchant, credential, endpoint.annotations), (caller) =>
          Effect.provideService(handler, CurrentCaller, caller)
        )
    })
  )
)

const layerPartner = Layer.effect(
  PartnerAuthorization,
  Effect.map(makeAuthorize, (authorize) =>
    PartnerAuthorization.of({
      bearer: (handler, { credential, endpoint }) =>
        Effect.flatMap(authorize(refusePartner, credential, endpoint.annotations), (caller) =>
          Effect.provideService(handler, CurrentCaller, caller)
        )
    })
  )
)

export const layer: Layer.Layer<Authorization | PartnerAuthorization, never, Pointsman> = Layer.merge(
  layerMerchant,
  layerPartner
)
