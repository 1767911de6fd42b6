/**
 * Payments at Stripe, from the API to Stripe's signed webhooks: whatever order the webhooks come in, and twice, the payment
 * ends where Stripe's own books say.
 */
import { assert, describe, it } from "vitest"
import { begun, path, startStripeWorld } from "./support/StripeWorld.ts"

const ordersOf = <A>(list: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  list.length === 0
    ? [[]]
    : list.flatMap((one, at) => ordersOf(list.toSpliced(at, 1)).map((others) => [one, ...others]))

describe("payments at Stripe", () => {
  it("each payment ends where Stripe's books say, by webhooks in any order, and twice", async () => {
    const { create, hearAll, request, statusOf, stripe } = await startStripeWorld()

    // Held, and captured or cancelled later.
    for (const operation of ["capture", "void"] as const) {
      for (const late of [true, false]) {
        const { id, made, status } = await create({ capture_method: "manual" })
        assert.strictEqual(status, "AUTHORIZED")
        assert.strictEqual((await request("POST", `${path}/${id}/${operation}`)).status, 200)
        const type = operation === "capture" ? "payment_intent.succeeded" : "payment_intent.canceled"
        const told: ReadonlyArray<readonly [string, object]> = [
          [type, stripe.payments.get(made.id) ?? {}],
          ["payment_intent.amount_capturable_updated", made]
        ]
        await hearAll(late ? told : told.toReversed())
        assert.strictEqual(await statusOf(id), operation === "capture" ? "CAPTURED" : "CANCELLED")
      }
    }

    // Refunded, once: accepted, and done by the webhook.
    for (const order of ordersOf(["payment_intent.succeeded", "refund.created", "refund.updated"])) {
      const { id, made, status } = await create()
      assert.strictEqual(status, "CAPTURED")
      await request("POST", `${path}/${id}/refunds`)
      const refund = [...stripe.refunds.values()].find(({ payment_intent }) => payment_intent === made.id)
      const objects: Record<string, object> = {
        "payment_intent.succeeded": made,
        "refund.created": refund ?? {},
        "refund.updated": { ...refund, status: "succeeded" }
      }
      await hearAll(order.map((type) => [type, objects[type] ?? {}]))
      assert.strictEqual(await statusOf(id), "REFUNDED", order.join(", "))
    }

    // A dispute names the payment by Stripe's reference alone.
    for (const [verdict, expected] of [
      ["won", "CAPTURED"],
      ["lost", "CHARGEBACK"]
    ] as const) {
      for (const order of ordersOf(["charge.dispute.created", "charge.dispute.funds_withdrawn", verdict])) {
        const { id, made } = await create()
        const dispute = { id: `du_${id}`, object: "dispute", payment_intent: made.id, status: "needs_response" }
        await hearAll(
          order.map((type) =>
            type === verdict ? ["charge.dispute.closed", { ...dispute, status: verdict }] : [type, dispute]
          )
        )
        assert.strictEqual(await statusOf(id), expected, order.join(", "))
      }
    }
  })

  it("refunds in the dashboard and by the API each count once", async () => {
    const { create, hearAll, request, server, stripe } = await startStripeWorld()
    const { id, made } = await create({ amount: 10_000 })
    const seen = async () => {
      const {
        refund_pending_amount: pending,
        refunded_amount: refunded,
        status
      } = (await request("GET", `${path}/${id}`)).body.data
      const told = (await request("GET", `${path}/${id}/events`)).body.data.filter(
        ({ type }: { readonly type: string }) => type === "payment.refunded"
      )
      const sums = told.map(({ data }: { readonly data: Readonly<Record<string, unknown>> }) => [
        data["origin"],
        data["refund_amount"]
      ])
      return { status, refunded, pending, told: sums }
    }
    // As the dashboard makes it: https://docs.stripe.com/api/refunds/object.
    const byHand = {
      ...{ id: "re_byHand", object: "refund", amount: 4000, charge: "ch_1", currency: "eur", metadata: {} },
      ...{ payment_intent: made.id, reason: "requested_by_customer", status: "pending" }
    }
    stripe.refunds.set(byHand.id, byHand)
    await hearAll([["refund.created", byHand]])
    assert.deepStrictEqual(await seen(), { status: "CAPTURED", refunded: 0, pending: 4000, told: [] })
    // No webhook comes: the daily lookup finds it by Stripe's id.
    stripe.refunds.set(byHand.id, { ...byHand, status: "succeeded" })
    for (let hour = 1; hour <= 26; hour++) await server.live([begun + hour * 60 * 60_000])
    const told = [["provider", 4000]]
    const before = { status: "PARTIALLY_REFUNDED", refunded: 4000, pending: 0, told }
    assert.deepStrictEqual(await seen(), before)
    await hearAll([["refund.updated", { ...byHand, status: "succeeded" }]])
    assert.deepStrictEqual(await seen(), before)
    await request("POST", `${path}/${id}/refunds`, { amount: 1000 })
    const ours = [...stripe.refunds.values()].at(-1)
    await hearAll([["refund.updated", { ...ours, status: "succeeded" }]])
    assert.deepStrictEqual(await seen(), { ...before, refunded: 5000, told: [...told, ["api", 1000]] })
  })

  it("a charge that Stripe neither answered nor reports is found by our id in its list", async () => {
    const { create, server, statusOf, stripe } = await startStripeWorld()
    const { id } = await create({ amount: 4040 })
    stripe.make(4040, false, { attempt_id: "att_of_another_shop" })
    await server.live([begun + 60_000, begun + 300_000])
    assert.strictEqual(await statusOf(id), "CAPTURED")
    assert.isTrue(stripe.asked.some(({ target }) => target === "GET payment_intents"))
  })

  it("Stripe's page with refused cards and one that is not is CAPTURED in any order", async () => {
    const { create, hearAll, statusOf, stripe } = await startStripeWorld()
    const openPage = async () => {
      const { id, pageUrl } = await create({ instruments: undefined, return_url: "https://shop.example/thanks" })
      const opened = await fetch(pageUrl, {
        method: "POST",
        redirect: "manual",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: "action=continue"
      })
      assert.match(opened.headers.get("location") ?? "", /^https:\/\/checkout\.stripe\.com\/c\/pay\/cs_\d+$/)
      const session = [...stripe.sessions.values()].at(-1) ?? { id: "" }
      const metadata = { ...Object(session["metadata"]), checkout: "true" }
      return { id, session, metadata }
    }
    const refused = {
      ...{ status: "requires_payment_method", amount_received: 0 },
      last_payment_error: { type: "card_error", code: "card_declined", decline_code: "do_not_honor" }
    }
    for (const order of ordersOf(["refused", "paid", "completed"])) {
      const { id, metadata, session } = await openPage()
      const made = stripe.make(1999, false, metadata)
      const paid = { ...session, status: "complete", payment_status: "paid", payment_intent: made.id }
      const told: Record<string, readonly [string, object]> = {
        refused: ["payment_intent.payment_failed", { ...made, ...refused }],
        paid: ["payment_intent.succeeded", made],
        completed: ["checkout.session.completed", paid]
      }
      await hearAll(order.map((one) => told[one] ?? ["", {}]))
      assert.strictEqual(await statusOf(id), "CAPTURED", order.join(", "))
    }
    const { id, metadata, session } = await openPage()
    await hearAll([["payment_intent.payment_failed", { ...stripe.make(1999, false, metadata), ...refused }]])
    assert.strictEqual(await statusOf(id), "REQUIRES_ACTION")
    await hearAll([["checkout.session.expired", { ...session, status: "expired" }]])
    assert.strictEqual(await statusOf(id), "CANCELLED")
  })
})
