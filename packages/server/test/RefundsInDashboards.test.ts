/**
 * Refunds that people make in the dashboards of PayPal and Checkout.com, from the providers' signed messages to the API: each
 * counts once, and so does one of ours beside it. `Adyen.test.ts` has those at Adyen.
 */
import { assert, describe, it } from "vitest"
import * as CheckoutCom from "../../connectors/checkout/test/Checkout.ts"
import * as PayPal from "../../connectors/paypal/test/PayPal.ts"
import { configurationAt, liveKey } from "./support/Configurations.ts"
import { connectionToPayPal } from "./support/journeys/PayPalStandIn.ts"
import { listenAs } from "./support/journeys/StandIn.ts"
import { startServerHere } from "./support/ServerHere.ts"
import { tellServer } from "./support/TalkingProviders.ts"

type SignedMessage = ReturnType<typeof PayPal.signed>

/** A provider that takes 100.00 EUR, and whose merchant refunds in its dashboard. */
interface Dashboard {
  readonly connectors?: ReadonlyArray<string> | undefined
  readonly connection: Readonly<Record<string, unknown>>
  readonly token: string
  /** What a request to refund is answered with here: Checkout.com says later what became of it. */
  readonly refundStatus: 200 | 409
  /** What it says once it has taken the money. */
  readonly taken: () => ReadonlyArray<SignedMessage>
  /** What it says of the refund that it was asked for: 25.00. */
  readonly ours: () => ReadonlyArray<SignedMessage>
  /** What it says of 40.00 that its merchant refunds. */
  readonly byHand: () => ReadonlyArray<SignedMessage>
}

const now = () => new Date().toISOString()

const openPayPal = async (): Promise<Dashboard> => {
  let attemptId = ""
  let refundId = ""
  const names = () => ({ custom_id: attemptId, invoice_id: attemptId })
  const taken = () => PayPal.capture({ ...names(), ...PayPal.related, amount: PayPal.amount("100.00") })
  const ours = () => PayPal.refund({ id: "OURS", amount: PayPal.amount("25.00"), custom_id: refundId })
  const url = await listenAs(Date.now, ({ body, method, path }) => {
    const at = path.join("/")
    if (at === "v1/oauth2/token") return PayPal.answer(200, PayPal.token())
    if (at === "v1/identity/oauth2/userinfo") return PayPal.answer(200, { payer_id: "WDJJHEBZ4X2LY" })
    if (at.endsWith("/refund")) {
      refundId = JSON.parse(body).custom_id
      return PayPal.answer(201, ours())
    }
    if (method === "POST") attemptId = JSON.parse(body).purchase_units[0].custom_id
    return PayPal.answer(method === "POST" ? 201 : 200, PayPal.order(attemptId, { captures: [taken()] }))
  })
  const say = (type: string, resource: PayPal.Fields) => {
    const told = PayPal.event(type, resource, { id: `WH-${resource["id"]}`, create_time: now() })
    return PayPal.signed(JSON.stringify(told), PayPal.webhookId, Date.now(), PayPal.liveCertificateUrl)
  }
  return {
    ...connectionToPayPal(url),
    token: PayPal.vaultId,
    refundStatus: 200,
    taken: () => [say("PAYMENT.CAPTURE.COMPLETED", taken())],
    ours: () => [say("PAYMENT.CAPTURE.REFUNDED", ours())],
    byHand: () => {
      const up = { href: `https://api-m.paypal.com/v2/payments/captures/${PayPal.captureId}`, rel: "up", method: "GET" }
      const amount = PayPal.amount("40.00")
      return [say("PAYMENT.CAPTURE.REFUNDED", PayPal.refund({ id: "BYHAND", amount, ...names(), links: [up] }))]
    }
  }
}

const openCheckoutCom = async (): Promise<Dashboard> => {
  const secret = "8V8x0dLK%AyD*DNS8JJr"
  let payment = {}
  let refund = {}
  const url = await listenAs(Date.now, ({ body, path }) => {
    const { metadata, reference } = JSON.parse(body)
    if (path.at(-1) === "refunds") {
      refund = { metadata, reference }
      return CheckoutCom.answer(202, CheckoutCom.accepted({ action_id: "act_ours", reference }))
    }
    payment = { metadata, reference }
    const balances = { total_authorized: 10_000, total_captured: 0 }
    return CheckoutCom.answer(201, CheckoutCom.payment({ amount: 10_000, reference, balances }))
  })
  const say = (type: string, action: string, fields: object) => {
    const data = CheckoutCom.told({ action_id: action, ...fields })
    const told = CheckoutCom.event(type, data, { id: `evt_${type}_${action}`, created_on: now(), _links: undefined })
    return CheckoutCom.signed(JSON.stringify(told), secret)
  }
  return {
    connection: {
      ...{ id: "checkout", environment: "production", connector: "checkout", webhookSecret: secret },
      credentials: { secretKey: "sk_made_up_0123456789", prefix: CheckoutCom.prefix, baseUrl: url }
    },
    token: CheckoutCom.instrument,
    refundStatus: 409,
    taken: () => {
      const balances = { total_authorized: 10_000, total_captured: 10_000 }
      return [say("payment_captured", "act_taken", { ...payment, amount: 10_000, balances })]
    },
    ours: () => [say("payment_refunded", "act_ours", { ...refund, amount: 2500 })],
    byHand: () =>
      ["payment_refund_pending", "payment_refunded"].map((type) =>
        say(type, "act_byhand", { ...payment, amount: 4000 })
      )
  }
}

const openPayment = async ({ connection, connectors, refundStatus, token }: Dashboard) => {
  const server = await startServerHere({ configuration: configurationAt(connection, connectors) })
  let keys = 0
  const ask = async (at: string, body?: object, status = body === undefined ? 200 : 201) => {
    const idempotencyKey = `refunds-in-dashboards-${++keys}`
    const answer = await server.request(body === undefined ? "GET" : "POST", `/api/v1/payments${at}`, {
      key: liveKey,
      idempotencyKey,
      body
    })
    assert.strictEqual(answer.status, status, JSON.stringify(answer.body))
    return answer.body.data
  }
  const instruments = [{ connection: connection["id"], token }]
  const { payment_id: id } = await ask("", { amount: 10_000, currency: "EUR", country: "NL", instruments })
  return {
    refund: (amount: number) => ask(`/${id}/refunds`, { amount }, refundStatus),
    read: () => ask(`/${id}`),
    refundsTold: async () => {
      const events: ReadonlyArray<{ readonly type: string; readonly data: Readonly<Record<string, unknown>> }> =
        await ask(`/${id}/events`)
      return events
        .filter(({ type }) => type === "payment.refunded")
        .map(({ data }) => [data["origin"], data["refund_amount"], data["refunded_total"]])
    },
    hear: async (messages: ReadonlyArray<SignedMessage>) => {
      for (const { body, headers } of [...messages, ...messages]) {
        const told = { headers: { ...headers }, body: new TextDecoder().decode(body) }
        const answer = await tellServer(server.url, connection["id"], told)
        assert.strictEqual(answer.status, 200, await answer.text())
      }
    }
  }
}

describe("refunds in a provider's dashboard", () => {
  for (const [name, open] of [
    ["PayPal", openPayPal],
    ["Checkout.com", openCheckoutCom]
  ] as const) {
    it(`40.00 of 100.00 refunded at ${name} and 25.00 here each count once`, async () => {
      const dashboard = await open()
      const { hear, read, refund, refundsTold } = await openPayment(dashboard)
      await hear(dashboard.taken())
      assert.deepInclude(await read(), { status: "CAPTURED", captured_amount: 10_000 })

      await hear(dashboard.byHand())
      const refunded = { status: "PARTIALLY_REFUNDED", refund_pending_amount: 0 }
      assert.deepInclude(await read(), { ...refunded, refunded_amount: 4000 })
      assert.deepStrictEqual(await refundsTold(), [["provider", 4000, 4000]])

      await refund(2500)
      await hear(dashboard.ours())
      await hear(dashboard.byHand())
      assert.deepInclude(await read(), { ...refunded, refunded_amount: 6500 })
      assert.deepStrictEqual(await refundsTold(), [
        ["provider", 4000, 4000],
        ["api", 2500, 6500]
      ])
    })
  }
})
