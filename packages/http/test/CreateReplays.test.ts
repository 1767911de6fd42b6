/** What a create's key resolves to, from outside. */
import { describe, expect, test } from "vitest"
import { answerOf, create, operate, retrieve } from "./support/Payments.ts"
import { stores } from "./support/Stores.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { keys } from "./support/World.ts"

let count = 0
const newIdempotencyKey = () => `the-key-of-a-create-${++count}`

describe.each(stores)("over %s", (_name, store) => {
  const world = usedWorld(store, { testClock: true, servers: 2 })

  test("a payment that moved on is answered as at first when its key comes again", async () => {
    const idempotencyKey = newIdempotencyKey()
    const ask = () => create(world, { capture_method: "manual", reference: "order-1" }, { idempotencyKey })
    const first = await ask()
    const { id } = first.body.data
    await operate(world, "capture", id)
    await operate(world, "refund", id, { body: { amount: 100 } })
    expect((await retrieve(world, id))["status"]).toBe("PARTIALLY_REFUNDED")
    const again = await ask()
    expect([again.status, again.body]).toEqual([201, first.body])
    expect(again.headers.get("idempotent-replay")).toBe("true")
    expect(world.provider.charges).toHaveLength(1)
  })

  test("a key is free for a good body after a body that was refused", async () => {
    const idempotencyKey = newIdempotencyKey()
    const ask = (fields: object) => create(world, fields, { idempotencyKey })
    expect(answerOf(await ask({ amount: 49 }))).toBe("422 validation_error")
    expect(answerOf(await ask({ country: "ZZ" }))).toBe("422 validation_error")
    expect((await ask({})).status).toBe(201)
  })

  test("two bodies that mean the same are one request under one key", async () => {
    const idempotencyKey = newIdempotencyKey()
    const send = (body: string) =>
      world.send("/api/v1/payments", {
        key: keys.acme,
        body,
        headers: { "idempotency-key": idempotencyKey }
      })
    const first = await send('{"amount":1000,"currency":"EUR","country":"NL"}')
    const again = await send(
      '{ "country": "N\\u004c", "unknown": [1], "debug": false, "method": "card", "initiator": "cit",' +
        ' "capture_method": "automatic", "currency": "EUR", "amount": 1e3 }'
    )
    expect(again.body).toEqual(first.body)
    expect(again.headers.get("idempotent-replay")).toBe("true")
    const debug = await send('{"amount":1000,"currency":"EUR","country":"NL","debug":true}')
    expect(answerOf(debug)).toBe("422 idempotency_key_reuse")
  })

  test("a request without a key that comes twice is two payments", async () => {
    const ids = [await create(world), await create(world)]
    expect(new Set(ids.map(({ body }) => body.data.id)).size).toBe(2)
    expect(world.provider.charges).toHaveLength(2)
  })
})
