/** Storage in PostgreSQL: `PostgresStorage.layer({ url })`. */
export { type ConditionOptions, type Durability, type Inspection, inspect } from "./Condition.ts"
export { postgres } from "./Handle.ts"
export { layer, type PostgresStorageOptions } from "./Layer.ts"
export type { StandbyOptions } from "./Standby.ts"
