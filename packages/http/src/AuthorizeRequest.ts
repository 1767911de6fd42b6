/** Authentication, workspace, scope and rate, in this order and before anything of the request is decoded. */
import { Pointsman } from "@pointsman/core"
import { Context, Effect, Layer, Redacted } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { Authorization, CurrentCaller, RequiredScope } from "./api/Authorization.ts"
import type { ErrorBody } from "./api/Errors.ts"
import { errorBodyOf } from "./ErrorTable.ts"
import { RateLimit } from "./RateLimit.ts"
import { report } from "./Report.ts"

const suspended: ErrorBody<"workspace_suspended"> = {
  error: { code: "workspace_suspended", message: "The workspace is suspended." }
}

const insufficientScope = (scope: string): ErrorBody<"insufficient_scope"> => ({
  error: { code: "insufficient_scope", message: `The API key lacks the scope ${scope}.` }
})

const rateLimited = (retryAfterSeconds: number) =>
  HttpApiSchema.withHeaders({
    body: {
      error: {
        code: "rate_limited" as const,
        message: `Too many requests with this key. Try again in ${retryAfterSeconds} s.`
      }
    },
    headers: { "retry-after": String(retryAfterSeconds) }
  })

const authorize = Effect.fnUntraced(function* (
  credential: Redacted.Redacted<string>,
  annotations: Context.Context<never>
) {
  const pointsman = yield* Pointsman
  const holder = yield* pointsman.authenticate(Redacted.value(credential)).pipe(
    Effect.tapError((failure) => (failure._tag === "pointsman/StorageError" ? report(failure) : Effect.void)),
    Effect.mapError((failure) => errorBodyOf("authenticate", failure))
  )
  if (holder.workspace.suspended) return yield* Effect.fail(suspended)
  const scope = Context.getUnsafe(annotations, RequiredScope)
  const { scopes } = holder.apiKey
  if (scopes !== null && !scopes.includes(scope)) return yield* Effect.fail(insufficientScope(scope))
  const rateLimit = yield* RateLimit
  yield* rateLimit
    .take(holder.apiKey)
    .pipe(Effect.mapError((exceeded) => rateLimited(Math.max(1, Math.ceil(exceeded.retryAfterMillis / 1000)))))
  return CurrentCaller.of({
    tenant: { workspaceId: holder.workspace.id, environment: holder.apiKey.environment },
    workspace: holder.workspace,
    apiKey: holder.apiKey
  })
})

export const layer: Layer.Layer<Authorization, never, Pointsman> = Layer.effect(
  Authorization,
  Effect.gen(function* () {
    const services = Context.pick(Pointsman)(yield* Effect.context<Pointsman>())
    const rateLimit = yield* RateLimit
    return Authorization.of({
      bearer: (handler, { credential, endpoint }) =>
        authorize(credential, endpoint.annotations).pipe(
          Effect.provideService(RateLimit, rateLimit),
          Effect.provideContext(services),
          Effect.flatMap((caller) => Effect.provideService(handler, CurrentCaller, caller))
        )
    })
  })
)
