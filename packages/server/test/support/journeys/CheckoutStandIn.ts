/**
 * Checkout.com for journeys of customers, by its documentation:
 *
 * - a payment link takes one payment by card (https://api-reference.checkout.com/tag/Payment-Links). The customer may try again
 *   after a refusal (`CustomerRetry` of `PaymentLinkRequest.cs`), and each try is a payment of its own. There is no button by
 *   which a customer cancels: a link that nobody pays on expires
 * - an approved payment is `Authorized`, and is captured some moments later where the link says so
 *   (https://www.checkout.com/docs/payments/manage-payments/capture-a-payment)
 * - its events are signed (https://www.checkout.com/docs/developer-resources/event-notifications/receive-webhooks). They have the
 *   link's reference; that they have the link's metadata is not documented, so that they have none here
 *
 * The files are those of https://github.com/checkout/checkout-sdk-net.
 */
import type { TransportAnswer } from "@pointsman/core/connector"
import {
  answer,
  event,
  failure,
  link,
  list,
  lookedUp,
  openedLink,
  signed,
  told
} from "../../../../connectors/checkout/test/Checkout.ts"
import {
  type Asked,
  cardPage,
  isApproved,
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

/** https://www.checkout.com/docs/developer-resources/testing */
const secretKeys = { live: "sk_of_the_journeys_0123456789", test: "sk_sbox_of_the_journeys_0123456789" } as const
const webhookSecret = "8V8x0dLK%AyD*DNS8JJr"
const prefix = "vkuhvk4v"
const host = `https://${prefix}.api.checkout.com`

interface Payment {
  readonly id: string
  status: "Authorized" | "Captured" | "Declined"
}

interface Link {
  readonly id: string
  readonly asked: {
    readonly amount: number
    readonly currency: string
    readonly capture: boolean
    readonly reference: string
    readonly return_url: string
  }
  readonly expiresAt: number
  readonly createdAt: number
  readonly payments: Array<Payment>
}

/** Ids have 26 letters and digits. */
const idOf = (kind: string, number: number): string => `${kind}_${String(number).padStart(26, "0")}`

export const openCheckoutCom = async (now: () => number, mode: Mode): Promise<StandIn> => {
  const secretKey = secretKeys[mode]
  const links = new Map<string, Link>()
  const asked: Array<string> = []
  const messages: Array<OutgoingMessage> = []
  let drawn = 0

  const paidOn = ({ payments }: Link) => payments.find(({ status }) => status !== "Declined")
  const statusOf = (one: Link): string =>
    paidOn(one) !== undefined ? "Payment Received" : now() >= one.expiresAt ? "Expired" : "Active"

  const moneyOf = ({ asked: { amount } }: Link, { status }: Payment) => ({
    response_code: status === "Declined" ? "20051" : "10000",
    balances: {
      total_authorized: status === "Declined" ? 0 : amount,
      total_captured: status === "Captured" ? amount : 0
    }
  })

  const writePayment = (one: Link, { id, status }: Payment) => {
    const { amount, currency, reference } = one.asked
    return lookedUp({
      ...{ id, status, amount, currency, reference, approved: status !== "Declined" },
      ...moneyOf(one, { id, status }),
      _links: { self: { href: `${host}/payments/${id}` } }
    })
  }

  const say = (type: string, one: Link, about: Payment): void => {
    const { amount, currency, reference } = one.asked
    const id = idOf("evt", ++drawn)
    const data = told({
      ...{ id: about.id, action_id: idOf("act", ++drawn), amount, currency, reference, metadata: undefined },
      ...{ processed_on: isoOf(now()), event_links: { payment: `${host}/payments/${about.id}` } },
      ...moneyOf(one, about)
    })
    const links = { self: { href: `${host}/workflows/events/${id}` } }
    const text = JSON.stringify(event(type, data, { id, created_on: isoOf(now()), _links: links }))
    messages.push(messageTo("checkout", signed(text, webhookSecret)))
  }

  const api = ({ body, headers, method, path, query }: Asked): TransportAnswer => {
    asked.push(`${method} /${path.join("/")}`)
    if (headers.authorization !== `Bearer ${secretKey}`) return answer(401, "")
    const [resource, id = ""] = path
    if (method === "POST" && resource === "payment-links") {
      const request: Link["asked"] & { readonly expires_in: number } = JSON.parse(body)
      const one: Link = {
        ...{ id: idOf("pl", ++drawn), asked: request, payments: [] },
        ...{ createdAt: now(), expiresAt: now() + request.expires_in * 1000 }
      }
      links.set(one.id, one)
      return answer(
        201,
        openedLink({
          ...{ id: one.id, reference: request.reference, expires_on: isoOf(one.expiresAt) },
          _links: { self: { href: `${host}/payment-links/${one.id}` }, redirect: { href: `${url}/page/${one.id}` } }
        })
      )
    }
    const tried = [...links.values()].flatMap((one) => one.payments.map((payment) => [one, payment] as const))
    if (resource === "payment-links") {
      const one = links.get(id)
      if (one === undefined) return answer(404, "")
      const { amount, currency, reference, return_url } = one.asked
      const last = paidOn(one) ?? one.payments.at(-1)
      return answer(
        200,
        link({
          ...{ id, amount, currency, reference, return_url, status: statusOf(one) },
          ...{ created_on: isoOf(one.createdAt), expires_on: isoOf(one.expiresAt) },
          ...(last === undefined ? {} : { payment_id: last.id })
        })
      )
    }
    if (method !== "GET" || resource !== "payments") return failure(422, ["request_invalid"])
    if (id === "") {
      const found = tried.filter(([one]) => one.asked.reference === query.get("reference"))
      return answer(200, list(...found.toReversed().map(([one, payment]) => writePayment(one, payment))))
    }
    const found = tried.find(([, payment]) => payment.id === id)
    return found === undefined ? answer(404, "") : answer(200, writePayment(...found))
  }

  const pages = async ({ body, method, path: [, id = ""] }: Asked): Promise<TransportAnswer> => {
    const one = links.get(id)
    if (one === undefined) return pageOf("Not found", "", 404)
    if (statusOf(one) !== "Active") return pageOf("This payment link is no longer available", "")
    if (method === "GET") return cardPage("")
    const approved = isApproved(new URLSearchParams(body))
    const made: Payment = { id: idOf("pay", ++drawn), status: approved ? "Authorized" : "Declined" }
    one.payments.push(made)
    say(approved ? "payment_approved" : "payment_declined", one, made)
    if (!approved) return cardPage("Your payment was declined. Try another card.")
    await standIn.beforeReturn()
    return redirectTo(`${one.asked.return_url}?cko-payment-id=${made.id}`)
  }

  const url = await listenAs(now, (request) => (request.path[0] === "page" ? pages(request) : api(request)))
  const standIn = standInOf(messages, {
    connection: {
      ...{ id: "checkout", connector: "checkout", timeout: "5 seconds", webhookSecret },
      credentials: { secretKey, prefix, baseUrl: url }
    },
    asked,
    books: () =>
      [...links.values()].map(({ asked, payments }) => {
        const captured = payments.filter(({ status }) => status === "Captured")
        return { returnUrl: asked.return_url, taken: captured.length * asked.amount, charges: captured.length }
      }),
    settle: () => {
      for (const one of links.values()) {
        for (const made of one.payments) {
          if (made.status === "Authorized" && one.asked.capture) {
            made.status = "Captured"
            say("payment_captured", one, made)
          }
        }
      }
    }
  })
  return standIn
}
