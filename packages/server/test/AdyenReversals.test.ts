/**
 * What Adyen withdraws or adds after it had confirmed a capture or a refund, in its own message shapes, from its signed
 * webhooks to the API and the operators' commands. Each webhook comes twice, and counts once.
 */
import { assert, describe, it } from "vitest"
import { type AdyenEvent, path, startAdyenWorld } from "./support/AdyenWorld.ts"
import { outcomesSeen, paymentSeen } from "./support/OperatorsSee.ts"

type World = Awaited<ReturnType<typeof startAdyenWorld>>

/** What Adyen was asked for last. */
const lastAsked = ({ adyen }: World) => {
  const { body, path: at } = adyen.asked.at(-1) ?? { body: {}, path: "" }
  return { merchantReference: String(body.reference), originalReference: at.split("/")[3] ?? "" }
}

/** A payment with an operation that Adyen was asked for: how to hear of it, and what is seen of it then. */
const given = async (world: World, operation: "capture" | "refunds", amount: number, change: object) => {
  const { id } = await world.create(change)
  assert.isBelow((await world.request("POST", `${path}/${id}/${operation}`, { amount })).status, 500)
  const asked = lastAsked(world)
  return {
    id,
    hear: async (eventCode: string, more: Partial<AdyenEvent> = {}) => {
      const event = { eventCode, pspReference: `${eventCode}-${id}`, ...asked, value: amount, ...more }
      for (const _ of [1, 2]) await world.hear(event)
    },
    seen: () => paymentSeen(world, id)
  }
}

const refunded = (world: World) => given(world, "refunds", 500, {})
const captured = (world: World) => given(world, "capture", 700, { capture_method: "manual" })

describe("what Adyen says after it had confirmed", () => {
  it("given refunds that fail or come back, then their money is captured again, and operators review them", async () => {
    const world = await startAdyenWorld()
    for (const eventCode of ["REFUND_FAILED", "REFUNDED_REVERSED"]) {
      const { hear, id, seen } = await refunded(world)
      await hear("REFUND")
      assert.deepInclude(await seen(), { status: "PARTIALLY_REFUNDED", amounts: [1999, 500, 0], review: null })
      await hear(eventCode, { at: 1, reason: "Account closed" })
      assert.deepInclude(await seen(), {
        ...{ status: "CAPTURED", amounts: [1999, 0, 0], review: ["reversal"] },
        ...{ conflicts: 0, last: "payment.refund_failed" }
      })
      assert.deepStrictEqual(await outcomesSeen(world, id), ["applied", "applied"])
    }
  })

  it("given a capture that fails after it was confirmed, then it is AUTHORIZED again; one that Adyen made itself is reviewed", async () => {
    const world = await startAdyenWorld()
    const { hear, id, seen } = await captured(world)
    await hear("CAPTURE")
    assert.deepInclude(await seen(), { status: "CAPTURED", amounts: [700, 0, 0], review: null })
    await hear("CAPTURE_FAILED", { at: 1, reason: "Capture expired" })
    assert.deepInclude(await seen(), {
      ...{ status: "AUTHORIZED", amounts: [0, 0, 0], review: null },
      ...{ conflicts: 0, last: "payment.capture_failed" }
    })
    assert.deepStrictEqual(await outcomesSeen(world, id), ["applied", "applied"])

    const taken = await world.create()
    const failed = { pspReference: `FAILED-${taken.id}`, merchantReference: taken.reference, originalReference: "PSP" }
    for (const _ of [1, 2])
      await world.hear({ ...failed, eventCode: "CAPTURE_FAILED", reason: "Capture expired", at: 1 })
    assert.deepInclude(await paymentSeen(world, taken.id), {
      ...{ status: "CAPTURED", amounts: [1999, 0, 0], review: ["conflict", "capture_failed"] },
      ...{ conflicts: 1, last: "payment.conflict" }
    })
    assert.deepStrictEqual(await outcomesSeen(world, taken.id), ["contradicts"])
    const { body } = await world.request("POST", `${path}/${taken.id}/refunds`)
    assert.strictEqual(body.error.code, "not_refundable")
  })

  it("given more captured than was recorded, then it is recorded up to the authorization, and reviewed above it", async () => {
    const world = await startAdyenWorld()
    const { hear, id, seen } = await captured(world)
    await hear("CAPTURE")
    await hear("CAPTURE", { pspReference: "GREATER", value: 900, at: 1 })
    const recorded = { status: "CAPTURED", review: ["amount_mismatch"], conflicts: 0, last: "payment.amount_mismatch" }
    assert.deepInclude(await seen(), { ...recorded, amounts: [900, 0, 0], mismatches: 1 })
    await hear("CAPTURE", { pspReference: "ABOVE", value: 2500, at: 2 })
    assert.deepInclude(await seen(), { ...recorded, amounts: [1999, 0, 0], mismatches: 2 })
    assert.deepStrictEqual(await outcomesSeen(world, id), ["applied", "applied", "applied"])
  })

  it("given a notification about no payment of ours, then it is kept as unmatched, and nothing is refused after it", async () => {
    const world = await startAdyenWorld()
    for (const _ of [1, 2]) {
      await world.hear({
        eventCode: "AUTHORISATION",
        pspReference: "PSPOTHER",
        merchantReference: "order 17 of a till"
      })
    }
    assert.deepStrictEqual(await outcomesSeen(world), ["unmatched"])
    assert.strictEqual((await world.create()).status, "CAPTURED")
  })
})
