/** The storage suite behind PgBouncer in session mode (`POINTSMAN_LONG=all`). */
import { storageSuite } from "@pointsman/contracts/storage"
import { layer } from "@pointsman/storage-postgres"
import { Effect, Layer } from "effect"
import { describe } from "vitest"
import { isLong } from "./support/LongRuns.ts"
import { findPgBouncer, pooled } from "./support/PgBouncer.ts"
import { hasServer, newDatabase } from "./support/TestDatabase.ts"

describe.skipIf(!hasServer || !isLong || findPgBouncer() === undefined)("a database behind PgBouncer", () => {
  const behind = newDatabase.pipe(
    Effect.flatMap((url) => pooled(url, { poolMode: "session" })),
    Effect.map((url) => layer({ url, allowAsyncCommit: true }))
  )
  storageSuite("postgres, PgBouncer in session mode", Layer.unwrap(behind))
})
