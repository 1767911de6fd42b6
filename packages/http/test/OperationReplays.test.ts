/** What a key resolves to. */
import { describe, expect, test } from "vitest"
import { answerOf, authorized, captured, expectSound, type OperationName, operate } from "./support/Payments.ts"
import { stores } from "./support/Stores.ts"
import { usedWorld } from "./support/UsedWorld.ts"

const idempotencyKey = "the-key-of-a-replay"
const names = ["capture", "void", "refund"] as const satisfies ReadonlyArray<OperationName>

describe.each(stores)("over %s", (_name, store) => {
  const world = usedWorld(store, { servers: 2 })

  const begin = (name: OperationName, fields: object = {}) =>
    name === "refund" ? captured(world, fields) : authorized(world, fields)
  const calls = () => world.provider.captures.length + world.provider.voids.length + world.provider.refunds.length

  test("a key is free for a good amount after one that was refused", async () => {
    const id = await authorized(world)
    for (const amount of [0, 1001]) {
      expect(answerOf(await operate(world, "capture", id, { idempotencyKey, body: { amount } }))).toBe(
        "422 invalid_amount"
      )
    }
    expect(answerOf(await operate(world, "refund", id, { idempotencyKey }))).toBe("409 not_refundable")
    expect(answerOf(await operate(world, "capture", id, { idempotencyKey, body: { amount: 1000 } }))).toBe("200")
    expect(answerOf(await operate(world, "refund", id, { idempotencyKey }))).toBe("200")
  })

  test.each(names)("one of 32 of a %s under one key reaches the provider, 10 times in a row", async (name) => {
    for (let round = 0; round < 10; round++) {
      const id = await begin(name)
      world.reset()
      const replies = await Promise.all(
        Array.from({ length: 32 }, (_, racer) => operate(world, name, id, { idempotencyKey, server: racer % 2 }))
      )
      expect(calls()).toBe(1)
      const meanwhile = name === "refund" ? "409 refund_pending" : "409 idempotency_in_progress"
      const confirmed = replies.filter(({ status }) => status === 200)
      expect(confirmed.filter(({ headers }) => headers.get("idempotent-replay") === null)).toHaveLength(1)
      for (const { body } of confirmed) expect(body).toEqual(confirmed[0]?.body)
      for (const reply of replies) expect(["200", meanwhile]).toContain(answerOf(reply))
      await expectSound(world, id)
    }
  })
})
