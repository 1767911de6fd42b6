import { layer, type PostgresStorageOptions } from "@pointsman/storage-postgres"
import { Layer, References } from "effect"
import { within } from "../../sql/test/Given.ts"

export { contentsOf, newChange, newRefund, rate, tenant } from "../../sql/test/Given.ts"

/** Warnings of the database's settings would be repeated by every test. */
const quiet = Layer.succeed(References.MinimumLogLevel, "Error")

/** Opens the database, runs the effect and closes it. The tests' server does not wait for its disk. */
export const withStorage = (options: PostgresStorageOptions) =>
  within(Layer.provide(layer({ allowAsyncCommit: true, ...options }), quiet))
