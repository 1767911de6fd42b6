/** A removal deletes all that refers to a payment itself. */
import { describe, expect, it } from "@effect/vitest"
import { Deliveries, Directory, Ids, Ledger, Retention } from "@pointsman/core/ports"
import { Effect } from "effect"
import { open } from "../src/Database.ts"
import { contentsOf, newChange, newFile, tenant, withStorage } from "./Given.ts"

describe("a removal", () => {
  it.live("no row refers to what is gone after a payment with deliveries is removed", () =>
    Effect.gen(function* () {
      const filename = yield* newFile
      yield* withStorage({ filename })(
        Effect.gen(function* () {
          const endpoint = { id: "whe_1", ...tenant, url: "https://merchant.example/", events: ["*"] }
          const webhookEndpoints = [{ ...endpoint, sealedSecret: "sealed", active: true }]
          yield* (yield* Directory).write(contentsOf({ webhookEndpoints }))
          const changes = [yield* newChange(), yield* newChange()]
          for (const change of changes) yield* (yield* Ledger).commit(change)
          const deliveries = yield* Deliveries
          const db = yield* open(filename)
          for (const one of yield* deliveries.list(tenant, { limit: 9 })) {
            yield* deliveries.replace(one, { ...one, state: "Refused", dueAt: null })
            db.prepare(
              `insert into delivery_attempts (workspace_id, environment, delivery_id, number, sent_at)
                values ('ws', 'sandbox', ?, 1, 1)`
            ).run(one.id)
          }
          const [gone] = changes
          const paymentId = gone?.payment.after.id ?? ""
          expect(yield* (yield* Retention).remove([{ tenant, paymentId, version: 1 }])).toEqual([paymentId])
          expect(db.prepare("PRAGMA foreign_key_check").all()).toEqual([])
          for (const table of ["payments", "names", "events", "deliveries", "delivery_attempts"]) {
            expect(db.prepare(`select count(*) as count from ${table}`).get()?.["count"]).toBe(1)
          }
          db.close()
        })
      )
    }).pipe(Effect.provide(Ids.layer))
  )
})
