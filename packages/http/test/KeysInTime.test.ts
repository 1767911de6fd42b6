/** What a key is answered as time passes, a millisecond before each limit and at it. */
import {
  applyChargeFact,
  moveRefund,
  paymentEvent,
  type RefundEvent,
  refundTotals,
  withRefund
} from "@pointsman/core/internal"
import { Ledger, type PaymentBook, Unanswered } from "@pointsman/core/ports"
import { Clock, Effect, Option, Result } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { held, stepOf } from "./support/Faults.ts"
import {
  type Asked,
  answerOf,
  authorized,
  captured,
  create,
  expectOutcome,
  type OperationName,
  type Outcome,
  operate,
  refundOf,
  retrieve,
  type Told,
  toldOfAuthorization,
  toldOfCapture
} from "./support/Payments.ts"
import { stores } from "./support/Stores.ts"
import type { Reply } from "./support/Web.ts"
import { acme, openWorld, type World } from "./support/World.ts"

const minute = 60_000
const day = 24 * 60 * minute
const idempotencyKey = "the-key-in-time"
const silence = Effect.fail(new Unanswered({ reason: "timed out" }))

const isReplay = (reply: Reply) => reply.headers.get("idempotent-replay") === "true"

let count = 0
const newKey = () => `key-in-time-${++count}`

describe.each(stores)("over %s", (_name, store) => {
  let world: World
  beforeAll(async () => {
    // A provider that is given up only after a day: until then, its request looks like one whose process died.
    world = await openWorld(store, { servers: 2, testClock: true, providerTimeoutMillis: day })
  })
  beforeEach(() => world.reset())
  afterAll(() => world.close())

  /** The other server, which knows of the first one's requests by the store alone. */
  const retry = (name: OperationName, id: string, asked: Asked = {}) =>
    operate(world, name, id, { idempotencyKey, server: 1, ...asked })

  describe("a request that died while its provider was asked", () => {
    const rows: ReadonlyArray<{
      readonly name: OperationName
      readonly during: string
      readonly unkeyed: string
      readonly outcome: Outcome
      readonly told: ReadonlyArray<Told>
      readonly late: Outcome
      readonly toldLate: ReadonlyArray<Told>
    }> = [
      {
        name: "capture",
        during: "409 idempotency_in_progress",
        unkeyed: "409 not_capturable",
        outcome: { status: "UNKNOWN" },
        told: [...toldOfAuthorization, ["payment.capture_unknown", { payment_status: "UNKNOWN" }]],
        late: { status: "CAPTURED", captured_amount: 1000 },
        toldLate: [["payment.captured"]]
      },
      {
        name: "void",
        during: "409 idempotency_in_progress",
        unkeyed: "409 not_voidable",
        outcome: { status: "UNKNOWN" },
        told: [...toldOfAuthorization, ["payment.void_unknown", { payment_status: "UNKNOWN" }]],
        late: { status: "CANCELLED" },
        toldLate: [["payment.cancelled"]]
      },
      {
        name: "refund",
        during: "409 refund_pending",
        unkeyed: "409 refund_pending",
        outcome: { status: "CAPTURED", captured_amount: 1000, refund_pending_amount: 1000 },
        told: [
          ...toldOfCapture,
          ["payment.refund_unknown", { ...refundOf(1000, 0, 1000), payment_status: "CAPTURED" }]
        ],
        late: { status: "REFUNDED", captured_amount: 1000, refunded_amount: 1000 },
        toldLate: [["payment.refunded", refundOf(1000, 1000, 0)]]
      }
    ]

    for (const { during, late, name, outcome, told, toldLate, unkeyed } of rows) {
      test(`the key of a ${name} is answered ${name}_result_unknown after 15 minutes`, async () => {
        const id = name === "refund" ? await captured(world) : await authorized(world)
        const { onCapture, onRefund, onVoid } = world.provider
        const { asked, hold, release } = held()
        world.provider.onCapture = (request) => Effect.andThen(hold, onCapture(request))
        world.provider.onVoid = (request) => Effect.andThen(hold, onVoid(request))
        world.provider.onRefund = (request) => Effect.andThen(hold, onRefund(request))
        const first = operate(world, name, id, { idempotencyKey })
        await asked

        expect(answerOf(await retry(name, id))).toBe(during)
        await world.adjust(15 * minute - 1)
        expect(answerOf(await retry(name, id))).toBe(during)
        expect((await retrieve(world, id))["status"]).toBe(name === "refund" ? "CAPTURED" : "PENDING")
        await world.adjust(1)
        expect(answerOf(await retry(name, id))).toBe(`502 ${name}_result_unknown`)
        await expectOutcome(world, id, outcome, told)
        expect(answerOf(await retry(name, id))).toBe(`502 ${name}_result_unknown`)
        expect(answerOf(await retry(name, id, { idempotencyKey: undefined }))).toBe(unkeyed)

        // It had not died after all. What the provider did counts; the response under the key is kept.
        await release()
        expect(answerOf(await first)).toBe(`502 ${name}_result_unknown`)
        await expectOutcome(world, id, late, [...told, ...toldLate])
        expect(answerOf(await retry(name, id))).toBe(`502 ${name}_result_unknown`)
        const { captures, refunds, voids } = world.provider
        expect([...captures, ...refunds, ...voids]).toHaveLength(1)
      })
    }

    test("the key of a create is answered with an UNKNOWN payment after 15 minutes", async () => {
      const key = newKey()
      const { onCharge } = world.provider
      const { asked, hold, release } = held()
      world.provider.onCharge = (request) => Effect.andThen(hold, onCharge(request))
      const first = create(world, {}, { idempotencyKey: key })
      await asked
      const again = () => create(world, {}, { idempotencyKey: key, server: 1 })
      await world.adjust(15 * minute - 1)
      expect(answerOf(await again())).toBe("409 idempotency_in_progress")
      await world.adjust(1)
      const unknown = await again()
      expect([answerOf(unknown), unknown.body.data.status, isReplay(unknown)]).toEqual(["201", "UNKNOWN", true])

      // It had not died after all, and reports its result. The response under the key is kept.
      await release()
      expect((await first).body.data.status).toBe("CAPTURED")
      expect((await retrieve(world, unknown.body.data.id))["status"]).toBe("CAPTURED")
      expect((await again()).body).toEqual(unknown.body)
      expect(world.provider.charges).toHaveLength(1)
    })
  })

  describe("the 24 hours of a create's key", () => {
    test("the same key is a new request once an outcome's time is over", async () => {
      const key = newKey()
      const first = await create(world, {}, { idempotencyKey: key })
      await world.adjust(day - 1)
      const replay = await create(world, {}, { idempotencyKey: key })
      expect([replay.body, isReplay(replay)]).toEqual([first.body, true])
      expect(answerOf(await create(world, { amount: 2000 }, { idempotencyKey: key }))).toBe("422 idempotency_key_reuse")
      await world.adjust(1)
      const second = await create(world, { amount: 2000 }, { idempotencyKey: key })
      expect([second.status, isReplay(second), second.body.data.amount]).toEqual([201, false, 2000])
      expect(second.body.data.id).not.toBe(first.body.data.id)
      expect(world.provider.charges).toHaveLength(2)
    })

    test("an UNKNOWN key is kept for months, and for 24 hours from its settlement", async () => {
      const key = newKey()
      world.provider.onCharge = () => silence
      const first = await create(world, {}, { idempotencyKey: key })
      const again = () => create(world, {}, { idempotencyKey: key })
      const replayed = async () => {
        const reply = await again()
        expect([reply.status, reply.body, isReplay(reply)]).toEqual([201, first.body, true])
      }
      await world.adjust(day)
      await replayed()
      await world.adjust(90 * day)
      await replayed()
      const { id } = first.body.data
      await settleAsCaptured(world, id)
      expect((await retrieve(world, id))["status"]).toBe("CAPTURED")
      await world.adjust(day - 1)
      await replayed()
      await world.adjust(1)
      world.reset()
      const second = await again()
      expect([second.body.data.status, isReplay(second)]).toEqual(["CAPTURED", false])
      expect(second.body.data.id).not.toBe(id)
    })
  })

  describe("the 24 hours of a refund's stored answer", () => {
    const refund = (id: string, asked: Asked = {}) => operate(world, "refund", id, { idempotencyKey, ...asked })
    const part = { body: { amount: 300 } }

    test("the record of an operation that succeeded gives the current payment afterwards", async () => {
      const id = await captured(world)
      const first = await refund(id, part)
      expect([answerOf(first), isReplay(first), first.body.data.refunded_amount]).toEqual(["200", false, 300])
      await operate(world, "refund", id)
      await world.adjust(day - 1)
      const stored = await refund(id, part)
      expect([stored.body, isReplay(stored)]).toEqual([first.body, true])
      await world.adjust(1)
      const current = await refund(id, part)
      expect([answerOf(current), isReplay(current), current.body.data]).toEqual([
        "200",
        true,
        await retrieve(world, id)
      ])
      expect(current.body.data).toMatchObject({ status: "REFUNDED", refunded_amount: 1000 })
      await world.adjust(365 * day)
      expect(answerOf(await refund(id))).toBe("422 idempotency_key_reuse")
      expect(world.provider.refunds).toHaveLength(2)
    })

    test("an unknown refund is refund_pending afterwards", async () => {
      const id = await captured(world)
      world.provider.onRefund = () => silence
      expect(answerOf(await refund(id))).toBe("502 refund_result_unknown")
      await world.adjust(day - 1)
      expect(answerOf(await refund(id))).toBe("502 refund_result_unknown")
      await world.adjust(1)
      expect(answerOf(await refund(id))).toBe("409 refund_pending")
      expect(world.provider.refunds).toHaveLength(1)
    })

    test("a refused operation is psp_error with the same words afterwards", async () => {
      const id = await captured(world)
      world.provider.onRefund = () => Effect.succeed({ _tag: "Rejected", code: "E1", message: "Too late." })
      const first = await refund(id)
      expect(answerOf(first)).toBe("502 psp_error")
      world.reset()
      for (const passed of [day - 1, 1, 365 * day]) {
        await world.adjust(passed)
        expect((await refund(id)).body).toEqual(first.body)
      }
      expect(world.provider.refunds).toHaveLength(0)
      // Under a new key it is a new refund.
      expect(answerOf(await refund(id, { idempotencyKey: "another-key" }))).toBe("200")
    })

    const ends: ReadonlyArray<readonly [on: RefundEvent, message: string | null, answer: string]> = [
      ["RefundConfirmed", null, "200"],
      ["RefundFailed", "The account is closed.", "502 psp_error"]
    ]
    for (const [on, failureReason, answer] of ends) {
      test(`a pending operation that came to ${on} is ${answer} afterwards`, async () => {
        const id = await captured(world)
        world.provider.onRefund = () => Effect.succeed({ _tag: "RefundPending", providerRefundId: "re_1" })
        expect(answerOf(await refund(id))).toBe("409 refund_pending")
        await settleRefund(world, id, on, failureReason)
        await world.adjust(day - 1)
        expect(answerOf(await refund(id))).toBe("409 refund_pending")
        await world.adjust(1)
        const reply = await refund(id)
        expect(answerOf(reply)).toBe(answer)
        if (failureReason === null) expect(reply.body.data).toEqual(await retrieve(world, id))
        else expect(reply.body.error.message).toBe(failureReason)
        expect(world.provider.refunds).toHaveLength(1)
      })
    }

    test("an outcome not recorded at once is answered by its record afterwards", async () => {
      const id = await captured(world)
      world.ledger.onCommit = (_number, change) => (stepOf(change) === "settle" ? "unwritten" : undefined)
      const first = await world.runOut(refund(id))
      expect(answerOf(first)).toBe("500 state_unconfirmed")
      world.reset()
      await world.adjust(minute)
      await expect.poll(async () => (await retrieve(world, id))["status"]).toBe("REFUNDED")
      const recordedAt = await world.run(Clock.currentTimeMillis)
      expect((await refund(id)).body).toEqual(first.body)
      const answeredAt = (await bookOf(world, id)).refunds[0]?.answeredAt as number
      expect(answeredAt).toBeLessThanOrEqual(recordedAt)
      await world.adjust(answeredAt + day - 1 - recordedAt)
      expect((await refund(id)).body).toEqual(first.body)
      await world.adjust(1)
      expect(answerOf(await refund(id))).toBe("200")
    })
  })

  test("a capture's key still answers as at first after a year", async () => {
    const id = await authorized(world)
    const first = await operate(world, "capture", id, { idempotencyKey })
    await world.adjust(365 * day)
    await operate(world, "refund", id)
    const replay = await retry("capture", id)
    expect([replay.body, isReplay(replay)]).toEqual([first.body, true])
    expect(world.provider.captures).toHaveLength(1)
  })
})

const bookOf = (world: World, id: string): Promise<PaymentBook> =>
  world.run(Effect.flatMap(Ledger, (ledger) => Effect.map(ledger.book(acme, id), Option.getOrThrow)))

/** As a lookup writes what it found. */
const settleAsCaptured = (world: World, id: string): Promise<void> =>
  world.run(
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const payment = Option.getOrThrow(yield* ledger.payment(acme, id))
      const { events, payment: after } = Result.getOrThrow(
        applyChargeFact(
          payment,
          { on: "ChargeCaptured", amountMinor: 1000, connectionId: "main", providerRef: "ch_1" },
          yield* Clock.currentTimeMillis
        )
      )
      yield* ledger.commit({ tenant: acme, payment: { expected: payment.version, after }, attempts: [], events })
    })
  )

/** As a provider's message writes it. */
const settleRefund = (world: World, id: string, on: RefundEvent, failureReason: string | null): Promise<void> =>
  world.run(
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const { payment, refunds } = Option.getOrThrow(yield* ledger.book(acme, id))
      const [refund] = refunds
      if (refund === undefined) throw new Error("there is no refund")
      const settledAt = yield* Clock.currentTimeMillis
      const moved = Result.getOrThrow(moveRefund(refund, on, { settledAt, failureReason }))
      const totals = refundTotals(withRefund(refunds, moved.refund))
      const after = {
        ...payment,
        ...totals,
        state: totals.refundedMinor === 0 ? payment.state : ("Refunded" as const),
        version: payment.version + 1
      }
      const types = [...moved.emits, ...(totals.refundedMinor === 0 ? [] : (["payment.refunded"] as const))]
      yield* ledger.commit({
        tenant: acme,
        payment: { expected: payment.version, after },
        attempts: [],
        refunds: [moved.refund],
        events: types.map((type) => paymentEvent(type, after))
      })
    })
  )
