/** The console at `/console`: at the admin address where there is one, and else at that of the API. */
import type { ConsoleFile } from "@pointsman/configuration"
import { Pointsman } from "@pointsman/core"
import { AuditActor, AuditLog, AuditVia, Directory, LoginTaken } from "@pointsman/core/ports"
import { RateLimit, Source } from "@pointsman/http"
import { Context, Effect, Exit, Layer, Logger, Option, Redacted, References, Scope } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Listeners } from "./Listeners.ts"
import type { Settings } from "./Settings.ts"

export const consoleMount = "/console"

const methods = ["GET", "POST", "PUT", "DELETE"]
export const consolePaths = { [consoleMount]: methods, [`${consoleMount}/*`]: methods } as const

export const isConsolePath = (path: string): boolean => path === consoleMount || path.startsWith(`${consoleMount}/`)

/**
 * `baseUrl`: of the API, as browsers reach it. The admin address has no TLS of its own. `stopping`: aborts before the
 * server waits for the requests under way, of which an open stream would be one.
 */
export const layer = (
  { adminPort }: Pick<Settings, "adminPort">,
  baseUrl: string,
  file: ConsoleFile | undefined,
  stopping: AbortSignal
): Layer.Layer<never, never, Pointsman | Directory | HttpRouter.HttpRouter> =>
  HttpRouter.addAll(
    Effect.gen(function* () {
      const sourceOf = yield* Source
      const services = Context.make(Pointsman, yield* Pointsman).pipe(
        Context.add(Directory, yield* Directory),
        Context.add(RateLimit.OperatorRateLimit, yield* RateLimit.OperatorRateLimit),
        Context.add(Logger.CurrentLoggers, yield* Logger.CurrentLoggers),
        Context.add(References.MinimumLogLevel, yield* References.MinimumLogLevel)
      )
      const { oidc: plainOidc, ...plain } = file ?? {}
      const oidc = plainOidc && { ...plainOidc, clientSecret: Redacted.make(plainOidc.clientSecret) }
      const isSecure = adminPort === null && baseUrl.startsWith("https:")
      // Loaded by the first request for it: a server that answers the API alone needs less memory, and starts earlier.
      const opened = yield* Effect.promise(() => import("@pointsman/console")).pipe(
        Effect.flatMap(({ make }) =>
          Effect.acquireRelease(
            Effect.sync(() =>
              make({ mount: consoleMount, isSecure, ...plain, oidc, stopping }, Layer.succeedContext(services))
            ),
            ({ dispose }) => Effect.promise(dispose)
          )
        ),
        Scope.provide(yield* Effect.scope),
        // What could not be loaded is tried again.
        Effect.cachedWithTTL((exit) => (Exit.isSuccess(exit) ? Number.POSITIVE_INFINITY : 0))
      )
      const answer = (request: HttpServerRequest.HttpServerRequest) =>
        HttpServerRequest.toWeb(request).pipe(
          Effect.matchCauseEffect({
            // Browsers send no such method and no such `Host`.
            onFailure: () => Effect.succeed(HttpServerResponse.empty({ status: 400 })),
            // It continues when its client leaves.
            onSuccess: (asked) =>
              opened.pipe(
                Effect.flatMap(({ handler }) => Effect.promise(() => handler(asked, { source: sourceOf(request) }))),
                Effect.map(HttpServerResponse.fromWeb)
              )
          })
        )
      // The mount itself too.
      return [HttpRouter.route("*", `${consoleMount}/*`, answer)]
    })
  )

/** Where a browser uses a sign-in link. */
export const linkUrl = (
  { adminUrl, apiUrl }: { readonly adminUrl: string | undefined; readonly apiUrl: string },
  token: Redacted.Redacted<string>
): string => linkBelow(`${adminUrl ?? apiUrl}${consoleMount}`, token)

/** `consoleUrl`: without a slash at its end. */
export const linkBelow = (consoleUrl: string, token: Redacted.Redacted<string>): string =>
  `${consoleUrl}/link/${Redacted.value(token)}`

const demoLogin = "demo"

/** A link that signs the demo's operator in, who may do everything; it is made anew at each start. */
export const demoLink = Effect.fnUntraced(
  function* (settings: Settings, { admin, api }: Listeners) {
    const { operators } = yield* Pointsman
    yield* operators
      .add({ login: demoLogin, displayName: "Demo", grants: [{ workspaceId: null, role: "admin" }] })
      .pipe(
        Effect.catchIf(
          (error) => error instanceof LoginTaken,
          () => Effect.void
        )
      )
    const { token } = yield* operators.createLink(demoLogin)
    return Option.some(linkUrl({ adminUrl: admin?.url, apiUrl: settings.baseUrl ?? api.url }, token))
  },
  Effect.provideService(AuditActor, "server"),
  Effect.provideService(AuditVia, "server"),
  // Stored; the log of a first start is not about it.
  Effect.provideService(AuditLog, () => Effect.void),
  // The demo is for trying things: it starts without the console too.
  Effect.catch((error) =>
    Effect.as(Effect.logWarning("the console has no demo operator", error), Option.none<string>())
  )
)
