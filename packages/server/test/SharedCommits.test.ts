import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { temporaryFolder } from "./support/ServerProcess.ts"
import { createAtOnce, sqliteWorld } from "./support/SqliteWorld.ts"

describe("durable writes of creates on SQLite", () => {
  it.live("32 creates at once share a write for 16 changes, and each is two changes", () =>
    Effect.suspend(() => {
      const world = sqliteWorld(join(temporaryFolder(), "pointsman.db"))
      return Effect.gen(function* () {
        yield* createAtOnce(1, 1)
        assert.deepStrictEqual(world.durable, [1, 1])
        world.durable.length = 0
        const created = yield* createAtOnce(32, 32)
        assert.isTrue(created.every(({ payment }) => payment.state === "Captured"))
        assert.strictEqual(
          world.durable.reduce((sum, changes) => sum + changes, 0),
          64
        )
        assert.isAtLeast(64 / world.durable.length, 16, `changes in each durable write: ${world.durable.join(", ")}`)
      }).pipe(Effect.provide(world.layer))
    })
  )
})
