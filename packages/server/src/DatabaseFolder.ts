/** The folder of the database's file. */
import { Effect, FileSystem, Path } from "effect"
import type { Database } from "./DatabaseUrl.ts"
import { fileFailure } from "./EncryptionKey.ts"

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
