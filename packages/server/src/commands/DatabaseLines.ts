/** What the doctor says of the database: its standby, lost records, encryption keys, and who can read what is sent. */
import { X509Certificate } from "node:crypto"
import { countSealed } from "@pointsman/core"
import { type RecordLoss, RecordLosses, type StandbyReading } from "@pointsman/core/ports"
import { Clock, Effect, Result } from "effect"
import { connectionFaults } from "../DatabaseUrl.ts"
import type { Settings } from "../Settings.ts"
import { readTlsCertificate } from "../TlsCertificate.ts"
import { type CheckLine, eachOr, ok, warning, wrong } from "./Checkup.ts"
import { unreadableText } from "./RotateCommand.ts"
import { counted } from "./Words.ts"

/** None without a standby. One that cannot be read stops no server: the primary answers. */
export const standbyLines = (reading: StandbyReading | null): ReadonlyArray<CheckLine> => {
  if (reading === null) return []
  const { fault, lagMillis } = reading
  if (fault === null) return [ok("standby", `it is ${((lagMillis ?? 0) / 1_000).toFixed(1)} s behind the primary`)]
  return [
    warning("standby", `${fault}: reads go to the primary. POINTSMAN_DATABASE_READ_URL (--database-read-url) names it`)
  ]
}

export const lossLine = (loss: RecordLoss | null): CheckLine => {
  if (loss === null || loss.ended !== null) return ok("records", "no loss of records is known")
  const recovered = loss.recovered.length === 0 ? "none" : loss.recovered.join(", ")
  return wrong(
    "records",
    `records since ${new Date(loss.since).toISOString()} may be missing (${loss.reason}). Recovered connections: ` +
      `${recovered}; nothing is sent for workspaces with others. Run \`pointsman recover\``
  )
}

export const recordLossLine = Effect.gen(function* () {
  return lossLine(yield* (yield* RecordLosses).newest)
})

// Which keys encrypted what the database holds.

/** Of each kind of text; what is found there tells enough. */
const textsAtMost = 2_000

export const keyLines = Effect.gen(function* () {
  const { byKey, unreadable } = yield* countSealed(textsAtMost)
  const others = [...byKey].slice(1).filter(([, count]) => count > 0)
  return eachOr(
    [
      ...(unreadable.count > 0 ? [wrong("encryption key", unreadableText(unreadable))] : []),
      ...others.map(([id, count]) =>
        warning(
          "encryption key",
          `${counted(count, "text")} encrypted with the previous key ${id}: run \`pointsman keys rotate-encryption\``
        )
      )
    ],
    ok("encryption key", "the key decrypts the stored secrets")
  )
})

// Whether others on the network can read or change what the server and its clients, or its database, say.

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
