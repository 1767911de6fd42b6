/**
 * Sends the audit entries of a command to the collector of the settings, as a server sends its own: a copy outside of the
 * database. What a command prints does not change.
 *
 * Nothing of OTLP is loaded before the first entry. The entry is stored by then, so a failing collector fails no command,
 * and delays its end no longer than the flush may take (`Otlp.ts`).
 */
import { AuditLog } from "@pointsman/core/ports"
import { Context, Effect, Logger, References, Scope } from "effect"

/** The variables of the process, of which OpenTelemetry's are read. */
export const ProcessEnvironment = Context.Reference<Readonly<Record<string, string | undefined>>>(
  "pointsman/server/ProcessEnvironment",
  { defaultValue: () => ({}) }
)

/** `endpoint`: the collector's base address; `null` for none. */
export const collectAudit =
  (endpoint: string | null) =>
  <A, E, R>(act: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    endpoint === null ? act : Effect.scoped(collecting(endpoint, act))

const collecting = Effect.fnUntraced(function* <A, E, R>(endpoint: string, act: Effect.Effect<A, E, R>) {
  const environment = yield* ProcessEnvironment
  const scope = yield* Scope.Scope
  const log = yield* AuditLog
  const loggers = yield* Effect.cached(
    Effect.promise(() => import("./Otlp.ts")).pipe(
      Effect.flatMap(({ collectorLoggers }) => collectorLoggers(endpoint, environment)),
      Effect.provideService(Scope.Scope, scope),
      Effect.catchTag("pointsman/server/StartFailure", ({ message }) =>
        Effect.as(
          Effect.logWarning(`the audit entries of this command are not sent to the collector: ${message}`),
          none
        )
      )
    )
  )
  return yield* Effect.provideService(act, AuditLog, (entry) =>
    Effect.flatMap(loggers, (collectors) =>
      log(entry).pipe(
        Effect.provideService(Logger.CurrentLoggers, collectors),
        Effect.provideService(References.MinimumLogLevel, "Info")
      )
    )
  )
})

const none: ReadonlySet<Logger.Logger<unknown, unknown>> = new Set()
