/** Storage in PostgreSQL: `PostgresStorage.layer({ url })`. */
export type { ConditionOptions, Durability } from "./Condition.ts"
export { postgres } from "./Handle.ts"
export { type Inspection, inspect } from "./Inspect.ts"
export { layer, type PostgresStorageOptions } from "./Layer.ts"
export type { StandbyOptions } from "./Standby.ts"
