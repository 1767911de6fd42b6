import { layer, type PostgresStorageOptions } from "@pointsman/storage-postgres"
import { within } from "../../sql/test/Given.ts"

export { newChange, rate, tenant } from "../../sql/test/Given.ts"

/** Opens the database, runs the effect and closes it. */
export const withStorage = (options: PostgresStorageOptions) => within(layer(options))
