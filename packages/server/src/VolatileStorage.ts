import { type ConfigurationFile, productionConnection } from "@pointsman/configuration"
import { type Settings, settingName } from "./Settings.ts"

/** Why no server starts with this database and this configuration file, in words; `undefined` where one does. */
export const volatileFault = (
  { allowVolatileStorage, database }: Pick<Settings, "allowVolatileStorage" | "database">,
  file: ConfigurationFile
): string | undefined => {
  const connection = database._tag === "SqliteMemory" && !allowVolatileStorage ? productionConnection(file) : undefined
  return connection === undefined
    ? undefined
    : `${settingName("database")}: expected a database that outlives the server, because the connection "${connection}" is ` +
        "for production: sqlite::memory: loses payments and idempotency keys when the server stops, so that a request that " +
        `is sent again charges twice. Use sqlite:<path> or postgres://, or set ${settingName("allowVolatileStorage")} to ` +
        "true if that loss is acceptable."
}
