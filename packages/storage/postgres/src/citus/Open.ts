/** Opens a database of Citus by any of its nodes. What has to be made there is made by the coordinator. */
import { StorageError } from "@pointsman/core/ports"
import { Effect } from "effect"
import { type Database, open, type PostgresOptions } from "../Database.ts"
import type { DatabaseClock } from "../DatabaseClock.ts"
import { migrate } from "../Migrate.ts"
import { newest, requireSchema, schemaOf } from "../Migrations.ts"
import type { StandbyOptions } from "../Standby.ts"
import type { KnownHistory } from "./CommitFunction.ts"
import { coordinatorOf } from "./Coordinator.ts"
import { distribute, missingPlacement } from "./Distribute.ts"
import { watchNodes } from "./NodeFacts.ts"
import { makeNodePlaces } from "./NodePlaces.ts"
import { makeNodeReads } from "./NodeReads.ts"

export const openDistributed = Effect.fnUntraced(function* (
  options: PostgresOptions & StandbyOptions & { readonly existing?: boolean | undefined }
) {
  if (options.readUrl !== undefined) {
    return yield* new StorageError({ operation: "open", cause: new Error(noStandby) })
  }
  const db = yield* open(options)
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
  const places = makeNodePlaces(db)
  const silent = new Map<number, string>()
  const sharded = db.ofNodes({ nodeOf: places.nodeOf, refusalOf: (node) => silent.get(node) })
  const reads = makeNodeReads(sharded)
  let known: KnownHistory = { base: () => 0, isTold: () => false }
  const nodes = {
    /** For what is asked of the node of one workspace. */
    sharded,
    reads,
    watch: (clock: DatabaseClock) => {
      const watched = watchNodes(db, reads, { places, silent })(clock)
      known = watched
      return watched
    },
    known: () => known
  }
  return { db, nodes }
})

const noStandby = "readUrl: expected no standby with distributed: reads of workspaces go to their nodes"

const notPlaced =
  "its tables or functions are not placed on the nodes as this release needs it: start the server once to place them"

const isComplete = Effect.fnUntraced(function* (db: Database) {
  const { functions, tables } = yield* missingPlacement(db)
  if (functions.length > 0 || tables.length > 0) return false
  const schema = yield* schemaOf(db)
  return schema !== null && schema >= newest
})
