/**
 * The storage suite once more, with every commit written by the statement that writes many: with the long races
 * (`POINTSMAN_RACES=all`). `Together.test.ts` shows what is its own.
 */
import { storageSuite } from "@pointsman/contracts/storage"
import { Effect, Layer } from "effect"
import { describe } from "vitest"
import { layerGathering } from "../src/Layer.ts"
import { hasServer, newDatabase } from "./support/TestDatabase.ts"

const together = Layer.unwrap(
  Effect.map(newDatabase, (url) => layerGathering({ url, allowAsyncCommit: true, mostAlone: 0, fewestTogether: 1 }))
)

const isLong = process.env["POINTSMAN_RACES"] === "all"

describe.skipIf(!hasServer || !isLong)("a database of PostgreSQL, commits together (POINTSMAN_RACES=all)", () => {
  storageSuite("postgres, together", together)
})
