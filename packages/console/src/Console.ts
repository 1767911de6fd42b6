/**
 * The console as a function from `Request` to `Response`:
 *
 * ```ts
 * const console = Console.make({ mount: "/console" }, pointsman)
 * const response = await console.handler(request)
 * ```
 *
 * `pointsman` is a layer of `Pointsman` and of the storage's `Directory`; the storage has to keep operators.
 */
import type { OperatorRole, Pointsman, RefundLimits } from "@pointsman/core"
import { AuditVia, type Directory, withStaleReads } from "@pointsman/core/ports"
import { InProcess } from "@pointsman/http"
import { ByteSize, Cause, Context, Effect, Layer, type Types } from "effect"
import {
  HttpIncomingMessage,
  HttpRouter,
  HttpServer,
  HttpServerError,
  HttpServerRequest,
  HttpServerResponse
} from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import * as AccountHandlers from "./account/AccountHandlers.ts"
import { signInPages } from "./account/SignInPages.ts"
import { ConsoleApi } from "./api/ConsoleApi.ts"
import * as DeskHandlers from "./api/DeskHandlers.ts"
import { type ConsoleCode, consoleCodes, failure } from "./api/Errors.ts"
import { auditPages } from "./audit/AuditPages.ts"
import { connectionFormPages } from "./connections/ConnectionFormPages.ts"
import { connectionPages } from "./connections/ConnectionPages.ts"
import * as DayDesk from "./day/DayDesk.ts"
import { dayPages } from "./day/DayPages.ts"
import { answerPages } from "./disputes/AnswerPages.ts"
import { disputePages } from "./disputes/DisputePages.ts"
import { files } from "./frame/Files.ts"
import { environmentAreas, pathOfChoice } from "./frame/Navigation.ts"
import { type Answer, firstOf, openPage, page } from "./frame/Page.ts"
import * as Authorize from "./gate/Authorize.ts"
import { crossSite, isCrossSite, withHeaders } from "./gate/CrossSite.ts"
import * as OpenResponses from "./gate/OpenResponses.ts"
import {
  ConsoleSettings,
  mountExpected,
  parseMount,
  pathUnder,
  RequestOrigin,
  RequestSource,
  type Settings,
  Stopping
} from "./gate/Settings.ts"
import { keyPages } from "./keys/KeyPages.ts"
import { livePages } from "./live/LivePages.ts"
import * as TenantChanges from "./live/TenantChanges.ts"
import { messagePages } from "./messages/MessagePages.ts"
import { makeOidcClient, type OidcOptions } from "./oidc/OidcClient.ts"
import { oidcPages } from "./oidc/OidcPages.ts"
import { operatorLinkPages } from "./operators/OperatorLinkPages.ts"
import { operatorPages } from "./operators/OperatorPages.ts"
import { partnerPages } from "./partners/PartnerPages.ts"
import { passkeyPages } from "./passkeys/PasskeyPages.ts"
import { actPages } from "./payments/ActPages.ts"
import { listPages } from "./payments/ListPages.ts"
import { paymentPages } from "./payments/PaymentPages.ts"
import * as RequestFaults from "./RequestFaults.ts"
import { booksPages } from "./reconciliation/BooksPages.ts"
import { differencePages } from "./reconciliation/DifferencePages.ts"
import { payoutPage } from "./reconciliation/PayoutPage.ts"
import { payoutPages } from "./reconciliation/PayoutPages.ts"
import { reportPages } from "./reconciliation/ReportPages.ts"
import { runPages } from "./reconciliation/RunPages.ts"
import { evidencePages } from "./reviews/EvidencePages.ts"
import { reviewPages } from "./reviews/ReviewPages.ts"
import { historyPages } from "./routing/HistoryPages.ts"
import { previewPages } from "./routing/PreviewPages.ts"
import { routingFormPages } from "./routing/RoutingFormPages.ts"
import { routingPages } from "./routing/RoutingPages.ts"
import { deliveryPages } from "./webhooks/DeliveryPages.ts"
import { endpointFormPages } from "./webhooks/EndpointFormPages.ts"
import { endpointPages } from "./webhooks/EndpointPages.ts"
import { webhookPages } from "./webhooks/WebhookPages.ts"

export interface ConsoleOptions {
  /** The path of the console in a request's URL; `/` for a host of its own. */
  readonly mount: string
  /** What browsers see before `mount`, and requests do not have: a proxy or a framework takes it off. */
  readonly basePath?: string | undefined
  /**
   * Whether browsers reach it by https; by the request's own URL unless set. A server behind a proxy that ends TLS has to
   * set it.
   */
  readonly isSecure?: boolean | undefined
  /** Signing in by OpenID Connect; only by links, passwords and passkeys unless set. */
  readonly oidc?: OidcOptions | undefined
  /** Operators with one of these roles in any workspace need a passkey, or OpenID Connect; none unless set. */
  readonly requirePasskey?: ReadonlyArray<OperatorRole> | undefined
  /**
   * Minor units by currency: what one operator gives back of a payment. A refund above it is sent once another operator
   * approves it. A currency that is not named has no limit.
   */
  readonly refundLimits?: RefundLimits | undefined
  /**
   * How long a sign-in counts as recent: 10 minutes unless set. Keys, operators, the removal of passkeys, approvals, and
   * refunds above `refunds` take one.
   */
  readonly recentSignIn?:
    | { readonly minutes?: number | undefined; readonly refunds?: RefundLimits | undefined }
    | undefined
  /** Aborts when the program is about to stop: exports and streams of changes end at once. `dispose` ends them as well. */
  readonly stopping?: AbortSignal | undefined
}

/** What the server knows of a request besides what it says. */
export interface From {
  /** Whom it comes from, for the limit of sign-ins: an address. Requests without it are one source. */
  readonly source?: string | undefined
}

export interface Console {
  readonly handler: (request: Request, from?: From) => Promise<Response>
  /** Also ends responses that are streams. */
  readonly dispose: () => Promise<void>
}

/** Requests of the console are small. */
export const maxBodyBytes = 16_384

/** No page has a longer path. To find a route, the router takes the square of a path's length in time where it is escaped. */
const maxPathCharacters = 2_000

/**
 * One application for https and one for http, because the cookie's name depends on it; most programs make one. Throws
 * where `mount` or `basePath` is not a path.
 */
export const make = (options: ConsoleOptions, services: Layer.Layer<Pointsman | Directory, unknown>): Console => {
  const mount = checkMount("mount", options.mount)
  const shownMount = `${checkMount("basePath", options.basePath ?? "/")}${mount}`
  const memoMap = Layer.makeMemoMapUnsafe()
  const oidc = options.oidc === undefined ? undefined : makeOidcClient(options.oidc)
  const { refundLimits = {}, requirePasskey = [] } = options
  const { minutes = 10, refunds = {} } = options.recentSignIn ?? {}
  const recentSignIn = { minutes, refunds }
  const made = new Map<boolean, ReturnType<typeof application>>()
  const disposing = new AbortController()
  const stopping = AbortSignal.any([disposing.signal, ...(options.stopping === undefined ? [] : [options.stopping])])
  const of = (isSecure: boolean) => {
    const found =
      made.get(isSecure) ??
      application(
        { isSecure, mount: shownMount, oidc, recentSignIn, refundLimits, requirePasskey },
        services,
        memoMap,
        stopping
      )
    made.set(isSecure, found)
    return found
  }
  return {
    handler: async (request, { source = "" } = {}) => {
      const url = new URL(request.url)
      const host = request.headers.get("host") ?? url.host
      if (isCrossSite(request, host)) return withHeaders(crossSite())
      const path = pathUnder(mount, url.pathname)
      if (path === undefined) return withHeaders(Response.json(outside, { status: 404 }))
      if (path.length > maxPathCharacters) return withHeaders(Response.json(noRoute, { status: 404 }))
      const isSecure = options.isSecure ?? url.protocol === "https:"
      const { handler } = of(isSecure)
      // As browsers write it, without the port of the scheme.
      const origin = URL.parse(`${isSecure ? "https" : "http"}://${host}`)?.origin ?? url.origin
      // The routes do not know where they are mounted.
      url.pathname = withoutSlash(path)
      const response = await handler(
        new Request(url, request),
        Context.make(RequestSource, source).pipe(Context.add(RequestOrigin, origin))
      )
      // Of `fetch`, headers may be immutable.
      return withHeaders(new Response(response.body, response))
    },
    dispose: async () => {
      disposing.abort()
      for (const { dispose } of made.values()) await dispose()
    }
  }
}

const checkMount = (field: string, text: string): string => {
  const mount = parseMount(text)
  if (mount === undefined) throw new TypeError(`${field}: expected ${mountExpected}`)
  return mount
}

/** Some frameworks redirect to paths with a slash at the end. */
const withoutSlash = (path: string): string => (path === "/" ? path : path.replace(/\/$/u, ""))

const outside = failure("not_found", "This path is outside of the console's mount path.")
const noRoute = failure("not_found", "Route not found.")

/** They lead to others. */
const startPages = [
  page("GET", "/", "signedIn", () => Effect.succeed<Answer>({ redirect: "/day" })),
  page("GET", "/go", "signedIn", ({ query }) => Effect.succeed<Answer>({ redirect: pathOfChoice(query) })),
  ...environmentAreas.map((area) => page("GET", `/${area}`, "signedIn", () => firstOf(area)))
]

/** Every page and form, each with its method and its path under the mount. */
export const pages = [
  ...startPages,
  ...signInPages,
  ...oidcPages,
  ...passkeyPages,
  ...dayPages,
  ...listPages,
  ...paymentPages,
  ...actPages,
  ...reviewPages,
  ...evidencePages,
  ...disputePages,
  ...answerPages,
  ...runPages,
  ...reportPages,
  ...differencePages,
  ...payoutPages,
  ...payoutPage,
  ...booksPages,
  ...messagePages,
  ...routingPages,
  ...routingFormPages,
  ...historyPages,
  ...previewPages,
  ...connectionPages,
  ...connectionFormPages,
  ...keyPages,
  ...partnerPages,
  ...operatorPages,
  ...operatorLinkPages,
  ...auditPages,
  ...webhookPages,
  ...deliveryPages,
  ...endpointPages,
  ...endpointFormPages,
  ...livePages
]

const application = (
  settings: Settings,
  services: Layer.Layer<Pointsman | Directory, unknown>,
  memoMap: Layer.MemoMap,
  stopping: AbortSignal
) =>
  HttpRouter.toWebHandler(
    Layer.mergeAll(
      HttpApiBuilder.layer(ConsoleApi, { openapiPath: "/api/openapi.json" }),
      HttpRouter.addAll([...pages, noPage]),
      HttpRouter.addAll(files),
      HttpRouter.add("GET", "/api/*", envelope("not_found", "Route not found."))
    ).pipe(
      Layer.provide([AccountHandlers.layer, DeskHandlers.layer]),
      Layer.provide([Authorize.layer, RequestFaults.layer, staleReads, fallbacks]),
      // What each request runs with.
      Layer.provideMerge([
        InProcess.PaymentViews.layer(undefined),
        TenantChanges.layer,
        OpenResponses.layer,
        DayDesk.layer
      ]),
      Layer.provideMerge([
        // With what else it brings, such as loggers.
        services,
        Layer.succeed(ConsoleSettings, settings),
        Layer.succeed(AuditVia, "console"),
        Layer.succeed(Stopping, stopping),
        HttpServer.layerServices,
        Layer.succeed(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(maxBodyBytes))
      ])
    ),
    { disableLogger: true, memoMap }
  )

const noPage = openPage("GET", "/*", () => Effect.fail(failure("not_found", "Page not found.")))

const envelope = (code: ConsoleCode, message: string) =>
  HttpServerResponse.jsonUnsafe(failure(code, message), { status: consoleCodes[code].status })

/** What only reads may be answered from a standby; the response then says of which moment it is. */
const staleReads = HttpRouter.middleware(
  (answer) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ method }) =>
      method === "GET"
        ? withStaleReads((reads) =>
            Effect.map(answer, (response) =>
              reads.asOf === null
                ? response
                : HttpServerResponse.setHeader(response, InProcess.asOfHeader, new Date(reads.asOf).toISOString())
            )
          )
        : answer
    ),
  { global: true }
)

const fallbacks = HttpRouter.middleware(
  (answer) =>
    answer.pipe(
      Effect.map((response) =>
        response.status === 415
          ? envelope("unsupported_media_type", "The body must be sent as `Content-Type: application/json`.")
          : response
      ),
      Effect.catchCause((cause): Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled> => {
        // The client went away, or the server is shutting down: no client waits for the answer.
        if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
        const reason = Cause.squash(cause)
        if (HttpServerError.isHttpServerError(reason)) {
          if (reason.reason._tag === "RouteNotFound") return Effect.succeed(envelope("not_found", "Route not found."))
          if (reason.reason._tag === "RequestParseError") {
            return Effect.succeed(
              reason.reason.reason === "BodyTooLarge"
                ? envelope("payload_too_large", `The body must not be larger than ${maxBodyBytes} bytes.`)
                : envelope("invalid_json", "The body could not be read.")
            )
          }
        }
        return Effect.as(
          Effect.logError("unexpected failure of a request", cause),
          envelope("internal_error", "Internal server error.")
        )
      })
    ),
  { global: true }
)
