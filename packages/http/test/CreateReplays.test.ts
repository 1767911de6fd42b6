/** What a create's key resolves to, from outside. */
import { describe, expect, test } from "vitest"
import { stepOf } from "./support/Faults.ts"
import { answerOf, create, operate, retrieve } from "./support/Payments.ts"
import { stores } from "./support/Stores.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { own } from "./support/Workspaces.ts"
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

  test("a capture and a refund are answered as at first when others came after them", async () => {
    const { id } = (await create(world, { capture_method: "manual" })).body.data
    const capture = () => operate(world, "capture", id, { idempotencyKey: "key-of-capture" })
    const refund = () => operate(world, "refund", id, { idempotencyKey: "key-of-refund", body: { amount: 300 } })
    const firsts = [await capture(), await refund()]
    await operate(world, "refund", id)
    expect((await retrieve(world, id))["status"]).toBe("REFUNDED")
    const agains = [await capture(), await refund()]
    expect(agains.map(({ body }) => body)).toEqual(firsts.map(({ body }) => body))
    expect(agains.map(({ body }) => body.data.status)).toEqual(["CAPTURED", "PARTIALLY_REFUNDED"])
    expect(agains.map(({ headers }) => headers.get("idempotent-replay"))).toEqual(["true", "true"])
    expect([world.provider.captures.length, world.provider.refunds.length]).toEqual([1, 2])
  })

  test("one key of two workspaces and two environments has a payment for each", async () => {
    const idempotencyKey = newIdempotencyKey()
    const strangers = [keys.acme, keys.acmeLive, keys.globex]
    const replies = await Promise.all(strangers.map((key) => create(world, {}, { key, idempotencyKey })))
    expect(replies.map(({ status, headers }) => [status, headers.get("idempotent-replay")])).toEqual(
      strangers.map(() => [201, null])
    )
    expect(new Set(replies.map(({ body }) => body.data.id)).size).toBe(strangers.length)
  })

  test("a request after routing_failed is a new one, and nothing was recorded", async () => {
    const { connect, key } = await own(world, [{ name: "main", active: false }])
    const idempotencyKey = newIdempotencyKey()
    const ask = (fields: object = {}) => create(world, fields, { key, idempotencyKey })
    expect([answerOf(await ask()), answerOf(await ask({ amount: 2000 }))]).toEqual([
      "409 routing_failed",
      "409 routing_failed"
    ])
    const list = await world.send("/api/v1/payments", { key })
    const events = await world.send("/api/v1/events", { key })
    expect([list.body.data, events.body.data]).toEqual([[], []])
    await connect({ name: "main", active: true })
    const routed = await ask({ amount: 3000 })
    expect([routed.body.data.amount, routed.headers.get("idempotent-replay")]).toEqual([3000, null])
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

  test("payment_result_unknown leads to 409 for 15 minutes, then UNKNOWN, and one charge", async () => {
    const idempotencyKey = newIdempotencyKey()
    const ask = (fields: object = {}) => create(world, fields, { idempotencyKey, server: 1 })
    world.ledger.onCommit = (_number, change) => (stepOf(change) === "settle" ? "unwritten" : undefined)
    expect(answerOf(await world.runOut(create(world, {}, { idempotencyKey })))).toBe("500 payment_result_unknown")
    // The process that heard the answer is gone.
    await world.kill(0)
    world.ledger.onCommit = () => undefined
    expect(answerOf(await ask())).toBe("409 idempotency_in_progress")
    await world.adjust("14 minutes")
    expect(answerOf(await ask())).toBe("409 idempotency_in_progress")
    expect(answerOf(await ask({ amount: 2000 }))).toBe("422 idempotency_key_reuse")
    await world.adjust("1 minute")
    const recorded = await ask()
    expect([recorded.status, recorded.body.data.status]).toEqual([201, "UNKNOWN"])
    expect(recorded.headers.get("idempotent-replay")).toBe("true")
    expect((await ask()).body).toEqual(recorded.body)
    expect(world.provider.charges).toHaveLength(1)
  })
})
