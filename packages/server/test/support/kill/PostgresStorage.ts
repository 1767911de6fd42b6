/** A database on a server of PostgreSQL that outlives our servers. */
import { environmentOn, newDatabase, query, setDatabaseAhead } from "../PostgresServer.ts"
import type { KillStorage } from "./KillWorld.ts"

export const postgresDatabase: KillStorage = {
  name: "PostgreSQL",
  open: async () => {
    const url = await newDatabase()
    return {
      environment: environmentOn(url),
      goAhead: (millis) => setDatabaseAhead(url, millis),
      isBegun: async () => {
        const ours =
          "select 1 from pg_stat_activity where datname = current_database() and application_name = 'pointsman'"
        return (await query(url, ours)).length > 0
      }
    }
  }
}
