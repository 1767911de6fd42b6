/** Who may call what. */
import type { ApiKey, Scope, Tenant, Workspace } from "@pointsman/core"
import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import { errors, tooManyRequests } from "./ErrorSchemas.ts"

/** The scope that an endpoint requires: an annotation. An endpoint with a key and without a scope is a mistake. */
export class RequiredScope extends Context.Service<RequiredScope, Scope>()("pointsman/http/RequiredScope") {}

/** The largest body that an endpoint takes, in bytes: an annotation, of those that take more than others do. */
export const BodyLimit = Context.Reference<number>("pointsman/http/BodyLimit", { defaultValue: () => bytesPerRequest })

/** A body counts as one request for each so many of its bytes. */
export const bytesPerRequest = 16_384

/** Whom the key of the request belongs to. */
export class CurrentCaller extends Context.Service<
  CurrentCaller,
  { readonly tenant: Tenant; readonly workspace: Workspace; readonly apiKey: ApiKey }
>()("pointsman/http/CurrentCaller") {}

const bearer = HttpApiSecurity.bearer.pipe(
  HttpApiSecurity.annotateMerge(
    OpenApi.annotations({
      format: "ps_test_… or ps_live_…",
      description:
        "An API key. Use it only on your server. A `ps_test_` key accesses the sandbox, a `ps_live_` key " +
        "production. Each operation lists the scopes that it requires; a key without a list of scopes has " +
        "all scopes."
    })
  )
)

export class Authorization extends HttpApiMiddleware.Service<Authorization, { provides: CurrentCaller }>()(
  "pointsman/http/Authorization",
  {
    security: { bearer },
    error: [
      ...errors("unauthorized", "workspace_suspended", "insufficient_scope", "internal_error"),
      tooManyRequests("rate_limited")
    ]
  }
) {}

/** As `Authorization`, for white-label partners with a live key. */
export class PartnerAuthorization extends HttpApiMiddleware.Service<
  PartnerAuthorization,
  { provides: CurrentCaller }
>()("pointsman/http/PartnerAuthorization", {
  security: { bearer },
  error: [
    ...errors(
      "unauthorized",
      "workspace_suspended",
      "insufficient_scope",
      "live_key_required",
      "not_a_partner",
      "internal_error"
    ),
    tooManyRequests("rate_limited", "merchant_limit")
  ]
}) {}
