/** What the storage on a Citus cluster is made of (`@pointsman/storage-citus`). Not for programs: it changes without notice. */

export { arrayText } from "./Books.ts"
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
export { inRealTime } from "./ConnectionMode.ts"
export { NoConnection } from "./Connections.ts"
export { type Database, open, type Params, type PostgresOptions, type Query } from "./Database.ts"
export { type DatabaseClock, nowColumn } from "./DatabaseClock.ts"
export { endpointsAndFirst, takeFrom } from "./Deliveries.ts"
export { handleOf, type PostgresStorageOptions, servicesOf } from "./Layer.ts"
export { eventIdsFunction, layoutStep, migrate, newest, onConnection, requireSchema, schemaOf } from "./Migrate.ts"
export { type Comparison, comparisonIn } from "./RecordLoss.ts"
export { bindText, keyHash, readText, rows, tenantNumber, type Value } from "./Rows.ts"
export { codeOf, codes, isTakenBack, Refused, storageError } from "./SqlFailures.ts"
export { history, noticeTimeline, refusals, selectTimeline, unknownTimeline, warnOfTimeline } from "./Timeline.ts"
