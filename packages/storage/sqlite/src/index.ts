/** Storage in a SQLite file: `SqliteStorage.layer({ filename })`. */
export { layer, type SqliteStorageOptions } from "./Layer.ts"
export { type Inspection, inspect } from "./SchemaCheck.ts"
