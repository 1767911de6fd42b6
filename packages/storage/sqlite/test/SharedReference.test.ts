/** A file of a version that let two payments of a connection have one reference. */
import { describe, it } from "@effect/vitest"
import { Ids, Ledger } from "@pointsman/core/ports"
import { Effect } from "effect"
import { expectShared, newCharge, newDecline } from "../../sql/test/SharedReference.ts"
import { open } from "../src/Database.ts"
import { newFile, withoutAccounts, withoutCheckedConnections, withoutSearch, withStorage } from "./Given.ts"

describe("a reference of two payments", () => {
  it.effect("given a file of an older version, when it is opened, then both go on, and no third gets it", () =>
    Effect.gen(function* () {
      const filename = yield* newFile
      const [first, second] = [yield* newCharge("ch-1"), yield* newCharge("ch-2")]
      const declined = yield* newDecline("ch-3")
      yield* withStorage({ filename })(
        Effect.flatMap(Ledger, (ledger) => Effect.forEach([first, second, declined], ledger.commit))
      )
      const db = yield* open(filename)
      db.prepare("update payments set provider_ref = 'ch-1'").run()
      db.prepare("drop table charge_references").run()
      for (const table of ["attempts", "operations", "refunds"]) {
        db.prepare(`alter table ${table} drop column claimed_by`).run()
      }
      db.prepare("drop table named_references").run()
      db.prepare("drop table kept_secrets").run()
      for (const table of ["configurations", "recovered_connections", "record_losses"]) {
        db.prepare(`drop table ${table}`).run()
      }
      withoutCheckedConnections(db)
      withoutSearch(db)
      withoutAccounts(db)
      db.prepare("delete from pointsman_migrations where migration_id >= 14").run()
      db.close()
      yield* withStorage({ filename })(expectShared(first, second, declined))
    }).pipe(Effect.provide(Ids.layer))
  )
})
