/** What a key is answered as time passes, a millisecond before each limit and at it. */
import { moveRefund, paymentEvent, type RefundEvent, refundTotals, withRefund } from "@pointsman/core/internal"
import { Ledger } from "@pointsman/core/ports"
import { Clock, Effect, Option, Result } from "effect"
import { describe, expect, test } from "vitest"
import { answerOf, authorized, captured, operate, retrieve } from "./support/Payments.ts"
import { stores } from "./support/Stores.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import type { Reply } from "./support/Web.ts"
import { acme, type World } from "./support/World.ts"

const day = 86_400_000
const idempotencyKey = "the-key-in-time"

const isReplay = (reply: Reply) => reply.headers.get("idempotent-replay") === "true"

describe.each(stores)("over %s", (_name, store) => {
  const world = usedWorld(store, { testClock: true })

  describe("the 24 hours of a refund's stored answer", () => {
    const refund = (id: string) => operate(world, "refund", id, { idempotencyKey })

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
  })

  test("a capture's key still answers as at first after a year", async () => {
    const id = await authorized(world)
    const first = await operate(world, "capture", id, { idempotencyKey })
    await world.adjust(365 * day)
    await operate(world, "refund", id)
    const replay = await operate(world, "capture", id, { idempotencyKey })
    expect([replay.body, isReplay(replay)]).toEqual([first.body, true])
    expect(world.provider.captures).toHaveLength(1)
  })
})

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
