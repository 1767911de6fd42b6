/**
 * Payments at Stripe, from the API to Stripe's signed webhooks: whatever order the webhooks come in, and twice, the payment
 * ends where Stripe's own books say. Which fact an event states is decided in the connector, and what a fact makes of a payment
 * in core; the tests there have every case. `Journeys.test.ts` has Stripe's page.
 */
import { assert, describe, it } from "vitest"
import { answer, event, type Fields, failure, paymentIntent, refund } from "../../connectors/stripe/test/Stripe.ts"
import { configurationAt, liveKey } from "./support/Configurations.ts"
import { listenAs, timed } from "./support/journeys/StandIn.ts"
import { metadataOf } from "./support/journeys/StripeStandIn.ts"
import { pay } from "./support/Pay.ts"
import { startServerHere } from "./support/ServerHere.ts"
import { secret, talkingProviders, tellServer } from "./support/TalkingProviders.ts"

const ordersOf = <A>(list: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  list.length === 0
    ? [[]]
    : list.flatMap((one, at) => ordersOf(list.toSpliced(at, 1)).map((others) => [one, ...others]))

/** Stripe's books, and a server with one connection to it. */
const openStripe = async () => {
  const payments = new Map<string, Fields>()
  const refunds: Array<Fields> = []
  const keep = (payment: Fields) => {
    payments.set(String(payment["id"]), payment)
    return answer(200, payment)
  }
  const baseUrl = await listenAs(Date.now, ({ body, path: [, resource, id = "", operation] }) => {
    const form = new URLSearchParams(body)
    const [amount, metadata] = [Number(form.get("amount")), metadataOf(form, "metadata")]
    if (resource === "refunds") {
      const of = { id: `re_${refunds.length + 1}`, payment_intent: form.get("payment_intent") }
      refunds.push(refund({ ...of, amount, metadata, status: "pending" }))
      return answer(200, refunds.at(-1))
    }
    if (resource !== "payment_intents") return failure(404, { code: "resource_missing" })
    const payment = payments.get(id)
    if (operation === "cancel") return keep({ ...payment, status: "canceled", amount_capturable: 0 })
    const taken = { status: "succeeded", amount_capturable: 0 }
    if (operation === "capture") {
      return keep({ ...payment, ...taken, amount_received: Number(form.get("amount_to_capture")) })
    }
    if (payment !== undefined) return answer(200, payment)
    const isHeld = form.get("capture_method") === "manual"
    return keep(
      paymentIntent({
        ...{ id: `pi_${payments.size + 1}`, amount, livemode: true, metadata },
        ...(isHeld ? { status: "requires_capture", amount_capturable: amount } : { ...taken, amount_received: amount })
      })
    )
  })
  const { connection, token } = talkingProviders.stripe
  const configuration = configurationAt(connection(baseUrl))
  const server = await startServerHere({ configuration, environment: { POINTSMAN_RATE_LIMIT: "off" } })
  let events = 0
  const request = (method: string, at: string) =>
    server.request(method, `/api/v1/payments/${at}`, { key: liveKey, idempotencyKey: `request-${++events}` })
  return {
    payments,
    refunds,
    request,
    create: async (change: object = {}) => {
      const instruments = [{ connection: "stripe", token }]
      const { body } = await pay(server, `order-${++events}-of-stripe`, { instruments, ...change })
      const made = [...payments.values()].at(-1) ?? assert.fail("Stripe was not asked")
      return { id: String(body.data.payment_id), status: body.data.status, made }
    },
    statusOf: async (id: string): Promise<string> => (await request("GET", id)).body.data.status,
    /** As Stripe sends them, and then all of them again. */
    hearAll: async (told: ReadonlyArray<readonly [type: string, object: Fields]>) => {
      for (const [type, object] of [...told, ...told]) {
        const message = event(type, object, { id: `evt_${++events}`, livemode: true })
        const { status } = await tellServer(server.url, "stripe", timed("stripe-signature", message, secret))
        assert.strictEqual(status, 200)
      }
    }
  }
}

describe("payments at Stripe", () => {
  it("each payment ends where Stripe's books say, by webhooks in any order, and twice", async () => {
    const { create, hearAll, payments, refunds, request, statusOf } = await openStripe()

    // Held, and captured or cancelled later.
    for (const [operation, type, expected] of [
      ["capture", "payment_intent.succeeded", "CAPTURED"],
      ["void", "payment_intent.canceled", "CANCELLED"]
    ] as const) {
      for (const late of [true, false]) {
        const { id, made, status } = await create({ capture_method: "manual" })
        assert.strictEqual(status, "AUTHORIZED")
        assert.strictEqual((await request("POST", `${id}/${operation}`)).status, 200)
        const told = [
          [type, payments.get(String(made["id"])) ?? {}],
          ["payment_intent.amount_capturable_updated", made]
        ] as const
        await hearAll(late ? told : told.toReversed())
        assert.strictEqual(await statusOf(id), expected)
      }
    }

    // Refunded, once: accepted, and done by the webhook.
    for (const order of ordersOf(["payment_intent.succeeded", "refund.created", "refund.updated"])) {
      const { id, made, status } = await create()
      assert.strictEqual(status, "CAPTURED")
      await request("POST", `${id}/refunds`)
      const [accepted = {}] = refunds.slice(-1)
      const objects: Readonly<Record<string, Fields>> = {
        "payment_intent.succeeded": made,
        "refund.created": accepted,
        "refund.updated": { ...accepted, status: "succeeded" }
      }
      await hearAll(order.map((type) => [type, objects[type] ?? {}]))
      assert.strictEqual(await statusOf(id), "REFUNDED", order.join(", "))
    }

    // A dispute names the payment by Stripe's reference alone.
    for (const [verdict, expected] of [
      ["won", "CAPTURED"],
      ["lost", "CHARGEBACK"]
    ] as const) {
      for (const order of ordersOf([
        "charge.dispute.created",
        "charge.dispute.funds_withdrawn",
        "charge.dispute.closed"
      ])) {
        const { id, made } = await create()
        const dispute = { id: `du_${id}`, object: "dispute", payment_intent: made["id"], status: "needs_response" }
        await hearAll(order.map((type) => [type, type.endsWith("closed") ? { ...dispute, status: verdict } : dispute]))
        assert.strictEqual(await statusOf(id), expected, order.join(", "))
      }
    }
  })
})
