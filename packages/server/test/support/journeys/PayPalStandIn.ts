/**
 * PayPal for journeys of customers, by its documentation:
 *
 * - an order with an `experience_context` is `PAYER_ACTION_REQUIRED`, and its link `payer-action` leads to PayPal's page
 *   (https://developer.paypal.com/api/orders/v2/definitions/order_status)
 * - the customer logs in, chooses a way to pay, and presses "Pay Now" where the order says `PAY_NOW`; or cancels. Either leads to
 *   the shop, to `return_url` or `cancel_url` of `paypal_wallet_experience_context`. An order that was cancelled stays as it is,
 *   and can still be approved
 * - the order is `APPROVED` then, `CHECKOUT.ORDER.APPROVED` says so, and nothing is taken before it is captured
 *   (https://developer.paypal.com/payment-methods/webhooks). A refused way to pay is found out by that request: `INSTRUMENT_DECLINED`
 *   (https://developer.paypal.com/api/rest/reference/orders/v2/errors/)
 * - an order that is not captured in its time is gone (`order.links` of `checkout_orders_v2`)
 */
import { fileURLToPath } from "node:url"
import type { TransportAnswer } from "@pointsman/core/connector"
import {
  amount,
  answer,
  capture,
  certificateUrl,
  clientId,
  clientSecret,
  event,
  type Fields,
  failure,
  liveCertificateUrl,
  openedOrder,
  order,
  signed,
  token,
  webhookId
} from "../../../../connectors/paypal/test/PayPal.ts"
import { connector } from "./PayPalConnector.ts"
import {
  type Asked,
  formOf,
  isoOf,
  listenAs,
  type Mode,
  messageTo,
  type OutgoingMessage,
  pageOf,
  redirectTo,
  type StandIn,
  standInOf
} from "./StandIn.ts"

const accessToken = "A21AA_of_the_journeys"

/** Three hours to send the customer there, and three for the rest. */
const livesMillis = 6 * 60 * 60_000

interface Order {
  readonly id: string
  readonly asked: {
    readonly purchase_units: ReadonlyArray<{
      readonly custom_id: string
      readonly amount: { readonly value: string; readonly currency_code: string }
    }>
    readonly payment_source: {
      readonly paypal: { readonly experience_context: { readonly return_url: string; readonly cancel_url: string } }
    }
  }
  readonly createdAt: number
  status: "PAYER_ACTION_REQUIRED" | "APPROVED" | "COMPLETED"
  /** Whether the way to pay that the customer chose is refused. */
  isRefused: boolean
}

/** A connection to a PayPal at an address, with its connector. */
export const connectionToPayPal = (baseUrl: string): Pick<StandIn, "connection" | "connectors"> => ({
  connectors: [fileURLToPath(new URL("PayPalConnector.ts", import.meta.url))],
  connection: {
    ...{ id: "paypal", environment: "production", connector: connector.name, timeout: "5 seconds" },
    ...{ webhookSecret: webhookId, credentials: { clientId, clientSecret, baseUrl } }
  }
})

export const openPayPal = async (now: () => number, mode: Mode): Promise<StandIn> => {
  const orders = new Map<string, Order>()
  const keys = new Map<string, () => TransportAnswer>()
  const asked: Array<string> = []
  const messages: Array<OutgoingMessage> = []
  let drawn = 0

  const unitOf = ({ asked: { purchase_units } }: Order) => purchase_units[0]
  const contextOf = ({ asked: { payment_source } }: Order) => payment_source.paypal.experience_context
  const isGone = (one: Order) => one.status !== "COMPLETED" && now() >= one.createdAt + livesMillis

  const writeCapture = (one: Order) => {
    const { amount: { currency_code = "", value = "" } = {}, custom_id } = unitOf(one) ?? {}
    return capture({
      ...{ id: `CAPTURE${one.id}`, amount: amount(value, currency_code), custom_id, invoice_id: custom_id },
      supplementary_data: { related_ids: { order_id: one.id } }
    })
  }
  const write = (one: Order) => {
    const customId = unitOf(one)?.custom_id ?? ""
    const common = { id: one.id, create_time: isoOf(one.createdAt), status: one.status }
    if (one.status === "COMPLETED") return order(customId, { captures: [writeCapture(one)] }, common)
    const links = [{ href: `${url}/checkoutnow?token=${one.id}`, rel: "payer-action", method: "GET" }]
    return openedOrder(customId, { ...common, links })
  }

  const say = (type: string, resource: Fields): void => {
    const text = JSON.stringify(event(type, resource, { id: `WH-${++drawn}`, create_time: isoOf(now()) }))
    const url = mode === "live" ? liveCertificateUrl : certificateUrl
    messages.push(messageTo("paypal", signed(text, webhookId, now(), url)))
  }

  const opened = (body: string): (() => TransportAnswer) => {
    const one: Order = {
      ...{ id: `ORDER${++drawn}`, asked: JSON.parse(body), createdAt: now() },
      ...{ status: "PAYER_ACTION_REQUIRED", isRefused: false }
    }
    orders.set(one.id, one)
    return () => answer(201, write(one))
  }

  const captured = (one: Order): (() => TransportAnswer) => {
    if (one.status === "COMPLETED") return () => failure(422, "ORDER_ALREADY_CAPTURED")
    if (one.status !== "APPROVED") return () => failure(422, "ORDER_NOT_APPROVED")
    if (one.isRefused) return () => failure(422, "INSTRUMENT_DECLINED")
    one.status = "COMPLETED"
    say("PAYMENT.CAPTURE.COMPLETED", writeCapture(one))
    return () => answer(201, write(one))
  }

  const api = ({ body, headers, method, path }: Asked): TransportAnswer => {
    asked.push(`${method} /${path.join("/")}`)
    if (path.join("/") === "v1/oauth2/token") {
      const isKnown = headers.authorization === `Basic ${btoa(`${clientId}:${clientSecret}`)}`
      return isKnown ? answer(200, token({ access_token: accessToken })) : answer(401, { error: "invalid_client" })
    }
    if (headers.authorization !== `Bearer ${accessToken}`) return answer(401, { error: "invalid_token" })
    if (path.join("/") === "v1/identity/oauth2/userinfo") return answer(200, { payer_id: "WDJJHEBZ4X2LY" })
    const [, , , id, action] = path
    const one = orders.get(id ?? "")
    if (method === "GET")
      return one === undefined || isGone(one) ? failure(404, "INVALID_RESOURCE_ID") : answer(200, write(one))
    const key = String(headers["paypal-request-id"])
    const known = keys.get(key)
    if (known !== undefined) return known()
    const isFound = one !== undefined && !isGone(one) && action === "capture"
    const answered =
      id === undefined ? opened(body) : isFound ? captured(one) : () => failure(404, "INVALID_RESOURCE_ID")
    keys.set(key, answered)
    return answered()
  }

  const pages = async ({ body, method, path, query }: Asked): Promise<TransportAnswer> => {
    const one = orders.get(query.get("token") ?? "")
    if (one === undefined || isGone(one)) return pageOf("Things don't appear to be working at the moment", "", 404)
    if (one.status === "COMPLETED") return pageOf("You have paid already", "")
    const isLoggedIn = path[0] === "pay"
    if (method === "GET") return isLoggedIn ? payPage : logInPage
    const form = new URLSearchParams(body)
    const { cancel_url, return_url } = contextOf(one)
    if (form.get("press") === "Cancel") return redirectTo(`${cancel_url}?token=${one.id}`)
    if (!isLoggedIn) return redirectTo(`/pay?token=${one.id}`)
    one.isRefused = form.get("funding") === "card-0002"
    one.status = "APPROVED"
    say("CHECKOUT.ORDER.APPROVED", write(one))
    await standIn.beforeReturn()
    return redirectTo(`${return_url}?token=${one.id}&PayerID=QYR5Z8XDVJNXQ`)
  }

  const url = await listenAs(now, (request) =>
    request.path[0] === "checkoutnow" || request.path[0] === "pay" ? pages(request) : api(request)
  )
  const standIn = standInOf(messages, {
    ...connectionToPayPal(url),
    asked,
    books: () =>
      [...orders.values()].map((one) => {
        const isPaid = one.status === "COMPLETED"
        const taken = isPaid ? Number((unitOf(one)?.amount.value ?? "").replace(".", "")) : 0
        return { returnUrl: contextOf(one).return_url, taken, charges: isPaid ? 1 : 0 }
      })
  })
  return standIn
}

const logInPage = pageOf(
  "Pay with PayPal",
  formOf('<label for="email">Email</label><input id="email" name="email">', "Log In", "Cancel")
)

const payPage = pageOf(
  "Choose a way to pay",
  formOf(
    ["balance", "card-0002"]
      .map((one) => `<label><input type="radio" name="funding" value="${one}">${one}</label>`)
      .join(""),
    "Pay Now",
    "Cancel"
  )
)
