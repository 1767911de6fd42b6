/**
 * Adyen for journeys of customers, by its documentation:
 *
 * - a payment link leads to a page of Adyen's for at most one successful payment, by default for 24 hours
 *   (https://docs.adyen.com/unified-commerce/pay-by-link). After it, a button "Continue" leads to `returnUrl` (`returnUrl` of
 *   `PaymentLinkRequest` in `json/CheckoutService-v72.json` of https://github.com/Adyen/adyen-openapi)
 * - its record names no payment: that one was made, and which, `AUTHORISATION` says, signed over eight fields
 *   (https://docs.adyen.com/development-resources/webhooks/verify-hmac-signatures); a refusal is one with `success` `false`
 * - the cards that are refused are those of the other stand-ins. At Adyen the holder's name tells what becomes of a payment
 *   (https://docs.adyen.com/development-resources/testing/result-code-testing)
 */
import type { TransportAnswer } from "@pointsman/core/connector"
import { answer, hmacKey, merchantAccount, serviceError } from "../../../../connectors/adyen/test/Adyen.ts"
import { begun, webhook } from "../AdyenWorld.ts"
import {
  type Asked,
  cardPage,
  formOf,
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

const apiKeyOf = (mode: Mode) => `AQE_${mode}_of_the_journeys_0123456789`
const livesMillis = 24 * 60 * 60_000

interface Link {
  readonly id: string
  readonly asked: {
    readonly amount: { readonly value: number; readonly currency: string }
    readonly reference: string
    readonly manualCapture?: boolean
    readonly returnUrl: string
  }
  readonly expiresAt: number
  isPaid: boolean
}

export const openAdyen = async (now: () => number, mode: Mode): Promise<StandIn> => {
  const links = new Map<string, Link>()
  const asked: Array<string> = []
  const messages: Array<OutgoingMessage> = []
  let drawn = 0

  const write = (one: Link) => ({
    ...{ id: one.id, reference: one.asked.reference, amount: one.asked.amount, merchantAccount },
    ...{ url: `${url}/page/${one.id}`, expiresAt: isoOf(one.expiresAt), reusable: false },
    status: one.isPaid ? "completed" : now() >= one.expiresAt ? "expired" : "active"
  })

  const say = (one: Link, success: boolean): void => {
    const event = {
      ...{ eventCode: "AUTHORISATION", success: String(success), reason: success ? "" : "Refused" },
      ...{ merchantReference: one.asked.reference, pspReference: `PSP${String(++drawn).padStart(13, "0")}` },
      ...{ value: one.asked.amount.value, at: (now() - begun) / 1000 }
    }
    messages.push(messageTo("adyen", { body: JSON.stringify(webhook(event)) }))
  }

  const api = ({ body, headers, method, path }: Asked): TransportAnswer => {
    asked.push(`${method} /${path.join("/")}`)
    if (headers["x-api-key"] !== apiKeyOf(mode)) return serviceError(401, "000", "HTTP Status Response", "security")
    const [, resource, id] = path
    if (resource !== "paymentLinks") return serviceError(404, "000", "Not found")
    if (method === "POST") {
      const one: Link = {
        ...{ id: `PL${links.size + 1}`, asked: JSON.parse(body), isPaid: false },
        expiresAt: now() + livesMillis
      }
      links.set(one.id, one)
      return answer(201, write(one))
    }
    const one = links.get(id ?? "")
    return one === undefined ? serviceError(404, "000", "Not found") : answer(200, write(one))
  }

  const pages = async ({ body, method, path: [, id = ""] }: Asked): Promise<TransportAnswer> => {
    const one = links.get(id)
    if (one === undefined) return pageOf("Not found", "", 404)
    const form = new URLSearchParams(body)
    if (form.get("press") === "Continue") {
      await standIn.beforeReturn()
      return redirectTo(one.asked.returnUrl)
    }
    if (one.isPaid) return pageOf("You have already paid", "")
    if (write(one).status === "expired") return pageOf("This link has expired", "")
    if (method === "GET") return cardPage("")
    one.isPaid = isApproved(form)
    say(one, one.isPaid)
    return one.isPaid ? pageOf("Payment successful", formOf("", "Continue")) : cardPage("The payment was refused.")
  }

  const url = await listenAs(now, (request) => (request.path[0] === "page" ? pages(request) : api(request)))
  const standIn = standInOf(messages, {
    connection: {
      ...{ id: "adyen", connector: "adyen", timeout: "5 seconds", webhookSecret: hmacKey },
      credentials: { apiKey: apiKeyOf(mode), merchantAccount, baseUrl: url }
    },
    asked,
    books: () =>
      [...links.values()].map(({ asked: { amount, manualCapture = false, returnUrl }, isPaid }) => {
        const isTaken = isPaid && !manualCapture
        return { returnUrl, taken: isTaken ? amount.value : 0, charges: isTaken ? 1 : 0 }
      })
  })
  return standIn
}
