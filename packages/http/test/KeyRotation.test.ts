/** Several keys of one workspace, and a new one in the place of an old one. */
import { describe, expect, test } from "vitest"
import { answerOf, create, get, operate } from "./support/Payments.ts"
import { stores } from "./support/Stores.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { newKey, own, write } from "./support/Workspaces.ts"
import { apiKeyOf } from "./support/World.ts"

describe.each(stores)("over %s", (_name, store) => {
  const world = usedWorld(store, { servers: 2 })

  test("a revoked first key stops at once on every server, and the second continues", async () => {
    const { id, key: old } = await own(world, [{ name: "main" }])
    const idempotencyKey = "key-of-a-rotation"
    const paid = await create(world, { capture_method: "manual" }, { key: old, idempotencyKey })
    const payment = paid.body.data.id
    const fresh = await newKey(world, id, "sandbox")
    for (const key of [old, fresh]) {
      for (const { send } of world.servers) {
        expect((await send(`/api/v1/payments/${payment}`, { key })).body.data).toMatchObject({ status: "AUTHORIZED" })
      }
    }

    await write(world, { apiKeys: [apiKeyOf(old, id, { revokedAt: 1 })] })
    for (const server of [0, 1]) {
      const asked = { key: old, server }
      expect(answerOf(await create(world, {}, asked))).toBe("401 unauthorized")
      expect(answerOf(await operate(world, "capture", payment, asked))).toBe("401 unauthorized")
      expect(answerOf(await operate(world, "void", payment, asked))).toBe("401 unauthorized")
      expect(answerOf(await operate(world, "refund", payment, asked))).toBe("401 unauthorized")
    }
    expect(answerOf(await get(world, `/payments/${payment}`, old))).toBe("401 unauthorized")
    expect(answerOf(await get(world, "/events", old))).toBe("401 unauthorized")

    // What the old key made is the workspace's: the new one hears of it, under its Idempotency-Key too.
    const again = await create(world, { capture_method: "manual" }, { key: fresh, idempotencyKey })
    expect([again.body, again.headers.get("idempotent-replay")]).toEqual([paid.body, "true"])
    expect(answerOf(await operate(world, "capture", payment, { key: fresh }))).toBe("200")
  })
})
