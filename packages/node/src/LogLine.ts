/** A line of Effect's log as a plain object. */
import { Cause, type Logger, References } from "effect"
import type { LogLine } from "./Settings.ts"

const levels: Readonly<Record<string, LogLine["level"]>> = {
  Fatal: "fatal",
  Error: "error",
  Warn: "warn",
  Info: "info",
  Debug: "debug",
  Trace: "trace"
}

export const lineOf = ({ cause, fiber, logLevel, message }: Logger.Options<unknown>): LogLine => ({
  level: levels[logLevel] ?? "info",
  message: (Array.isArray(message) ? message : [message])
    .map((part) => (typeof part === "string" ? part : JSON.stringify(part)))
    .join(" "),
  fields: { ...fiber.getRef(References.CurrentLogAnnotations) },
  ...(cause.reasons.length === 0 ? {} : { cause: Cause.pretty(cause) })
})
