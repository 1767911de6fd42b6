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
export { eventIdsFunction, layoutStep, migrate, newest, onConnection, requireSchema, schemaOf } from "./Migrate.ts"
export { bindText, readText, rows, type Value } from "./Rows.ts"
export { codeOf, codes, isTakenBack, Refused, storageError } from "./SqlFailures.ts"
export { history, noticeTimeline, refusals, selectTimeline, unknownTimeline, warnOfTimeline } from "./Timeline.ts"
