/** Where the encryption key comes from: the settings, or a file beside the database. */
import { SecretsLayer } from "@pointsman/core"
import { Effect, FileSystem, Option, type PlatformError, Redacted, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { createSecretFile, readSecretFile, replaceSecretFile } from "./SecretFile.ts"
import type { Settings } from "./Settings.ts"
import { StartFailure } from "./StartFailure.ts"

const encryptionKeyFile = (databasePath: string): string => `${databasePath}.encryption-key`

/**
 * The key of the settings; else the one beside the database file, which is made with a new database and never for
 * one that holds something: what is sealed there would be lost without a word. A database that servers of other
 * machines share has no such file.
 */
export const obtainEncryptionKey = Effect.fnUntraced(function* (
  settings: Pick<Settings, "encryptionKey" | "database">
) {
  if (settings.encryptionKey !== null) return settings.encryptionKey
  if (settings.database._tag === "SqliteMemory") return yield* randomKey
  if (settings.database._tag === "Postgres") {
    return yield* new StartFailure({
      message:
        `POINTSMAN_ENCRYPTION_KEY (--encryption-key): expected ${SecretsLayer.encryptionKeyExpected}. It is ` +
        "required with PostgreSQL, and all servers of one database must use the same key."
    })
  }
  const { path } = settings.database
  const keyPath = encryptionKeyFile(path)
  // Looked at before the key is: a process that starts at the same time writes its key before its database.
  const isNew = yield* isAbsentOrEmpty(path)
  const found = yield* readSecretFile(keyPath).pipe(Effect.mapError(fileFailure(keyPath, "read")))
  const key = Option.flatMap(found, (text) => Result.getSuccess(SecretsLayer.parseEncryptionKey(text)))
  if (Option.isSome(key)) return key.value
  if (!isNew) {
    return yield* new StartFailure({
      message:
        `The encryption key of the database ${path} was not found: ${keyPath} ` +
        `${Option.isNone(found) ? "is missing" : "does not hold a key"}. Restore the file, or set ` +
        "POINTSMAN_ENCRYPTION_KEY to the key that the database was created with."
    })
  }
  const made = yield* randomKey
  const text = SecretsLayer.formatEncryptionKey(made)
  if (Option.isSome(found)) {
    // What a crash left of a key that nothing was sealed with.
    yield* replaceSecretFile(keyPath, text).pipe(Effect.mapError(fileFailure(keyPath, "written")))
    return made
  }
  const isOurs = yield* createSecretFile(keyPath, text).pipe(Effect.mapError(fileFailure(keyPath, "written")))
  if (isOurs) return made
  const theirs = yield* readSecretFile(keyPath).pipe(Effect.mapError(fileFailure(keyPath, "read")))
  return yield* Option.flatMap(theirs, (other) => Result.getSuccess(SecretsLayer.parseEncryptionKey(other))).pipe(
    Effect.fromOption,
    Effect.mapError(() => new StartFailure({ message: `The file ${keyPath} does not hold an encryption key.` }))
  )
})

const randomKey = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  return Redacted.make(yield* random.randomBytes(SecretsLayer.encryptionKeyBytes), { label: "encryption key" })
})

export const isAbsentOrEmpty = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const info = yield* files.stat(path).pipe(
    Effect.asSome,
    Effect.catchIf(
      (error) => error.reason._tag === "NotFound",
      () => Effect.succeedNone
    ),
    Effect.mapError(fileFailure(path, "read"))
  )
  if (Option.isSome(info) && info.value.type === "Directory") {
    return yield* new StartFailure({
      message: `POINTSMAN_DATABASE_URL (--database-url): expected the path of a file, but ${path} is a directory.`
    })
  }
  return Option.isNone(info) || Number(info.value.size) === 0
})

export const fileFailure =
  (path: string, verb: "read" | "written" | "made") =>
  (error: PlatformError.PlatformError): StartFailure =>
    new StartFailure({ message: `${path} cannot be ${verb} (${error.reason._tag}).` })
