/**
 * Stripe for journeys of customers, by its documentation:
 *
 * - a Checkout Session has its page as `url`, and no payment before the customer confirms one
 *   (https://docs.stripe.com/api/checkout/sessions/object). A refused customer may try again there, and the link back leads to
 *   `cancel_url` and ends nothing (https://docs.stripe.com/payments/checkout/how-checkout-works)
 * - the numbers of the test cards tell what becomes of a payment (https://docs.stripe.com/testing)
 * - `checkout.session.completed` and the events of the payment come signed, HMAC-SHA-256 of `<t>.<body>` in hex
 *   (https://docs.stripe.com/webhooks#verify-manually), with the time at which they are sent
 * - a session that is not paid by `expires_at` is over, and `checkout.session.expired` says so
 */
import type { TransportAnswer } from "@pointsman/core/connector"
import { answer, event, failure, paymentIntent, session } from "../../../../connectors/stripe/test/Stripe.ts"
import {
  type Asked,
  cardPage,
  isApproved,
  listenAs,
  type Mode,
  messageTo,
  pageOf,
  redirectTo,
  type StandIn,
  standInOf,
  timed
} from "./StandIn.ts"

const secretKeyOf = (mode: Mode) => `sk_${mode}_ofTheJourneys0123456789`
const webhookSecret = "whsec_of_the_journeys_0123456789"

interface Session {
  readonly id: string
  readonly asked: URLSearchParams
  readonly expiresAt: number
  status: "open" | "complete" | "expired"
  /** Of its payment, once the customer has confirmed one. */
  paid: "requires_payment_method" | "requires_capture" | "succeeded" | null
}

const amountOf = ({ asked }: Session): number => Number(asked.get("line_items[0][price_data][unit_amount]"))

export const metadataOf = (form: URLSearchParams, of: string) =>
  Object.fromEntries(
    [...form].flatMap(([name, value]) => (name.startsWith(`${of}[`) ? [[name.slice(of.length + 1, -1), value]] : []))
  )

export const openStripe = async (now: () => number, mode: Mode): Promise<StandIn> => {
  const sessions = new Map<string, Session>()
  const asked: Array<string> = []
  const livemode = mode === "live"
  const messages: Array<object> = []
  let events = 0

  const writePayment = (one: Session) => {
    const amount = amountOf(one)
    return paymentIntent({
      ...{ id: `pi_${one.id}`, amount, livemode, status: one.paid, payment_method: null },
      amount_capturable: one.paid === "requires_capture" ? amount : 0,
      amount_received: one.paid === "succeeded" ? amount : 0,
      capture_method: one.asked.get("payment_intent_data[capture_method]"),
      metadata: metadataOf(one.asked, "payment_intent_data[metadata]"),
      last_payment_error:
        one.paid === "requires_payment_method" ? { code: "card_declined", decline_code: "generic_decline" } : null
    })
  }

  /** `expands`: its payment is written whole, and otherwise by its id. */
  const write = (one: Session, expands: boolean) => {
    const payment = one.paid === null ? null : writePayment(one)
    return session({
      ...{ id: one.id, livemode, status: one.status, amount_subtotal: amountOf(one), amount_total: amountOf(one) },
      ...{ success_url: one.asked.get("success_url"), cancel_url: one.asked.get("cancel_url") },
      ...{ client_reference_id: one.asked.get("client_reference_id"), metadata: metadataOf(one.asked, "metadata") },
      payment_status: one.paid === "succeeded" ? "paid" : "unpaid",
      payment_intent: expands ? payment : (payment?.id ?? null),
      expires_at: Math.floor(one.expiresAt / 1000),
      url: one.status === "open" ? `${url}/pay/${one.id}` : null
    })
  }

  const say = (type: string, object: object): void => {
    const created = Math.floor(now() / 1000)
    messages.push(event(type, object, { id: `evt_${++events}`, created, livemode }))
  }

  const api = ({ body, headers, method, path, query }: Asked): TransportAnswer => {
    asked.push(`${method} /${path.join("/")}`)
    if (headers.authorization !== `Bearer ${secretKeyOf(mode)}`) return failure(401, {})
    const [, resource, under, id] = path
    if (resource !== "checkout" || under !== "sessions") return failure(404, { code: "resource_missing" })
    if (method === "POST") {
      const form = new URLSearchParams(body)
      const one: Session = {
        ...{ id: `cs_${mode}_${sessions.size + 1}`, asked: form, status: "open", paid: null },
        expiresAt: Number(form.get("expires_at")) * 1000
      }
      sessions.set(one.id, one)
      return answer(200, write(one, false))
    }
    const one = sessions.get(id ?? "")
    return one === undefined
      ? failure(404, { code: "resource_missing" })
      : answer(200, write(one, query.has("expand[0]")))
  }

  const pages = async ({ body, method, path: [, id = ""] }: Asked): Promise<TransportAnswer> => {
    const one = sessions.get(id)
    if (one === undefined) return pageOf("Not found", "", 404)
    if (one.status !== "open") return pageOf("This page is over", "")
    if (method === "GET") return cardPage("", "Back")
    const form = new URLSearchParams(body)
    if (form.get("press") === "Back") return redirectTo(one.asked.get("cancel_url") ?? "")
    if (!isApproved(form)) {
      one.paid = "requires_payment_method"
      say("payment_intent.payment_failed", writePayment(one))
      return cardPage("Your card was declined.", "Back")
    }
    const isHeld = one.asked.get("payment_intent_data[capture_method]") === "manual"
    Object.assign(one, { status: "complete", paid: isHeld ? "requires_capture" : "succeeded" })
    say(isHeld ? "payment_intent.amount_capturable_updated" : "payment_intent.succeeded", writePayment(one))
    say("checkout.session.completed", write(one, false))
    await standIn.beforeReturn()
    return redirectTo(one.asked.get("success_url") ?? "")
  }

  const url = await listenAs(now, (request) => (request.path[0] === "pay" ? pages(request) : api(request)))
  const standIn = standInOf([], {
    connection: {
      ...{ id: "stripe", connector: "stripe", timeout: "5 seconds", webhookSecret },
      credentials: { secretKey: secretKeyOf(mode), baseUrl: url }
    },
    asked,
    books: () =>
      [...sessions.values()].map((one) => ({
        returnUrl: one.asked.get("success_url") ?? "",
        taken: one.paid === "succeeded" ? amountOf(one) : 0,
        charges: one.paid === "succeeded" ? 1 : 0
      })),
    expire: () => {
      for (const one of sessions.values()) {
        if (one.status !== "open" || now() < one.expiresAt) continue
        one.status = "expired"
        say("checkout.session.expired", write(one, false))
      }
    },
    // Signed as they are sent.
    takeMessages: () =>
      messages.splice(0).map((one) => messageTo("stripe", timed("stripe-signature", one, webhookSecret, now())))
  })
  return standIn
}
