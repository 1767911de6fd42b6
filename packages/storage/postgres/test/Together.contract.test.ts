/**
 * The storage suite once more, with every commit written by the statement that writes many: with the long races
 * (`POINTSMAN_RACES=all`). `Together.test.ts` shows what is its own.
 */
import { storageSuite } from "@pointsman/contracts/storage"
import {
  Audit,
  Deliveries,
  Directory,
  Ledger,
  Merchants,
  RecordLosses,
  SealedTexts,
  SuccessRates
} from "@pointsman/core/ports"
import { Context, Effect, Layer } from "effect"
import { describe } from "vitest"
import { make as makeAudit } from "../src/Audit.ts"
import { open } from "../src/Database.ts"
import { make as makeDeliveries } from "../src/Deliveries.ts"
import { make as makeDirectory } from "../src/Directory.ts"
import { make as makeLedger } from "../src/Ledger.ts"
import { make as makeMerchants } from "../src/Merchants.ts"
import { migrate } from "../src/Migrate.ts"
import { make as makeRecordLosses } from "../src/RecordLoss.ts"
import { make as makeSealedTexts } from "../src/SealedTexts.ts"
import { make as makeSuccessRates } from "../src/SuccessRates.ts"
import { hasServer, newDatabase } from "./support/TestDatabase.ts"

const together = Layer.effectContext(
  Effect.gen(function* () {
    const db = yield* open({ url: yield* newDatabase })
    yield* migrate(db)
    const ledger = yield* makeLedger(db, { mostAlone: 0, fewestTogether: 1 })
    const { directory, forget } = yield* makeDirectory(db)
    return Context.make(Ledger, ledger).pipe(
      Context.add(Deliveries, makeDeliveries(db)),
      Context.add(Directory, directory),
      Context.add(Merchants, makeMerchants(db, forget)),
      Context.add(SealedTexts, makeSealedTexts(db, forget)),
      Context.add(SuccessRates, makeSuccessRates(db)),
      Context.add(RecordLosses, makeRecordLosses(db).losses),
      Context.add(Audit, makeAudit(db))
    )
  })
)

const isLong = process.env["POINTSMAN_RACES"] === "all"

describe.skipIf(!hasServer || !isLong)("a database of PostgreSQL, commits together (POINTSMAN_RACES=all)", () => {
  storageSuite("postgres, together", together)
})
