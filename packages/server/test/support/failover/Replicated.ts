/**
 * A primary and its standby, and the way by which servers reach whichever of them serves. The network between both can
 * lose every packet: then the standby lags, and lacks what the primary acknowledges from then on.
 */
import { Effect } from "effect"
import { onTestFinished } from "vitest"
import { copyForStandby } from "../../../../storage/postgres/test/support/Standby.ts"
import { newDatabase, query, startPostgresServer } from "../PostgresServer.ts"
import { silentProxy } from "../SilentProxy.ts"
import { until } from "../Until.ts"

/** `isSynchronous`: commits wait until the standby has them on its disk. */
export const startReplicated = async (isSynchronous: boolean) => {
  const primary = await startPostgresServer({
    fsync: true,
    settings: { wal_level: "replica", max_wal_senders: "4", hot_standby: "on" }
  })
  onTestFinished(() => primary.stop())
  const database = await newDatabase(primary)
  const { pathname } = new URL(database)
  const replication = await silentProxy(primary.url)
  const { copy, files } = await Effect.runPromise(copyForStandby(primary, replication.url))
  const standby = await primary.startOn(copy, { takesPlace: false, files })
  onTestFinished(() => standby.kill())
  if (isSynchronous) {
    // On the primary alone, after it was copied: the promoted standby has none that it could wait for.
    await query(primary.url, "alter system set synchronous_standby_names = '*'")
    await query(primary.url, "select pg_reload_conf()")
  }
  const state = isSynchronous ? "sync" : "async"
  await until(`the standby streams (${state})`, async () => {
    const [row] = await query(primary.url, "select sync_state from pg_stat_replication where state = 'streaming'")
    return row?.["sync_state"] === state
  })
  const way = await silentProxy(database)
  return {
    /** Of the database, wherever it is served. */
    url: way.url,
    /** Of the same database on the standby. */
    standbyUrl: new URL(pathname, standby.url).href,
    /** From now on the standby receives nothing. */
    partition: replication.fallSilent,
    /** `kill -9`, for the primary and all of its processes. */
    killPrimary: primary.kill,
    /** Promotes the standby and leads servers to it. */
    promote: async () => {
      await query(standby.url, "select pg_promote()")
      way.leadTo(new URL(pathname, standby.url).href)
    }
  }
}
