/** Lets a command act on the cluster of the settings. It opens no storage: a move needs neither schema nor encryption key. */
import type { Shards } from "@pointsman/storage-citus"
import { Effect } from "effect"
import { type Flags, readSettings, type SettingName } from "../Settings.ts"
import { StartFailure, storageFailure } from "../StartFailure.ts"
import { CommandFailure } from "./CommandFailure.ts"
import { endInterrupted } from "./OpenDatabase.ts"

export const clusterSettings = ["database", "databaseDistributed"] as const satisfies ReadonlyArray<SettingName>

type Refused = Effect.Error<Shards["list"]>

export const onCluster = Effect.fnUntraced(
  function* <A>(flags: Flags, act: (shards: Shards) => Effect.Effect<A, Refused | CommandFailure>) {
    const { database } = yield* readSettings(flags)
    if (database._tag !== "Postgres" || !database.isDistributed) {
      return yield* new StartFailure({
        message:
          'POINTSMAN_DATABASE_DISTRIBUTED (--database-distributed): expected "citus", with the URL of a node in ' +
          "POINTSMAN_DATABASE_URL (--database-url): only a cluster has shards."
      })
    }
    const { openShards } = yield* Effect.promise(() => import("@pointsman/storage-citus"))
    return yield* Effect.flatMap(openShards({ url: database.url }), act).pipe(
      Effect.scoped,
      Effect.catchTags({
        "pointsman/storage-citus/ShardsRefused": ({ message }) =>
          Effect.fail(new CommandFailure({ message: `${message.slice(0, 1).toUpperCase()}${message.slice(1)}.` })),
        "pointsman/StorageError": ({ cause }) => storageFailure(database, cause)
      })
    )
  },
  Effect.onInterrupt(() => endInterrupted)
)
