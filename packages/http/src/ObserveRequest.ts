/**
 * What is recorded of a request: how long it took, a span where spans are collected, and a line of the log where that
 * is switched on.
 *
 * Nothing from a request is exported. A path may hold the token of a
 * hosted page, a query anything at all, and a label that a stranger chooses makes a series. So the path is given by its
 * route alone, and one that no route has is not told.
 *
 * The span is by OpenTelemetry's conventions (https://opentelemetry.io/docs/specs/semconv/http/http-spans/), and
 * continues with the trace of a `traceparent` that the request has. Effect's own server span contains the path: a
 * program that serves these routes with a tracer switches it off by `HttpMiddleware.TracerDisabledWhen`.
 */
import { Metrics } from "@pointsman/core"
import { Clock, Context, Effect, Exit, Metric, Option, Tracer } from "effect"
import { HttpServerRequest, type HttpServerResponse, HttpTraceContext } from "effect/http"

const requestDurations = Metrics.durations("pointsman_http_request_duration_seconds", {
  description: "Request duration, by method, route and status; status `none` if the client disconnected first.",
  labels: ["method", "route", "status"]
})

const requestsInFlight = Metric.gauge("pointsman_http_requests_in_flight", {
  description: "Requests in flight."
})

export interface ObserveOptions {
  /** The route's path with the names of its parameters; `undefined` where no route has the URL. */
  readonly routeOf: (url: string) => string | undefined
  /** One line of the log for each request, at level Info. */
  readonly accessLog: boolean
}

/** Methods that have a name; of others a client could think up as many as it likes. */
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

export const observeRequest =
  ({ accessLog, routeOf }: ObserveOptions) =>
  <E, R>(
    requestId: string,
    handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
  ): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R | HttpServerRequest.HttpServerRequest> =>
    Effect.withFiber((fiber) => {
      const context: Context.Context<never> = fiber.context
      const request = Context.getUnsafe(context, HttpServerRequest.HttpServerRequest)
      const clock = Context.get(context, Clock.Clock)
      const method = methods.has(request.method) ? request.method : "_OTHER"
      const route = routeOf(request.url)
      const begun = clock.currentTimeNanosUnsafe()
      requestsInFlight.modifyUnsafe(1, context)
      const isTraced = Context.get(context, Tracer.Tracer) !== Tracer.nativeTracer
      return Effect.onExit(isTraced ? traced(request, method, route, handler) : handler, (exit) => {
        const seconds = Number(clock.currentTimeNanosUnsafe() - begun) / 1_000_000_000
        const status = Exit.isSuccess(exit) ? String(exit.value.status) : "none"
        requestsInFlight.modifyUnsafe(-1, context)
        requestDurations(method, route ?? "unmatched", status).updateUnsafe(seconds, context)
        if (!accessLog) return Effect.void
        const duration_ms = Math.round(seconds * 1_000)
        return Effect.logInfo("request").pipe(
          Effect.annotateLogs({ request_id: requestId, method, route: route ?? "unmatched", status, duration_ms })
        )
      })
    })

const traced = <E, R>(
  request: HttpServerRequest.HttpServerRequest,
  method: string,
  route: string | undefined,
  handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const attributes: Record<string, string> = { "http.request.method": method }
    const scheme = Option.getOrUndefined(HttpServerRequest.toURL(request))?.protocol.slice(0, -1)
    if (scheme !== undefined) attributes["url.scheme"] = scheme
    if (route !== undefined) {
      attributes["http.route"] = route
      attributes["url.path"] = pathOf(request.url, route)
    }
    const span = yield* Effect.makeSpan(route === undefined ? method : `${method} ${route}`, {
      kind: "server",
      attributes,
      parent: Option.getOrUndefined(HttpTraceContext.fromHeaders(request.headers))
    })
    return yield* handler.pipe(
      Effect.withParentSpan(span),
      Effect.onExit((exit) =>
        Effect.sync(() => {
          const now = clock.currentTimeNanosUnsafe()
          if (Exit.isFailure(exit)) {
            span.attribute("error.type", "aborted")
            return span.end(now, Exit.fail("aborted"))
          }
          const { status } = exit.value
          span.attribute("http.response.status_code", status)
          if (status < 500) return span.end(now, Exit.void)
          span.attribute("error.type", String(status))
          span.end(now, Exit.fail(String(status)))
        })
      )
    )
  })

const idOfOurs = /^(?:[a-z]{2,4}_)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u

/** The path, with what a client put in the place of a parameter only where that is an id as we make them. */
const pathOf = (url: string, route: string): string => {
  if (!route.includes(":") || route.includes("*")) return route
  const given = (/^[^?#]*/u.exec(url)?.[0] ?? "").split("/").filter((segment) => segment !== "")
  const named = route.split("/").filter((segment) => segment !== "")
  return named.reduce((path, segment, at) => {
    const value = given[at] ?? ""
    return `${path}/${segment.startsWith(":") && idOfOurs.test(value) ? value : segment}`
  }, "")
}
