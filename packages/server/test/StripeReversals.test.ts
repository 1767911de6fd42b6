/**
 * What Stripe withdraws or adds after it had confirmed a capture or a refund, in its own message shapes, from its signed
 * webhooks to the API and the operators' commands. Each webhook comes twice, and counts once.
 */
import { assert, describe, it } from "vitest"
import { outcomesSeen, paymentSeen } from "./support/OperatorsSee.ts"
import { begun, path, startStripeWorld } from "./support/StripeWorld.ts"

describe("what Stripe says after it had confirmed", () => {
  it("a succeeded refund that fails is captured again, and operators review it", async () => {
    const world = await startStripeWorld()
    const { id, made } = await world.create()
    await world.request("POST", `${path}/${id}/refunds`, { amount: 500 })
    const refund = [...world.stripe.refunds.values()].find(({ payment_intent }) => payment_intent === made.id)
    await world.hearAll([["refund.updated", { ...refund, status: "succeeded" }]])
    assert.deepInclude(await paymentSeen(world, id), { status: "PARTIALLY_REFUNDED", amounts: [1999, 500, 0] })
    const failed = { ...refund, status: "failed", failure_reason: "expired_or_canceled_card" }
    await world.hearAll([["refund.failed", failed]])
    assert.deepInclude(await paymentSeen(world, id), {
      ...{ status: "CAPTURED", amounts: [1999, 0, 0], review: ["reversal"] },
      ...{ conflicts: 0, last: "payment.refund_failed" }
    })
    assert.deepStrictEqual(await outcomesSeen(world, id), ["applied", "confirmed", "applied", "confirmed"])
  })

  it("a dispute of an UNKNOWN charge makes it a CHARGEBACK once it is reported", async () => {
    const world = await startStripeWorld()
    const { id, made } = await world.create({ amount: 4040 })
    const dispute = { id: "du_1", object: "dispute", payment_intent: made.id, status: "needs_response" }
    await world.hearAll([["charge.dispute.created", dispute]])
    assert.deepInclude(await paymentSeen(world, id), { status: "UNKNOWN", amounts: [0, 0, 0], review: ["unknown"] })
    // No payment is recorded with this reference yet.
    assert.deepStrictEqual(await outcomesSeen(world), ["unmatched", "unmatched"])
    await world.hearAll([["payment_intent.succeeded", made]])
    await world.server.live([begun + 6 * 60_000])
    assert.deepInclude(await paymentSeen(world, id), {
      ...{ status: "CHARGEBACK", amounts: [4040, 0, 0], review: null },
      ...{ conflicts: 0, last: "dispute.opened" }
    })
    assert.deepStrictEqual(await outcomesSeen(world, id), ["applied", "confirmed", "applied", "confirmed"])
    const { body } = await world.request("POST", `${path}/${id}/refunds`)
    assert.strictEqual(body.error.code, "not_refundable")
  })

  it("a larger amount_received is recorded up to the authorization, and reviewed", async () => {
    const world = await startStripeWorld()
    const { id, made } = await world.create({ capture_method: "manual" })
    await world.request("POST", `${path}/${id}/capture`, { amount: 700 })
    const taken = (amount_received: number) => ({ ...made, status: "succeeded", amount_capturable: 0, amount_received })
    await world.hearAll([["payment_intent.succeeded", taken(700)]])
    await world.hearAll([["payment_intent.succeeded", taken(900)]])
    const recorded = { status: "CAPTURED", review: ["amount_mismatch"], conflicts: 0, last: "payment.amount_mismatch" }
    assert.deepInclude(await paymentSeen(world, id), { ...recorded, amounts: [900, 0, 0], mismatches: 1 })
    await world.hearAll([["payment_intent.succeeded", taken(2500)]])
    assert.deepInclude(await paymentSeen(world, id), { ...recorded, amounts: [1999, 0, 0], mismatches: 2 })
    const outcomes = ["confirmed", "applied", "confirmed", "applied", "contradicts", "confirmed"]
    assert.sameMembers([...(await outcomesSeen(world, id))], outcomes)
  })

  it("an unreadable object moves nothing, and its charge is looked up", async () => {
    const world = await startStripeWorld()
    const { id, made } = await world.create({ capture_method: "manual" })
    await world.hearAll([["payment_intent.succeeded", { ...made, status: "succeeded", amount_received: "many" }]])
    assert.deepInclude(await paymentSeen(world, id), { status: "AUTHORIZED", amounts: [0, 0, 0], review: null })
    assert.deepStrictEqual(await outcomesSeen(world), ["waits", "waits"])
  })
})
