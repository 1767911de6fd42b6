/** What a key is answered as time passes, a millisecond before each limit and at it. */
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { deliver, refund as refundMessage } from "./support/Messages.ts"
import { answerOf, authorized, captured, operate, retrieve } from "./support/Payments.ts"
import { stores } from "./support/Stores.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import type { Reply } from "./support/Web.ts"

const day = 86_400_000
const idempotencyKey = "the-key-in-time"

const isReplay = (reply: Reply) => reply.headers.get("idempotent-replay") === "true"

describe.each(stores)("over %s", (_name, store) => {
  const world = usedWorld(store, { testClock: true })
  /** Of the test's clock. */
  let seconds = 0
  const adjust = async (millis: number) => {
    seconds += millis / 1000
    await world.adjust(millis)
  }

  describe("the 24 hours of a refund's stored answer", () => {
    const refund = (id: string) => operate(world, "refund", id, { idempotencyKey })

    for (const [status, failure_reason, answer] of [
      ["succeeded", undefined, "200"],
      ["failed", "The account is closed.", "502 psp_error"]
    ] as const) {
      test(`a pending operation that has ${status} is ${answer} afterwards`, async () => {
        const id = await captured(world)
        world.provider.onRefund = () => Effect.succeed({ _tag: "RefundPending", providerRefundId: "re_1" })
        expect(answerOf(await refund(id))).toBe("409 refund_pending")
        const refundId = world.provider.refunds[0]?.refundId ?? ""
        const message = refundMessage(refundId, status, { failure_reason })
        expect(answerOf(await deliver(world, message, { timestamp: seconds }))).toBe("200")
        await adjust(day - 1)
        expect(answerOf(await refund(id))).toBe("409 refund_pending")
        await adjust(1)
        const reply = await refund(id)
        expect(answerOf(reply)).toBe(answer)
        if (failure_reason === undefined) expect(reply.body.data).toEqual(await retrieve(world, id))
        else expect(reply.body.error.message).toBe(failure_reason)
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
