/** The database's file: its folder, and that of `pointsman dev`, on which other commands act beside it. */
import { Console, Effect, FileSystem, Path } from "effect"
import type { Database } from "./DatabaseUrl.ts"
import { fileFailure, isAbsentOrEmpty } from "./EncryptionKey.ts"
import { type Settings, variables } from "./Settings.ts"

export const sandboxDatabase = { _tag: "SqliteFile", path: ".pointsman/dev.db" } as const

/**
 * The settings with the sandbox's database, where no other is named and no server made one in this folder. So commands
 * beside `pointsman dev` need no setting. The command prints which database it uses.
 */
export const besideSandbox = Effect.fnUntraced(function* (settings: Settings) {
  const { database } = settings
  if (database !== variables.database.absent || database._tag !== "SqliteFile") return settings
  if (!(yield* isAbsentOrEmpty(database.path)) || (yield* isAbsentOrEmpty(sandboxDatabase.path))) return settings
  yield* Console.error(`Using ${sandboxDatabase.path}, the database of pointsman dev.`)
  // Its receiver of webhooks is on this machine.
  return { ...settings, database: sandboxDatabase, allowPrivateWebhooks: true } satisfies Settings
})

export const ensureFolder = Effect.fnUntraced(function* (database: Database) {
  if (database._tag !== "SqliteFile") return
  const files = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const folder = paths.dirname(paths.resolve(database.path))
  // A folder that is there keeps its mode.
  if (yield* Effect.orElseSucceed(files.exists(folder), () => false)) return
  yield* files
    .makeDirectory(folder, { recursive: true, mode: 0o700 })
    .pipe(Effect.mapError(fileFailure(folder, "made")))
  if (paths.basename(folder) !== ".pointsman") return
  // The default lies wherever the command was typed, which is often a repository: keys do not belong into one.
  yield* Effect.ignore(files.writeFileString(paths.join(folder, ".gitignore"), "*\n"))
})
