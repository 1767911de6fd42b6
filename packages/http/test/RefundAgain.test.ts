/** What may be refunded after a refund that failed, or whose result is unknown. */
import { NotSent, type RefundAnswer, Unanswered } from "@pointsman/core/ports"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { answerOf, captured, expectSound, operate, retrieve } from "./support/Payments.ts"
import { stores } from "./support/Stores.ts"
import { usedWorld } from "./support/UsedWorld.ts"

const refusals: Readonly<Record<string, Effect.Effect<RefundAnswer, NotSent>>> = {
  "was rejected": Effect.succeed({ _tag: "Rejected", code: "E1", message: "Too late." }),
  "failed at its provider": Effect.succeed({ _tag: "RefundFailed", providerRefundId: "re_1", reason: "no funds" }),
  "was not sent": Effect.fail(new NotSent({ reason: "the connection was refused" }))
}

const open: Readonly<Record<string, Effect.Effect<RefundAnswer, Unanswered>>> = {
  "was not answered": Effect.fail(new Unanswered({ reason: "timed out" })),
  "is still pending": Effect.succeed({ _tag: "RefundPending", providerRefundId: "re_1" }),
  "has no known status": Effect.succeed({ _tag: "Succeeded", providerRefundId: "" })
}

describe.each(stores)("over %s", (_name, store) => {
  const world = usedWorld(store)

  const refund = (id: string, key: string, amount?: number) =>
    operate(world, "refund", id, { idempotencyKey: `the-${key}-key`, body: amount === undefined ? {} : { amount } })

  for (const [what, end] of Object.entries(refusals)) {
    test(`a refund that ${what} is made under a new key, and the old key stays refused`, async () => {
      const id = await captured(world)
      world.provider.onRefund = () => end
      expect(answerOf(await refund(id, "first"))).toBe("502 psp_error")
      expect(await retrieve(world, id)).toMatchObject({ refunded_amount: 0, refund_pending_amount: 0 })
      world.reset()
      expect(answerOf(await refund(id, "second"))).toBe("200")
      expect(answerOf(await refund(id, "first"))).toBe("502 psp_error")
      expect(world.provider.refunds).toHaveLength(1)
      expect(await retrieve(world, id)).toMatchObject({ status: "REFUNDED", refunded_amount: 1000 })
      await expectSound(world, id)
    })
  }

  for (const [what, end] of Object.entries(open)) {
    test(`the rest is refunded, and no more, after a part's refund that ${what}`, async () => {
      const id = await captured(world)
      world.provider.onRefund = () => end
      const first = await refund(id, "first", 300)
      expect(["502 refund_result_unknown", "409 refund_pending"]).toContain(answerOf(first))
      world.reset()
      const rest = await refund(id, "second")
      expect([answerOf(rest), rest.body.data.status]).toEqual(["200", "PARTIALLY_REFUNDED"])
      expect(rest.body.data).toMatchObject({ refunded_amount: 700, refund_pending_amount: 300 })
      // What is left is held by a refund that nobody has confirmed: not an invalid amount.
      expect(answerOf(await refund(id, "third"))).toBe("409 refund_pending")
      expect(answerOf(await refund(id, "fourth", 1))).toBe("409 refund_pending")
      expect((await refund(id, "first", 300)).body).toEqual(first.body)
      expect(world.provider.refunds.map(({ money }) => money.minorUnits)).toEqual([700])
      await expectSound(world, id)
    })
  }
})
