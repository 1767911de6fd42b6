/** What the storage on a Citus cluster is made of (`@pointsman/storage-citus`). Not for programs: it changes without notice. */

export {
  readConnection,
  readDue,
  selectDue,
  selectWatched,
  take as takeChecks,
  waitingConnections,
  wantedOf
} from "./Checks.ts"
export type { CommitOptions } from "./Commit.ts"
export { type Durability, durabilityColumns, durabilityOf, type Watch } from "./Condition.ts"
export { NoConnection } from "./Connections.ts"
export { type Database, open, type PostgresOptions, type Query } from "./Database.ts"
export type { DatabaseClock } from "./DatabaseClock.ts"
export { endpointsAndFirst, takeFrom } from "./Deliveries.ts"
export { handleOf } from "./Handle.ts"
export { keyHash, tenantNumber } from "./Keys.ts"
export { type PostgresStorageOptions, servicesOf } from "./Layer.ts"
export { type Comparison, comparisonIn } from "./LossWatch.ts"
export { migrate, onConnection } from "./Migrate.ts"
export { eventIdsFunction, layoutStep, newest, requireSchema, schemaOf } from "./Migrations.ts"
export { bindText, readText, rows, type Value } from "./Rows.ts"
export { codeOf, codes, isTakenBack, Refused, storageError } from "./SqlFailures.ts"
export { history, record, refusals, selectTimeline, unknownTimeline } from "./Timeline.ts"
