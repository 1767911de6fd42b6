import * as Ports from "@pointsman/core/ports"
import * as Postgres from "@pointsman/storage-postgres/internal"
import { Context, Effect, Layer } from "effect"
import { byWorkspace } from "./ByWorkspace.ts"
import { coordinatorOf, openNode } from "./Coordinator.ts"
import { distribute, missingPlacement } from "./Distribute.ts"
import { ledgerOver } from "./Ledger.ts"
import { makeNodePlaces, watchNodes } from "./NodeFacts.ts"
import { makeNodeReads } from "./NodeReads.ts"
import {
  comparisonOver,
  deliveriesOver,
  ratesOver,
  resume,
  retentionOver,
  sealedTextsOver,
  settlementsOver
} from "./Services.ts"
import { shardedDatabase } from "./ShardedDatabase.ts"

/** A commit is a statement of one node: none is written together with others. A `readUrl` is refused. */
export type CitusStorageOptions = Omit<Postgres.PostgresStorageOptions, "batchCommits">

/** `url` names any node. The tables are made and placed when the layer starts. */
export const layer = (
  options: CitusStorageOptions
): Layer.Layer<Ports.StorageServices, Ports.StorageError, Ports.Ids> =>
  Layer.effectContext(Effect.flatMap(openDistributed(options), (db) => servicesOver(db, options)))

/** `node`: any one of a cluster in which everything is placed. */
export const servicesOver = Effect.fnUntraced(function* (node: Postgres.Database, options: CitusStorageOptions) {
  const { db, nodes, watch } = shardedOver(node)
  const watching = { watch, comparison: comparisonOver(db), resume }
  const plain = yield* Postgres.servicesOf(db, { ...options, batchCommits: false }, watching)
  return plain.pipe(
    Context.add(Ports.Ledger, ledgerOver(Context.get(plain, Ports.Ledger), db, nodes)),
    Context.add(Ports.Deliveries, deliveriesOver(Context.get(plain, Ports.Deliveries), db, nodes)),
    Context.add(Ports.SealedTexts, sealedTextsOver(Context.get(plain, Ports.SealedTexts))),
    Context.add(Ports.SuccessRates, ratesOver(Context.get(plain, Ports.SuccessRates), nodes)),
    Context.add(Ports.RecordLosses, byWorkspace(Context.get(plain, Ports.RecordLosses))),
    Context.add(Ports.Retention, retentionOver(Context.get(plain, Ports.Retention))),
    Context.add(Ports.Settlements, settlementsOver(Context.get(plain, Ports.Settlements)))
  )
})

/** For `createPointsman` of `@pointsman/node`. `url`: of any node, `postgres://user:password@host:port/database`. */
export const citus = (
  url: string,
  options: Omit<CitusStorageOptions, "existing" | "readUrl" | "url"> & { readonly readUrl?: string | undefined } = {}
): Ports.StorageHandle => Postgres.handleOf(url, options.readUrl, (urls) => layer({ ...options, ...urls }))

export const openDistributed = Effect.fnUntraced(function* (options: CitusStorageOptions) {
  const refuse = (message: string) =>
    Effect.fail(new Ports.StorageError({ operation: "open", cause: new Error(message) }))
  if (options.readUrl !== undefined) return yield* refuse(noStandby)
  const db = yield* openNode(options)
  const isPlaced = yield* isComplete(db)
  if (options.existing !== true && !isPlaced) {
    yield* Effect.scoped(
      Effect.flatMap(coordinatorOf(db, options), (coordinator) =>
        Effect.andThen(Postgres.migrate(coordinator), distribute(coordinator))
      )
    )
  }
  yield* Postgres.requireSchema(db)
  if (options.existing === true && !isPlaced) return yield* refuse(notPlaced)
  return db
})

/** `db`: a node of a cluster in which everything is placed. */
const shardedOver = (db: Postgres.Database) => {
  const places = makeNodePlaces(db)
  const silent = new Map<number, string>()
  const lanes = db.inLanes({ laneOf: places.nodeOf, refusalOf: (node) => silent.get(node) })
  const nodes = makeNodeReads(lanes)
  let base = () => "0"
  return {
    /** The statements of the storage in PostgreSQL, each for the nodes that have what it is about. */
    db: shardedDatabase(db, { lanes, nodes, base: () => base() }),
    nodes,
    watch: (clock: Postgres.DatabaseClock) => {
      const watched = watchNodes(db, nodes, places, silent)(clock)
      base = watched.base
      return watched
    }
  }
}

const noStandby = "readUrl: expected no standby with distributed: reads of workspaces go to their nodes"

const notPlaced =
  "its tables or functions are not placed on the nodes as this release needs it: start the server once to place them"

const isComplete = Effect.fnUntraced(function* (db: Postgres.Database) {
  const { hasFunctions, tables } = yield* missingPlacement(db)
  if (!hasFunctions || tables.length > 0) return false
  const schema = yield* Postgres.schemaOf(db)
  return schema !== null && schema >= Postgres.newest
})
