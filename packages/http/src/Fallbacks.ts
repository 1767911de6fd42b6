/**
 * What surrounds every route: the request's id, and the error envelope for whatever no handler answered (an
 * unknown route, a method that a path does not have, a defect).
 */
import { Ids } from "@pointsman/core/ports"
import { Cause, Effect, type Layer, type Types } from "effect"
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { type About, errorAnswer, withReferences } from "./ErrorAnswer.ts"
import { observeRequest } from "./ObserveRequest.ts"
import { repeatedHeaders, withoutRepeated } from "./RepeatedHeaders.ts"
import { RequestId } from "./Report.ts"
import { isTooLong, makeRoutes, type Paths, type Routes } from "./Routes.ts"

/**
 * Global to the router: it covers the server's own routes too. `otherPaths` are those, so that a wrong method on
 * them is 405 as well.
 */
export const layer = (
  otherPaths: Paths = {},
  options: {
    readonly accessLog?: boolean | undefined
    readonly isHttps?: boolean
    readonly errorsPage?: string | undefined
  } = {}
): Layer.Layer<
  HttpRouter.Request<"Requires", RequestId> | HttpRouter.Request<"GlobalRequires", RequestId>,
  never,
  HttpRouter.HttpRouter | Ids
> =>
  HttpRouter.middleware<{ provides: RequestId }>()(
    Effect.gen(function* () {
      const ids = yield* Ids
      const routes = makeRoutes(otherPaths)
      const observe = observeRequest({
        routeOf: (url) => routes.find(url)?.path,
        accessLog: options.accessLog ?? false
      })
      return (handler) =>
        Effect.flatMap(ids.request, (requestId) => {
          const about: About = { requestId, page: options.errorsPage }
          return observe(
            requestId,
            checkRequest(routes, handler, about).pipe(
              Effect.catchCause((cause) => fallback(cause, routes.allowedAt, about)),
              Effect.annotateLogs("request_id", requestId),
              Effect.provideService(RequestId, requestId),
              Effect.flatMap((response) => finish(response, about, options.isHttps ?? false))
            )
          )
        })
    }),
    { global: true }
  )

/** Before the router reads the URL, and before an endpoint reads the headers. */
const checkRequest = <E, R>(
  routes: Routes,
  handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  about: About
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R | HttpServerRequest.HttpServerRequest> =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    if (isTooLong(request.url)) {
      return Effect.succeed(errorAnswer("uri_too_long", "The path or the query of the URL is too long.", about))
    }
    if (routes.isMisspelled(request.url)) return Effect.succeed(noRoute(undefined, about))
    const repeated = repeatedHeaders(request)
    if (repeated.size === 0) return handler
    if (repeated.has("host") || repeated.has("content-type")) {
      return Effect.succeed(
        errorAnswer("invalid_request", "`Host` and `Content-Type` must not be sent more than once.", about)
      )
    }
    return Effect.provideService(handler, HttpServerRequest.HttpServerRequest, withoutRepeated(request, repeated))
  })

/** The references are added to errors of the API only, because other routes of the router have bodies of their own. */
const finish = (
  response: HttpServerResponse.HttpServerResponse,
  about: About,
  isHttps: boolean
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest> =>
  response.status < 400
    ? Effect.succeed(withHeaders(response, about, isHttps))
    : Effect.map(HttpServerRequest.HttpServerRequest, ({ url }) =>
        withHeaders(url.startsWith("/api/v1/") ? withReferences(response, about) : response, about, isHttps)
      )

/** The body shows whether a response already has the envelope: only ours are JSON. */
const withHeaders = (
  response: HttpServerResponse.HttpServerResponse,
  about: About,
  isHttps: boolean
): HttpServerResponse.HttpServerResponse => {
  const answer =
    response.status === 415 && response.headers["content-type"] !== "application/json"
      ? errorAnswer("unsupported_media_type", "The body must be sent as `Content-Type: application/json`.", about)
      : response
  const headers: Record<string, string> = { "x-request-id": about.requestId, "x-content-type-options": "nosniff" }
  // Answers are about payments. Static files say how long they may be kept.
  if (answer.headers["cache-control"] === undefined) headers["cache-control"] = "no-store"
  if (isHttps) headers["strict-transport-security"] = "max-age=31536000"
  // RFC 9110, section 15.5.2: an answer 401 names the scheme.
  if (answer.status === 401) headers["www-authenticate"] = "Bearer"
  // The rest of the body is not read, so the connection cannot be used again.
  if (answer.status === 413) headers["connection"] = "close"
  return HttpServerResponse.setHeaders(answer, headers)
}

const fallback = (
  cause: Cause.Cause<Types.unhandled>,
  allowed: (url: string) => string | undefined,
  about: About
): Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled, HttpServerRequest.HttpServerRequest> => {
  // The client went away, or the server is shutting down: no client waits for the response.
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
  const failure = Cause.squash(cause)
  if (HttpServerError.isHttpServerError(failure)) {
    switch (failure.reason._tag) {
      case "RouteNotFound":
        return Effect.map(HttpServerRequest.HttpServerRequest, (request) => noRoute(allowed(request.url), about))
      case "RequestParseError":
        return Effect.succeed(
          failure.reason.reason === "BodyTooLarge"
            ? errorAnswer("payload_too_large", "The body is too large.", about)
            : errorAnswer("invalid_json", "The body could not be read.", about)
        )
    }
  }
  const answer = errorAnswer("internal_error", serverFailed, about)
  return Effect.as(Effect.logError("unexpected failure of a request", cause), answer)
}

export const serverFailed = "Internal server error."

const noRoute = (allow: string | undefined, about: About): HttpServerResponse.HttpServerResponse =>
  allow === undefined
    ? errorAnswer("not_found", "Route not found.", about)
    : HttpServerResponse.setHeader(
        errorAnswer("method_not_allowed", `This path allows only ${allow}.`, about),
        "allow",
        allow
      )
