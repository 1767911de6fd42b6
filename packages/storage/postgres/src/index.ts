/** Storage in PostgreSQL: `PostgresStorage.layer({ url })`. */
export { type ConditionOptions, type Durability, type Inspection, inspect } from "./Condition.ts"
export { layer, type PostgresStorageOptions, postgres } from "./Layer.ts"
export type { StandbyOptions } from "./Standby.ts"
