/** A removal deletes all that refers to a payment itself, without SQLite's search for it in whole tables. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { open, remove } from "../src/Database.ts"
import { newFile, withStorage } from "./Given.ts"

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
})
