/** Whether others on the network can read or change what the server and its clients, or its database, say. */
import { X509Certificate } from "node:crypto"
import { Clock, Effect, Result } from "effect"
import { connectionFaults } from "../DatabaseUrl.ts"
import type { Settings } from "../Settings.ts"
import { readTlsCertificate } from "../TlsCertificate.ts"
import { type CheckLine, ok, warning, wrong } from "./Checkup.ts"

/** None for what the settings do not use. */
export const transportLines = Effect.fnUntraced(function* (settings: Settings) {
  return [...(yield* certificateLines(settings)), ...databaseLines(settings)]
})

const certificateLines = Effect.fnUntraced(function* (
  settings: Settings
): Effect.fn.Return<ReadonlyArray<CheckLine>, never, Effect.Services<ReturnType<typeof readTlsCertificate>>> {
  const read = yield* Effect.result(readTlsCertificate(settings))
  if (Result.isFailure(read)) return [wrong("tls", read.failure.message)]
  if (read.success === undefined) return []
  const { validFromDate, validToDate } = new X509Certificate(read.success.chain)
  const now = yield* Clock.currentTimeMillis
  const says = `the certificate is valid from ${validFromDate.toISOString()} to ${validToDate.toISOString()}`
  const isValid = validFromDate.getTime() <= now && now < validToDate.getTime()
  return [isValid ? ok("tls", says) : wrong("tls", `${says}: replace it`)]
})

const databaseLines = (settings: Settings): ReadonlyArray<CheckLine> =>
  connectionFaults(settings).map((fault) => warning("database", fault))
