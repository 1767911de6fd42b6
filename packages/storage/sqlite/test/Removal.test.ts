/** A removal deletes all that refers to a payment itself, without SQLite's search for it in whole tables. */
import { describe, expect, it } from "@effect/vitest"
import { Deliveries, Directory, Ids, Ledger, Retention } from "@pointsman/core/ports"
import { Effect, Exit } from "effect"
import { type Database, open, remove, update } from "../src/Database.ts"
import { newChange, newFile, tenant, withStorage } from "./Given.ts"

describe("a removal", () => {
  it.live("given a removal, when it is over or has failed, then foreign keys are checked again", () =>
    Effect.gen(function* () {
      const filename = yield* newFile
      yield* withStorage({ filename })(Effect.void)
      const db = yield* open(filename)
      const areChecked = () => db.prepare("PRAGMA foreign_keys").get()?.["foreign_keys"]
      const orphan = () =>
        db
          .prepare(
            `insert into delivery_attempts (workspace_id, environment, delivery_id, number, sent_at)
              values ('ws', 'sandbox', 'dlv_0', 1, 1)`
          )
          .run().changes
      expect(yield* remove(db, "remove", areChecked)).toBe(0)
      expect(areChecked()).toBe(1)
      const failed = yield* Effect.exit(
        remove(db, "remove", () => {
          throw new Error("the disk is gone")
        })
      )
      expect(Exit.isFailure(failed)).toBe(true)
      expect(orphan).toThrow(/FOREIGN KEY constraint failed/u)
      db.close()
    })
  )

  it.live(
    "given a removal that could not be rolled back, when another write comes, then foreign keys are checked",
    () =>
      Effect.gen(function* () {
        const filename = yield* newFile
        yield* withStorage({ filename })(Effect.void)
        const db = yield* open(filename)
        const failing: Database = {
          ...db,
          prepare: (sql) => {
            if (sql === "ROLLBACK") throw new Error("the disk is gone")
            return db.prepare(sql)
          }
        }
        yield* Effect.flip(
          remove(failing, "remove", () => {
            throw new Error("the disk is gone")
          })
        )
        expect(db.isTransaction()).toBe(true)
        yield* update(db, "write", () => undefined)
        expect(db.prepare("PRAGMA foreign_keys").get()?.["foreign_keys"]).toBe(1)
        db.close()
      })
  )

  it.live("given a payment with deliveries and attempts, when it is removed, then no row refers to what is gone", () =>
    Effect.gen(function* () {
      const filename = yield* newFile
      yield* withStorage({ filename })(
        Effect.gen(function* () {
          const endpoint = { id: "whe_1", ...tenant, url: "https://merchant.example/", events: ["*"] }
          yield* (yield* Directory).write({
            workspaces: [],
            apiKeys: [],
            connections: [],
            routing: [],
            webhookEndpoints: [{ ...endpoint, sealedSecret: "sealed", active: true }]
          })
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
          for (const table of ["payments", "events", "deliveries", "delivery_attempts"]) {
            expect(db.prepare(`select count(*) as count from ${table}`).get()?.["count"]).toBe(1)
          }
          db.close()
        })
      )
    }).pipe(Effect.provide(Ids.layer))
  )
})
