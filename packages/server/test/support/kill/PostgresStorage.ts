/** A database on a server of PostgreSQL: one that outlives our servers, or one that is killed under them. */
import type { EmbeddedPostgres } from "../../../../storage/postgres/test/support/EmbeddedPostgres.ts"
import { environmentOn, newDatabase, query, setDatabaseAhead } from "../PostgresServer.ts"
import type { KillStorage } from "./KillWorld.ts"
import type { KilledDatabase } from "./ManyServers.ts"

export const killedPostgres = async ({ kill, restart, url: server }: EmbeddedPostgres): Promise<KilledDatabase> => {
  const url = await newDatabase({ url: server })
  return {
    environmentAt: () => environmentOn(url),
    goAhead: (millis) => setDatabaseAhead(url, millis),
    kill,
    restart
  }
}

export const postgresDatabase: KillStorage = {
  name: "PostgreSQL",
  open: async () => {
    const url = await newDatabase()
    return {
      environment: () => environmentOn(url),
      goAhead: (millis) => setDatabaseAhead(url, millis),
      isBegun: async () => {
        const ours =
          "select 1 from pg_stat_activity where datname = current_database() and application_name = 'pointsman'"
        return (await query(url, ours)).length > 0
      }
    }
  }
}
