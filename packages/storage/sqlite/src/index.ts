/** Storage in a SQLite file: `SqliteStorage.layer({ filename })`, or `sqlite(filename)` for programs without Effect. */
export { layer, type SqliteStorageOptions, sqlite } from "./Layer.ts"
export { type Inspection, inspect } from "./Migrations.ts"
