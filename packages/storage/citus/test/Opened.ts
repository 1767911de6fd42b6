/** A store over a node of a cluster, with what a test puts around the statements that are sent to it. */
import { Deliveries, Ledger, Retention } from "@pointsman/core/ports"
import type { Database } from "@pointsman/storage-postgres/internal"
import { Context, Effect, type Redacted, References } from "effect"
import { openDistributed, servicesOver } from "../src/Layer.ts"

export const opened = Effect.fnUntraced(
  function* (url: Redacted.Redacted, around: (db: Database) => Database) {
    const options = { url, allowAsyncCommit: true }
    const watched = around(yield* openDistributed(options))
    const services = yield* servicesOver({ ...watched, inLanes: () => watched }, options)
    return {
      ledger: Context.get(services, Ledger),
      deliveries: Context.get(services, Deliveries),
      retention: Context.get(services, Retention)
    }
  },
  Effect.provideService(References.MinimumLogLevel, "Error")
)
