/** Storage in PostgreSQL: `PostgresStorage.layer({ url })`. */
export { layer, type PostgresStorageOptions } from "./Layer.ts"
