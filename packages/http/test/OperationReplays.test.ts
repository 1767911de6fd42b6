/** What a key resolves to. */
import { type OperationAnswer, type RefundAnswer, Unanswered } from "@pointsman/core/ports"
import { Effect } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
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
import { openWorld, type World } from "./support/World.ts"

const idempotencyKey = "the-key-of-a-replay"
const names = ["capture", "void", "refund"] as const satisfies ReadonlyArray<OperationName>

type Answer = Effect.Effect<OperationAnswer & RefundAnswer, Unanswered>
const rejects: Answer = Effect.succeed({ _tag: "Rejected", code: "E1", message: "Not now." })
const isSilent: Answer = Effect.fail(new Unanswered({ reason: "timed out" }))
const providerRef = "ch_1"

/** What the provider answers the first request, what that is answered, and whether the key is kept. */
interface Row {
  readonly on: OperationName
  readonly answers: string
  readonly script?: (world: World) => void
  readonly answer: string
  readonly isKept: boolean
}

const scriptAll = (answer: Answer) => (world: World) => {
  world.provider.onCapture = () => answer
  world.provider.onVoid = () => answer
  world.provider.onRefund = () => answer
}

const rows: ReadonlyArray<Row> = names.flatMap(
  (on): ReadonlyArray<Row> => [
    { on, answers: "yes", answer: "200", isKept: true },
    { on, answers: "no", script: scriptAll(rejects), answer: "502 psp_error", isKept: on === "refund" },
    { on, answers: "nothing", script: scriptAll(isSilent), answer: `502 ${on}_result_unknown`, isKept: true },
    {
      on,
      answers: "later",
      script: ({ provider }) => {
        provider.onCapture = () => Effect.succeed({ _tag: "Pending", providerRef })
        provider.onVoid = () => Effect.succeed({ _tag: "Pending", providerRef })
        provider.onRefund = () => Effect.succeed({ _tag: "RefundPending", providerRefundId: "re_1" })
      },
      answer: on === "refund" ? "409 refund_pending" : "200",
      isKept: true
    },
    ...(on === "refund"
      ? []
      : [
          {
            on,
            answers: "the opposite",
            script: ({ provider }: World) => {
              provider.onCapture = () => Effect.succeed({ _tag: "Canceled", providerRef })
              provider.onVoid = () => Effect.succeed({ _tag: "Captured", providerRef })
            },
            answer: "500 state_conflict",
            isKept: true
          }
        ])
  ]
)

describe.each(stores)("over %s", (_name, store) => {
  let world: World
  beforeAll(async () => {
    world = await openWorld(store, { servers: 2 })
  })
  beforeEach(() => world.reset())
  afterAll(() => world.close())

  const begin = (name: OperationName, fields: object = {}) =>
    name === "refund" ? captured(world, fields) : authorized(world, fields)
  const calls = () => world.provider.captures.length + world.provider.voids.length + world.provider.refunds.length

  for (const { answer, answers, isKept, on, script } of rows) {
    test(`the key of a ${on} answered ${answers} is ${isKept ? "kept" : "free"}`, async () => {
      const id = await begin(on)
      script?.(world)
      const first = await operate(world, on, id, { idempotencyKey })
      expect([answerOf(first), first.headers.get("idempotent-replay")]).toEqual([answer, null])
      const before = await retrieve(world, id)
      // From here on the provider would do it.
      world.reset()
      const again = await operate(world, on, id, { idempotencyKey, server: 1 })
      if (isKept) {
        expect([again.status, again.body]).toEqual([first.status, first.body])
        expect(again.headers.get("idempotent-replay")).toBe(answer === "200" ? "true" : null)
        expect(await retrieve(world, id)).toEqual(before)
      } else {
        expect([answerOf(again), again.headers.get("idempotent-replay")]).toEqual(["200", null])
      }
      expect(calls()).toBe(isKept ? 0 : 1)
      const other = await operate(world, on, id, { idempotencyKey, body: { amount: 999 } })
      // A void takes no amount: whatever is sent with it, it is the same void.
      expect(answerOf(other)).toBe(on === "void" ? answerOf(again) : "422 idempotency_key_reuse")
      await expectSound(world, id)
    })
  }

  test("one key has its own result for a capture, a refund and another payment", async () => {
    const one = await authorized(world)
    const other = await authorized(world)
    expect(answerOf(await operate(world, "capture", one, { idempotencyKey, body: { amount: 600 } }))).toBe("200")
    expect(answerOf(await operate(world, "void", other, { idempotencyKey }))).toBe("200")
    expect(answerOf(await operate(world, "refund", one, { idempotencyKey, body: { amount: 100 } }))).toBe("200")
    expect(answerOf(await operate(world, "void", one, { idempotencyKey }))).toBe("409 not_voidable")
    expect((await create(world, {}, { idempotencyKey })).headers.get("idempotent-replay")).toBeNull()
    expect(await retrieve(world, one)).toMatchObject({ captured_amount: 600, refunded_amount: 100 })
    expect(calls()).toBe(3)
  })

  test("a refund sent twice without a key is two refunds", async () => {
    const id = await captured(world)
    for (const total of [300, 600, 900, 1000]) {
      const reply = await operate(world, "refund", id, { body: { amount: 300 } })
      expect([answerOf(reply), reply.body.data.refunded_amount]).toEqual(["200", total])
    }
    expect(world.provider.refunds.map(({ money }) => money.minorUnits)).toEqual([300, 300, 300, 100])
    expect(answerOf(await operate(world, "refund", id, { body: { amount: 300 } }))).toBe("422 invalid_amount")
  })

  test("the amount asked for is compared when a clamped refund's key comes again", async () => {
    const id = await captured(world)
    const ask = (body: object | undefined) => operate(world, "refund", id, { idempotencyKey, body })
    const first = await ask({ amount: 5000 })
    expect([answerOf(first), first.body.data.refunded_amount]).toEqual(["200", 1000])
    expect((await ask({ amount: 5000, reason: "another one" })).body).toEqual(first.body)
    for (const body of [{ amount: 1000 }, {}, undefined])
      expect(answerOf(await ask(body))).toBe("422 idempotency_key_reuse")
  })

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
