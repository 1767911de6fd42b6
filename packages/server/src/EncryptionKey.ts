/** Where the encryption key comes from: the settings, or a file beside the database. */
import { SecretsLayer } from "@pointsman/core"
import { Effect, FileSystem, Option, type PlatformError, Redacted, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { createSecretFile, modeBeyondOwner, readSecretFile, replaceSecretFile } from "./SecretFile.ts"
import type { Settings } from "./Settings.ts"
import { StartFailure } from "./StartFailure.ts"

const encryptionKeyFile = (databasePath: string): string => `${databasePath}.encryption-key`

/** The keys that the settings name; the current one may be in a file. */
export const obtainEncryptionKeys = Effect.fnUntraced(function* (settings: KeySettings) {
  const current = yield* currentKey(settings)
  return { current, previous: settings.previousEncryptionKeys } satisfies SecretsLayer.EncryptionKeys
})

type KeySettings = Pick<Settings, "encryptionKey" | "previousEncryptionKeys" | "database">

/**
 * The key of the settings; else the one beside the database file, which is made with a new database and never for
 * one that holds something: what is sealed there would be lost without a word. A database that servers of other
 * machines share has no such file.
 */
const currentKey = Effect.fnUntraced(function* (settings: KeySettings) {
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
  const key = Option.flatMap(found, keyIn)
  if (Option.isSome(key)) return yield* usable(keyPath, key.value)
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
  return yield* Option.flatMap(theirs, keyIn).pipe(
    Effect.fromOption,
    Effect.mapError(() => new StartFailure({ message: `The file ${keyPath} does not hold an encryption key.` }))
  )
})

const keyIn = (text: string) => Result.getSuccess(SecretsLayer.parseEarlierEncryptionKey(text))

const usable = Effect.fnUntraced(function* (path: string, key: Redacted.Redacted<Uint8Array>) {
  yield* requireOwnerOnly(path)
  if (!SecretsLayer.isWeak(key)) return key
  return yield* new StartFailure({
    message:
      `The encryption key in ${path} has a pattern, so it can be guessed. Write another key to the file, as ` +
      "`openssl rand -base64 32` prints it, set POINTSMAN_ENCRYPTION_KEY_PREVIOUS to this one, and run " +
      "`pointsman keys rotate-encryption`."
  })
})

const requireOwnerOnly = Effect.fnUntraced(function* (path: string) {
  const mode = yield* Effect.mapError(modeBeyondOwner(path), fileFailure(path, "read"))
  if (mode === undefined) return
  return yield* new StartFailure({
    message:
      `Other users of this machine may use the encryption key: ${path} has mode ${mode}. Run ` +
      `\`chmod 600 ${path}\`. If others could read it, rotate the key.`
  })
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
