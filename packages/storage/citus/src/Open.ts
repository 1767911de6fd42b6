/** Opens a database of Citus by any of its nodes. What has to be made there is made by the coordinator. */
import { StorageError } from "@pointsman/core/ports"
import {
  type Database,
  type DatabaseClock,
  migrate,
  newest,
  type PostgresOptions,
  requireSchema,
  schemaOf
} from "@pointsman/storage-postgres/internal"
import { Effect } from "effect"
import { coordinatorOf, openNode } from "./Coordinator.ts"
import { distribute, missingPlacement } from "./Distribute.ts"
import { makeNodePlaces, watchNodes } from "./NodeFacts.ts"
import { makeNodeReads } from "./NodeReads.ts"
import { shardedDatabase } from "./ShardedDatabase.ts"

interface OpenOptions extends PostgresOptions {
  readonly readUrl?: unknown
  /** `true` for a visitor: nothing is made, and the database must be as this release needs it. */
  readonly existing?: boolean | undefined
}

export const openDistributed = Effect.fnUntraced(function* (options: OpenOptions) {
  if (options.readUrl !== undefined) {
    return yield* new StorageError({ operation: "open", cause: new Error(noStandby) })
  }
  const db = yield* openNode(options)
  const isPlaced = yield* isComplete(db)
  if (options.existing === true && !isPlaced) {
    yield* requireSchema(db)
    return yield* new StorageError({ operation: "open", cause: new Error(notPlaced) })
  }
  if (options.existing !== true && !isPlaced) {
    yield* Effect.scoped(
      Effect.flatMap(coordinatorOf(db, options), (coordinator) =>
        Effect.andThen(migrate(coordinator), distribute(coordinator))
      )
    )
  }
  yield* requireSchema(db)
  return db
})

/** `db`: a node of a cluster in which everything is placed. */
export const shardedOver = (db: Database) => {
  const places = makeNodePlaces(db)
  const silent = new Map<number, string>()
  const lanes = db.inLanes({ laneOf: places.nodeOf, refusalOf: (node) => silent.get(node) })
  const nodes = makeNodeReads(lanes)
  let base = () => "0"
  return {
    /** The statements of the storage in PostgreSQL, each for the nodes that have what it is about. */
    db: shardedDatabase(db, { lanes, nodes, base: () => base() }),
    nodes,
    watch: (clock: DatabaseClock) => {
      const watched = watchNodes(db, nodes, places, silent)(clock)
      base = watched.base
      return watched
    }
  }
}

const noStandby = "readUrl: expected no standby with distributed: reads of workspaces go to their nodes"

const notPlaced =
  "its tables or functions are not placed on the nodes as this release needs it: start the server once to place them"

const isComplete = Effect.fnUntraced(function* (db: Database) {
  const { hasFunctions, tables } = yield* missingPlacement(db)
  if (!hasFunctions || tables.length > 0) return false
  const schema = yield* schemaOf(db)
  return schema !== null && schema >= newest
})
