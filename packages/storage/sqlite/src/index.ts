/** Storage in a SQLite file: `SqliteStorage.layer({ filename })`, or `sqlite(filename)` for programs without Effect. */
export { sqlite } from "./Handle.ts"
export { layer, type SqliteStorageOptions } from "./Layer.ts"
export { type Inspection, inspect } from "./SchemaCheck.ts"
