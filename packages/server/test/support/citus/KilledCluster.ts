/** A database of a Citus cluster under servers that are killed, and under nodes that are killed. */
import { inject } from "vitest"
import {
  type CitusCluster,
  databaseOn,
  joinedDatabase,
  newName,
  runOn
} from "../../../../storage/citus/test/support/CitusCluster.ts"
import { newOwnDatabase, type OwnCluster } from "../../../../storage/citus/test/support/CitusNodes.ts"
import type { KillStorage } from "../kill/KillWorld.ts"
import type { KilledDatabase } from "../kill/ManyServers.ts"
import { clockStatements, environmentOn } from "../PostgresServer.ts"

export const environmentOnCitus = (url: string) => ({
  ...environmentOn(url),
  POINTSMAN_DATABASE_DISTRIBUTED: "citus"
})

/** The clock of each node goes ahead of this machine's by so many milliseconds. Their servers have to be started after it. */
const setNodesAhead = async (urls: ReadonlyArray<string>, millis: number): Promise<void> => {
  for (const url of urls) {
    await runOn(url, "set citus.enable_ddl_propagation to off", ...clockStatements(url, millis))
  }
}

/**
 * Servers at the coordinator and at each worker, and nodes that are killed: all of them at once, then the workers together,
 * then the coordinator alone, and so on.
 */
export const killedCluster = async (cluster: OwnCluster): Promise<KilledDatabase> => {
  const { coordinator, workers } = cluster
  const all = [coordinator, ...workers]
  const { urlAt } = await newOwnDatabase(cluster)
  const urls = all.map(urlAt)
  const victims = [all, workers, [coordinator]]
  let kills = 0
  let down = all.slice(0, 0)
  return {
    environmentAt: (at) => environmentOnCitus(urls[at % urls.length] as string),
    goAhead: (millis) => setNodesAhead(urls, millis),
    kill: async () => {
      down = [...(victims[kills++ % victims.length] as typeof all)]
      await Promise.all(down.map(({ kill }) => kill()))
    },
    restart: async () => {
      await Promise.all(down.map(({ restart }) => restart()))
    }
  }
}

/** A database without a schema on the cluster of the run. Each server is at another node than the one before it. */
export const citusDatabase: KillStorage = {
  name: "Citus",
  open: async () => {
    const { nodes } = inject("citus") as CitusCluster
    const name = newName()
    const url = await joinedDatabase(nodes, name)
    const urls = nodes.map((node) => databaseOn(node, name))
    let starts = 0
    return {
      environment: () => environmentOnCitus(urls[starts++ % urls.length] as string),
      makingMillis: 6_000,
      goAhead: (millis) => setNodesAhead(urls, millis),
      isBegun: async () => {
        const ours =
          "select 1 from pg_stat_activity where datname = current_database() and application_name = 'pointsman'"
        return (await runOn(url, ours)).length > 0
      }
    }
  }
}
