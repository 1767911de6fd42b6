/** Refunds that people make at the provider carry no id of ours. They count once each, and ours are never taken for them. */
import { type RefundAnswer, Unanswered } from "@pointsman/core/ports"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { deliver } from "./support/Messages.ts"
import {
  answerOf,
  captured as create,
  expectSound,
  operate,
  refundsOf,
  retrieve,
  timeline
} from "./support/Payments.ts"
import { stores } from "./support/Stores.ts"
import { usedWorld } from "./support/UsedWorld.ts"

describe.each(stores)("over %s", (_name, store) => {
  const world = usedWorld(store)

  const references = new Map<string, string>()
  const captured = async () => {
    const id = await create(world)
    references.set(id, `ref_${world.provider.charges.at(-1)?.attemptId}`)
    return id
  }
  const byHand = async (id: string, providerRefundId: string, amount: number, more: object = {}, created?: string) => {
    const data = {
      provider_reference: references.get(id),
      provider_refund_id: providerRefundId,
      status: "succeeded",
      amount,
      currency: "EUR",
      ...more
    }
    const dated = created === undefined ? {} : { created }
    expect(answerOf(await deliver(world, { type: "refund.updated", data, ...dated }))).toBe("200")
  }
  const named = (refundId: string, providerRefundId: string, status = "succeeded") =>
    deliver(world, {
      type: "refund.updated",
      data: { refund_id: refundId, provider_refund_id: providerRefundId, status }
    })
  const refund = (id: string, amount: number) =>
    operate(world, "refund", id, { idempotencyKey: `the-key-for-${amount}-here`, body: { amount } })
  const unanswered: Effect.Effect<RefundAnswer, Unanswered> = Effect.fail(new Unanswered({ reason: "timed out" }))

  test("a part refunded at the provider is refunded here, once", async () => {
    const id = await captured()
    await byHand(id, "re_hand", 400)
    await byHand(id, "re_hand", 400)
    expect(await retrieve(world, id)).toMatchObject({ status: "PARTIALLY_REFUNDED", refunded_amount: 400 })
    expect(await refundsOf(world, id)).toEqual([["provider", 400, "succeeded"]])
    const told = (await timeline(world, id)).filter(({ type }) => type === "payment.refunded")
    expect(told).toMatchObject([{ data: { origin: "provider", refund_amount: 400, refunded_total: 400 } }])
    expect(answerOf(await refund(id, 600))).toBe("200")
    expect(await retrieve(world, id)).toMatchObject({ status: "REFUNDED", refunded_amount: 1000 })
    await expectSound(world, id)
  })

  test("a refund by hand that is pending there is held until it succeeds or fails", async () => {
    const [one, other] = [await captured(), await captured()]
    for (const id of [one, other]) {
      await byHand(id, `re_${id}`, 400, { status: "pending" })
      expect(await retrieve(world, id)).toMatchObject({ refunded_amount: 0, refund_pending_amount: 400 })
    }
    await byHand(one, `re_${one}`, 400)
    await byHand(other, `re_${other}`, 400, { status: "failed" })
    expect(await retrieve(world, one)).toMatchObject({ refunded_amount: 400, refund_pending_amount: 0 })
    expect(await retrieve(world, other)).toMatchObject({ status: "CAPTURED", refund_pending_amount: 0 })
    for (const id of [one, other]) await expectSound(world, id)
  })

  test("an unanswered refund of ours and one by hand both count once ours is stated", async () => {
    const id = await captured()
    world.provider.onRefund = () => unanswered
    expect(answerOf(await refund(id, 400))).toBe("502 refund_result_unknown")
    const ours = world.provider.refunds[0]?.refundId ?? ""
    await byHand(id, "re_hand", 400)
    expect(await retrieve(world, id)).toMatchObject({ refunded_amount: 0, refund_pending_amount: 400 })
    expect(answerOf(await named(ours, "re_ours"))).toBe("200")
    expect(await retrieve(world, id)).toMatchObject({ refunded_amount: 800, refund_pending_amount: 0 })
    expect(await refundsOf(world, id)).toEqual([
      ["api", 400, "succeeded"],
      ["provider", 400, "succeeded"]
    ])
    await expectSound(world, id)
  })

  test("an unanswered refund of ours counts once when stated without our id first", async () => {
    const id = await captured()
    world.provider.onRefund = () => unanswered
    await refund(id, 400)
    const ours = world.provider.refunds[0]?.refundId ?? ""
    await byHand(id, "re_ours", 400)
    expect(answerOf(await named(ours, "re_ours", "pending"))).toBe("200")
    expect(await retrieve(world, id)).toMatchObject({ refunded_amount: 400, refund_pending_amount: 0 })
    expect(await refundsOf(world, id)).toEqual([["api", 400, "succeeded"]])
    await expectSound(world, id)
  })

  test("what exceeds our unanswered refund is reserved when more is refunded by hand", async () => {
    const id = await captured()
    world.provider.onRefund = () => unanswered
    await refund(id, 100)
    world.reset()
    await byHand(id, "re_hand", 900)
    expect(answerOf(await refund(id, 500))).toBe("200")
    // Of 1000 are 100 open, and 800 more than that were given back by hand.
    expect(await retrieve(world, id)).toMatchObject({ refunded_amount: 100, refund_pending_amount: 100 })
    await expectSound(world, id)
  })

  test("a refund by hand above the capture closes refunds, and operators review it", async () => {
    const id = await captured()
    expect(answerOf(await refund(id, 300))).toBe("200")
    await byHand(id, "re_hand", 800)
    expect(await retrieve(world, id)).toMatchObject({ status: "PARTIALLY_REFUNDED", refunded_amount: 300 })
    expect((await timeline(world, id)).map(({ type }) => type)).toContain("payment.conflict")
    expect(answerOf(await refund(id, 100))).toBe("409 not_refundable")
    await expectSound(world, id)
  })

  test("nothing is refunded by what came before a failure that arrived first", async () => {
    const id = await captured()
    await byHand(id, "re_hand", 400, { status: "failed" }, "2026-11-21T12:00:05Z")
    await byHand(id, "re_hand", 400, { status: "succeeded" }, "2026-11-21T12:00:02Z")
    await byHand(id, "re_hand", 400, { status: "pending" }, "2026-11-21T12:00:01Z")
    expect(await retrieve(world, id)).toMatchObject({
      status: "CAPTURED",
      refunded_amount: 0,
      refund_pending_amount: 0
    })
    // The provider repeated it, and it went through.
    await byHand(id, "re_hand", 400, { status: "succeeded" }, "2026-11-21T12:00:09Z")
    expect(await retrieve(world, id)).toMatchObject({ status: "PARTIALLY_REFUNDED", refunded_amount: 400 })
    await expectSound(world, id)
  })

  test("a lookup decides between a failure that arrived first and a success of one time", async () => {
    const id = await captured()
    await byHand(id, "re_hand", 400, { status: "failed" })
    await byHand(id, "re_hand", 400, { status: "succeeded" })
    expect(await retrieve(world, id)).toMatchObject({ refunded_amount: 0, refund_pending_amount: 400 })
    await expectSound(world, id)
  })

  test("a refund waiting for ours counts with ours if its failure precedes its success", async () => {
    const id = await captured()
    world.provider.onRefund = () => unanswered
    await refund(id, 100)
    const ours = world.provider.refunds[0]?.refundId ?? ""
    await byHand(id, "re_hand", 400, { status: "succeeded" }, "2026-11-21T12:00:05Z")
    await byHand(id, "re_hand", 400, { status: "failed" }, "2026-11-21T12:00:02Z")
    expect(answerOf(await named(ours, "re_ours"))).toBe("200")
    expect(await retrieve(world, id)).toMatchObject({ refunded_amount: 500, refund_pending_amount: 0 })
    await expectSound(world, id)
  })

  test("a refund older than ours that waits for it counts beside it once ours is stated", async () => {
    const id = await captured()
    world.provider.onRefund = () => unanswered
    await refund(id, 100)
    const ours = world.provider.refunds[0]?.refundId ?? ""
    await byHand(id, "re_hand", 400, { status: "succeeded" }, "2020-01-01T00:00:00Z")
    expect(answerOf(await named(ours, "re_ours"))).toBe("200")
    expect(await retrieve(world, id)).toMatchObject({ refunded_amount: 500, refund_pending_amount: 0 })
    expect(await refundsOf(world, id)).toHaveLength(2)
    await expectSound(world, id)
  })
})
