/** `node PlaceSchema.ts <url>`: makes the schema in a database of Citus. A setup of vitest cannot load the sources itself. */
import { Effect, Redacted } from "effect"
import { openDistributed } from "../../src/Layer.ts"

const url = Redacted.make(process.argv[2] as string)

await Effect.runPromise(Effect.scoped(openDistributed({ url })))
