/** The database of `pointsman dev`, and when other commands act on it. */
import { Console, Effect } from "effect"
import { isAbsentOrEmpty } from "./EncryptionKey.ts"
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
