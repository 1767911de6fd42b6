/**
 * Traces, metrics and logs over OTLP, by Effect's own exporters.
 *
 * They work beside the payments and never in their way: exported data is put into a buffer, and sent in the background.
 * A collector that refuses, hangs or is away costs what is in the buffer and is left alone for a minute (Effect's
 * rule). What is under way to it at once is bounded here, and so is the time that it may take, at the end of the
 * process too.
 *
 * OpenTelemetry's variables are read as it defines them (https://opentelemetry.io/docs/specs/otel/protocol/exporter/ and
 * https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/), as far as Effect knows them. Their
 * values are in no message: headers carry the collector's key.
 */
import { Notifier } from "@pointsman/core/ports"
import { ConfigProvider, Context, Effect, Exit, Fiber, Layer, Logger, Option, Scope } from "effect"
import { FetchHttpClient, HttpClient, HttpMiddleware } from "effect/http"
import { Otlp, OtlpExporter, OtlpLogger, OtlpSerialization } from "effect/observability"
import { StartFailure } from "./StartFailure.ts"
import { version } from "./Version.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** A collector that takes longer is taken for one that hangs. */
const answerWithinMillis = 5_000
/** The three kinds and what grew while they were sent. */
const atOnce = 8
/** At the end of the process: for what is in the buffers, and then for letting go. */
const flushWithinMillis = 3_000
const closeWithinMillis = 1_000

/** `endpoint`: the base address; `/v1/traces`, `/v1/metrics` and `/v1/logs` are added to it. */
export const layer = (endpoint: string, environment: Environment): Layer.Layer<never, StartFailure> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const loggers = yield* Logger.CurrentLoggers
      const notifier = yield* Notifier
      const built = yield* exporting(Otlp.layerFromConfig(), endpoint, environment)
      return built.pipe(
        // The server's own span tells no path that holds a token (`@pointsman/http`).
        Context.add(HttpMiddleware.TracerDisabledWhen, () => true),
        // An invitation's token is for readers of this log, and not for a collector to which it is exported.
        Context.add(Notifier, {
          merchantInvited: (invitation) =>
            Effect.provideService(notifier.merchantInvited(invitation), Logger.CurrentLoggers, loggers)
        })
      )
    })
  )

/** The loggers that send to the collector alone: none where the variables switch the export of logs off. */
export const collectorLoggers = (
  endpoint: string,
  environment: Environment
): Effect.Effect<ReadonlySet<Logger.Logger<unknown, unknown>>, StartFailure, Scope.Scope> =>
  Effect.map(
    exporting(OtlpLogger.layerFromConfig({ mergeWithExisting: false }), endpoint, environment),
    (built) => Context.getOrUndefined(built, Logger.CurrentLoggers) ?? new Set()
  )

/** Builds exporters, and sends what is left in their buffers when the scope closes. */
const exporting = Effect.fnUntraced(function* (
  exportersOf: ReturnType<typeof Otlp.layerFromConfig>,
  endpoint: string,
  environment: Environment
) {
  const variables = variablesOf(endpoint, environment)
  const exporters = exportersOf.pipe(
    Layer.provide([serializations[yield* protocolOf(variables)], boundedClient]),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(variables)))
  )
  // Effect reads the variables here, and dies of those that it cannot read, naming what they hold.
  let flush = Effect.void
  const scope = yield* Effect.acquireRelease(Scope.make(), (scope) =>
    finish(
      Effect.suspend(() => flush),
      scope
    )
  )
  const built = yield* Layer.buildWithScope(exporters, scope).pipe(
    Effect.catchCause(() => new StartFailure({ message: unreadable }))
  )
  flush = Context.get(built, OtlpExporter.Flusher).flush
  return built
})

/** Takes no longer than it may, whatever the exporters wait for. */
const finish = Effect.fnUntraced(function* (flush: Effect.Effect<void>, scope: Scope.Closeable) {
  const flushed = yield* Effect.timeoutOption(flush, flushWithinMillis)
  const closing = yield* Effect.forkDetach(Scope.close(scope, Exit.void))
  const closed = yield* Effect.timeoutOption(Fiber.await(closing), closeWithinMillis)
  if (Option.isNone(flushed) || Option.isNone(closed)) {
    yield* Effect.logWarning("the last telemetry may be lost: the collector does not respond")
  }
})

const unreadable =
  "The OpenTelemetry variables are invalid: expected OTEL_EXPORTER_OTLP_HEADERS and " +
  "OTEL_RESOURCE_ATTRIBUTES as comma-separated `name=value` pairs, percent-encoded where necessary, " +
  "and durations in whole milliseconds"

const protocols = ["http/protobuf", "http/json"] as const

const serializations = {
  "http/protobuf": OtlpSerialization.layerProtobuf,
  "http/json": OtlpSerialization.layerJson
}

const protocolOf = (variables: Readonly<Record<string, string>>) => {
  const asked = variables["OTEL_EXPORTER_OTLP_PROTOCOL"] ?? "http/protobuf"
  const protocol = protocols.find((one) => one === asked)
  return protocol === undefined
    ? Effect.fail(new StartFailure({ message: "OTEL_EXPORTER_OTLP_PROTOCOL: expected `http/protobuf` or `http/json`" }))
    : Effect.succeed(protocol)
}

/** An empty variable is an absent one. Whatever is not said is as OpenTelemetry has it, where Effect has it otherwise. */
const variablesOf = (endpoint: string, environment: Environment): Record<string, string> => {
  const given = Object.entries(environment).filter(
    (entry): entry is [string, string] => entry[0].startsWith("OTEL_") && entry[1] !== undefined && entry[1] !== ""
  )
  const isNamed = /(?:^|,)\s*service\.name\s*=/u.test(environment["OTEL_RESOURCE_ATTRIBUTES"] ?? "")
  return {
    OTEL_TRACES_EXPORTER: "otlp",
    OTEL_METRICS_EXPORTER: "otlp",
    OTEL_LOGS_EXPORTER: "otlp",
    ...(isNamed ? {} : { OTEL_SERVICE_NAME: "pointsman" }),
    OTEL_SERVICE_VERSION: version,
    ...Object.fromEntries(given),
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint
  }
}

/**
 * A request that hangs is a defect, which Effect's exporter does not send again. A redirect would carry the headers to
 * another host. The answer is read here, because its time is bounded here.
 */
const boundedClient = Layer.effect(
  HttpClient.HttpClient,
  Effect.gen(function* () {
    let underWay = 0
    let isFailing = false
    const tell = (why: string) => {
      if (isFailing) return Effect.void
      isFailing = true
      return Effect.logWarning(`telemetry could not be exported: ${why}`)
    }
    return HttpClient.transform(yield* HttpClient.HttpClient, (answer) =>
      Effect.suspend(() => {
        if (underWay >= atOnce) return Effect.die(new Error("the collector is too slow"))
        underWay += 1
        return answer.pipe(
          Effect.tap((response) => Effect.ignore(response.arrayBuffer)),
          Effect.tap((response) => {
            if (response.status >= 300) return tell(`the collector responded with ${response.status}`)
            isFailing = false
            return Effect.void
          }),
          Effect.tapError(({ reason }) => tell(reason._tag)),
          Effect.timeoutOrElse({
            duration: answerWithinMillis,
            orElse: () =>
              Effect.andThen(
                tell("the collector does not respond"),
                Effect.die(new Error("the collector does not respond"))
              )
          }),
          Effect.ensuring(
            Effect.sync(() => {
              underWay -= 1
            })
          )
        )
      })
    )
  })
).pipe(
  Layer.provide(FetchHttpClient.layer),
  Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "error" }))
)
