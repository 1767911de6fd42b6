/** What a key resolves to, from outside, also as time passes: a millisecond before each limit and at it. */
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { deliver, refund } from "./support/Messages.ts"
import {
  answerOf,
  authorized,
  captured,
  create,
  expectSound,
  type OperationName,
  operate,
  retrieve
} from "./support/Payments.ts"
import { stores } from "./support/Stores.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import type { Reply } from "./support/Web.ts"
import { keys } from "./support/World.ts"

const day = 86_400_000
const names = ["capture", "void", "refund"] as const satisfies ReadonlyArray<OperationName>

/** The keys of operations are their payment's, but those of creates are not. */
let count = 0
const newIdempotencyKey = () => `the-key-of-a-create-${++count}`
const idempotencyKey = "the-key-of-a-replay"

const isReplay = (reply: Reply) => reply.headers.get("idempotent-replay") === "true"

describe.each(stores)("over %s", (_name, store) => {
  const world = usedWorld(store, { testClock: true, servers: 2 })

  describe("the key of a create", () => {
    test("a payment that moved on is answered as at first when its key comes again", async () => {
      const idempotencyKey = newIdempotencyKey()
      const ask = () => create(world, { capture_method: "manual", reference: "order-1" }, { idempotencyKey })
      const first = await ask()
      const { id } = first.body.data
      await operate(world, "capture", id)
      await operate(world, "refund", id, { body: { amount: 100 } })
      expect((await retrieve(world, id))["status"]).toBe("PARTIALLY_REFUNDED")
      const again = await ask()
      expect([again.status, again.body, isReplay(again)]).toEqual([201, first.body, true])
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
      const headers = { "idempotency-key": newIdempotencyKey() }
      const send = (body: string) => world.send("/api/v1/payments", { key: keys.acme, body, headers })
      const first = await send('{"amount":1000,"currency":"EUR","country":"NL"}')
      const again = await send(
        '{ "country": "N\\u004c", "unknown": [1], "debug": false, "method": "card", "initiator": "cit",' +
          ' "capture_method": "automatic", "currency": "EUR", "amount": 1e3 }'
      )
      expect([again.body, isReplay(again)]).toEqual([first.body, true])
      const debug = await send('{"amount":1000,"currency":"EUR","country":"NL","debug":true}')
      expect(answerOf(debug)).toBe("422 idempotency_key_reuse")
    })

    test("a request without a key that comes twice is two payments", async () => {
      const ids = [await create(world), await create(world)]
      expect(new Set(ids.map(({ body }) => body.data.id)).size).toBe(2)
      expect(world.provider.charges).toHaveLength(2)
    })
  })

  describe("the key of an operation", () => {
    /** Seconds of the test's clock. */
    let now = 0
    const wait = async (millis: number) => {
      now += millis / 1000
      await world.adjust(millis)
    }

    test("a key is free for a good amount after one that was refused", async () => {
      const id = await authorized(world)
      const ask = async (name: OperationName, amount?: number) =>
        answerOf(await operate(world, name, id, { idempotencyKey, body: { amount } }))
      for (const amount of [0, 1001]) expect(await ask("capture", amount)).toBe("422 invalid_amount")
      expect(await ask("refund")).toBe("409 not_refundable")
      expect(await ask("capture", 1000)).toBe("200")
      expect(await ask("refund")).toBe("200")
    })

    test.each(names)("one of 32 of a %s under one key reaches the provider, 10 times in a row", async (name) => {
      for (let round = 0; round < 10; round++) {
        const id = await (name === "refund" ? captured : authorized)(world)
        world.reset()
        const replies = await Promise.all(
          Array.from({ length: 32 }, (_, racer) => operate(world, name, id, { idempotencyKey, server: racer % 2 }))
        )
        const { captures, refunds, voids } = world.provider
        expect(captures.length + voids.length + refunds.length).toBe(1)
        const meanwhile = name === "refund" ? "409 refund_pending" : "409 idempotency_in_progress"
        const confirmed = replies.filter(({ status }) => status === 200)
        expect(confirmed.filter((reply) => !isReplay(reply))).toHaveLength(1)
        for (const { body } of confirmed) expect(body).toEqual(confirmed[0]?.body)
        for (const reply of replies) expect(["200", meanwhile]).toContain(answerOf(reply))
        await expectSound(world, id)
      }
    })

    for (const [status, failure_reason, answer] of [
      ["succeeded", undefined, "200"],
      ["failed", "The account is closed.", "502 psp_error"]
    ] as const) {
      test(`a pending operation that has ${status} is ${answer} after 24 hours`, async () => {
        const id = await captured(world)
        const ask = () => operate(world, "refund", id, { idempotencyKey })
        world.provider.onRefund = () => Effect.succeed({ _tag: "RefundPending", providerRefundId: "re_1" })
        expect(answerOf(await ask())).toBe("409 refund_pending")
        const message = refund(world.provider.refunds[0]?.refundId ?? "", status, { failure_reason })
        expect(answerOf(await deliver(world, message, { timestamp: now }))).toBe("200")
        await wait(day - 1)
        expect(answerOf(await ask())).toBe("409 refund_pending")
        await wait(1)
        const reply = await ask()
        expect(answerOf(reply)).toBe(answer)
        if (failure_reason === undefined) expect(reply.body.data).toEqual(await retrieve(world, id))
        else expect(reply.body.error.message).toBe(failure_reason)
        expect(world.provider.refunds).toHaveLength(1)
      })
    }

    test("a capture's key still answers as at first after a year", async () => {
      const id = await authorized(world)
      const first = await operate(world, "capture", id, { idempotencyKey })
      await wait(365 * day)
      await operate(world, "refund", id)
      const replay = await operate(world, "capture", id, { idempotencyKey })
      expect([replay.body, isReplay(replay)]).toEqual([first.body, true])
      expect(world.provider.captures).toHaveLength(1)
    })
  })
})
