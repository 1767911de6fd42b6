/** A name leads to a book by a short hash, and what is found is compared with the book. */
import { describe, expect, it } from "@effect/vitest"
import { Ids, Ledger } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { open } from "../src/Database.ts"
import { tenantHash } from "../src/Rows.ts"
import { newChange, newFile, tenant, withStorage } from "./Given.ts"

describe("names", () => {
  it.live("a message is of the payment that it names among two with the same hashes", () =>
    Effect.gen(function* () {
      const filename = yield* newFile
      yield* withStorage({ filename })(
        Effect.gen(function* () {
          const ledger = yield* Ledger
          const changes = [yield* newChange(), yield* newChange()]
          for (const change of changes) yield* ledger.commit(change)
          const db = yield* open(filename)
          db.exec(`insert into names (t, name, payment) select one.t, one.name, other.payment
            from names as one join names as other on one.payment <> other.payment`)
          db.close()
          for (const { attempts, payment } of changes) {
            const found = yield* ledger.bookOf(tenant, { attemptId: attempts[0]?.id ?? "" })
            expect(Option.map(found, ({ book, others }) => [book.payment.id, ...others])).toEqual(
              Option.some([payment.after.id])
            )
          }
        })
      )
    }).pipe(Effect.provide(Ids.layer))
  )

  it.live("a tenant whose hash another tenant has writes nothing", () =>
    Effect.gen(function* () {
      const filename = yield* newFile
      yield* withStorage({ filename })(
        Effect.gen(function* () {
          const ledger = yield* Ledger
          const change = yield* newChange()
          const db = yield* open(filename)
          db.prepare("insert into tenants (t, workspace_id, environment) values (?, 'another', 'sandbox')").run(
            tenantHash(tenant)
          )
          db.close()
          expect(yield* Effect.flip(ledger.commit(change))).toMatchObject({ _tag: "pointsman/StorageError" })
          expect(yield* ledger.payment(tenant, change.payment.after.id)).toEqual(Option.none())
        })
      )
    }).pipe(Effect.provide(Ids.layer))
  )
})
