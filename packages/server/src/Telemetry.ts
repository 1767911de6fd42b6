/**
 * What the server exports besides `/metrics`: its log, in the form and down to the level that the settings name,
 * and traces, metrics and logs over OTLP where a collector is named.
 *
 * Without a collector nothing of OTLP is loaded, and no span is made that anybody could see.
 */
import { Effect, Layer, Logger, References } from "effect"
import * as LogText from "./LogText.ts"
import type { LogFormat, LogLevel, Settings } from "./Settings.ts"
import type { StartFailure } from "./StartFailure.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** `environment`: OpenTelemetry's own variables are read from it. */
export const telemetry = (settings: Settings, environment: Environment): Layer.Layer<never, StartFailure> =>
  otlp(settings, environment).pipe(Layer.provideMerge(log(settings)))

const log = ({ logFormat, logLevel }: Settings): Layer.Layer<never> =>
  Layer.merge(
    loggers[logFormat],
    // The flag that every command has (`--log-level`) was read before, and applies if the setting is missing.
    logLevel === "info" ? Layer.empty : Layer.succeed(References.MinimumLogLevel, levels[logLevel])
  )

const loggers: Readonly<Record<LogFormat, Layer.Layer<never>>> = {
  text: Logger.layer([LogText.text]),
  logfmt: Logger.layer([LogText.logfmt]),
  json: Logger.layer([LogText.json])
}

const levels = {
  trace: "Trace",
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  error: "Error",
  fatal: "Fatal",
  none: "None"
} as const satisfies Record<LogLevel, string>

const otlp = ({ otlpEndpoint }: Settings, environment: Environment): Layer.Layer<never, StartFailure> =>
  otlpEndpoint === null
    ? Layer.empty
    : Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("./Otlp.ts")),
          (Otlp) => Otlp.layer(otlpEndpoint, environment)
        )
      )
