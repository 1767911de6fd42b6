import { storageSuite } from "@pointsman/contracts/storage"
import { layer } from "@pointsman/storage-postgres"
import { Effect, Layer } from "effect"
import { describe } from "vitest"
import { hasServer, newDatabase } from "./support/TestDatabase.ts"

describe.skipIf(!hasServer)("a database of PostgreSQL", () => {
  storageSuite("postgres", Layer.unwrap(Effect.map(newDatabase, (url) => layer({ url, allowAsyncCommit: true }))))
})
