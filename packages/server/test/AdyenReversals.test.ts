/**
 * What Adyen withdraws or adds after it had confirmed a capture or a refund, in its own message shapes, from its signed
 * webhooks to the API and the operators' commands. Each webhook comes twice, and counts once.
 */
import { assert, describe, it } from "vitest"
import { type AdyenEvent, path, startAdyenWorld } from "./support/AdyenWorld.ts"
import { outcomesSeen, paymentSeen } from "./support/OperatorsSee.ts"

type World = Awaited<ReturnType<typeof startAdyenWorld>>

/** A payment with an operation that Adyen was asked for: how to hear of it, and what is seen of it then. */
const given = async (world: World, operation: "capture" | "refunds", amount: number, change: object) => {
  const { id } = await world.create(change)
  assert.isBelow((await world.request("POST", `${path}/${id}/${operation}`, { amount })).status, 500)
  const asked = world.lastAsked()
  return {
    id,
    originalReference: asked.originalReference,
    hear: async (eventCode: string, more: Partial<AdyenEvent> = {}) => {
      const event = { eventCode, pspReference: `${eventCode}-${id}`, ...asked, value: amount, ...more }
      for (const _ of [1, 2]) await world.hear(event)
    },
    seen: () => paymentSeen(world, id)
  }
}

const refunded = (world: World) => given(world, "refunds", 500, {})
const captured = (world: World) => given(world, "capture", 700, { capture_method: "manual" })

/** A payment whose money is held, and how Adyen names it in what people do by hand. */
const heldBy = async (world: World) => {
  const { id, reference } = await world.create({ capture_method: "manual" })
  const { pspReference: originalReference } = [...world.adyen.charges.values()].at(-1) ?? { pspReference: "" }
  return { id, charge: { merchantReference: reference, originalReference } }
}

describe("what Adyen says after it had confirmed", () => {
  it("refunds that fail or come back are captured again, and operators review them", async () => {
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

  it("a confirmed capture that fails is AUTHORIZED again; one by Adyen is reviewed", async () => {
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

  it("a larger capture is recorded up to the authorization, and reviewed above it", async () => {
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

  it("a captured part stays and is refundable when Adyen releases the rest", async () => {
    const world = await startAdyenWorld()
    for (const eventCode of ["EXPIRE", "CANCELLATION", "TECHNICAL_CANCEL"]) {
      const byHand = await heldBy(world)
      const ours = await captured(world)
      await ours.hear("CAPTURE")
      await ours.hear(eventCode, { value: 1999, at: 1 })
      const { charge } = byHand
      await world.hear({ ...charge, eventCode: "CAPTURE", pspReference: `HAND-${byHand.id}`, value: 700 })
      await world.hear({ ...charge, eventCode, pspReference: `${eventCode}-${byHand.id}`, at: 1 })
      for (const id of [ours.id, byHand.id]) {
        assert.deepInclude(await paymentSeen(world, id), {
          ...{ status: "CAPTURED", amounts: [700, 0, 0], review: null },
          ...{ conflicts: 0, last: "payment.captured" }
        })
        // Adyen took it.
        const refund = await world.request("POST", `${path}/${id}/refunds`)
        assert.strictEqual(refund.body.error.code, "refund_pending")
      }
    }
  })

  it("a larger capture by hand is recorded up to the authorization, and reviewed", async () => {
    const world = await startAdyenWorld()
    const { charge, id } = await heldBy(world)
    await world.hear({ ...charge, eventCode: "CAPTURE", pspReference: "HAND", value: 2500 })
    assert.deepInclude(await paymentSeen(world, id), {
      ...{ status: "CAPTURED", amounts: [1999, 0, 0], review: ["amount_mismatch"] },
      ...{ conflicts: 0, mismatches: 1, last: "payment.amount_mismatch" }
    })
    const { body } = await world.request("POST", `${path}/${id}/capture`)
    assert.strictEqual(body.error.code, "not_capturable")
  })

  it("captures under own references add up, and one that fails leaves the others", async () => {
    const world = await startAdyenWorld()
    const { charge, id } = await heldBy(world)
    for (const pspReference of ["HAND1", "HAND2", "HAND1", "HAND2"]) {
      await world.hear({ ...charge, eventCode: "CAPTURE", pspReference, value: 900 })
    }
    const recorded = { status: "CAPTURED", review: ["amount_mismatch"], conflicts: 0 }
    assert.deepInclude(await paymentSeen(world, id), { ...recorded, amounts: [1800, 0, 0], mismatches: 1 })

    const ours = await captured(world)
    await ours.hear("CAPTURE")
    const byHand = { merchantReference: "by hand", originalReference: ours.originalReference, value: 700 }
    for (const _ of [1, 2]) await world.hear({ ...byHand, eventCode: "CAPTURE", pspReference: "HAND3", at: 1 })
    assert.deepInclude(await ours.seen(), { ...recorded, amounts: [1400, 0, 0], mismatches: 1 })
    await ours.hear("CAPTURE_FAILED", { at: 2, reason: "Capture expired" })
    assert.deepInclude(await ours.seen(), { ...recorded, amounts: [700, 0, 0], last: "payment.capture_failed" })
  })

  it("a notification about no payment of ours is unmatched, and others follow it", async () => {
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
