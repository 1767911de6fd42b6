/**
 * Mollie for journeys of customers, by its documentation:
 *
 * - its checkout shows the methods, or the one that the payment names (https://docs.mollie.com/docs/hosted-checkout), and a bank's
 *   issuers; the last page is the one of its test mode, on which the tester chooses the payment's status
 *   (https://docs.mollie.com/reference/testing). It is shown for a live payment here too
 * - after a failure with several methods, the customer chooses another one, and the payment stays open
 *   (https://docs.mollie.com/docs/status-change)
 * - a customer who cancels the method that a payment named comes to the methods, and no webhook is sent; who cancels there ends
 *   the payment (https://docs.mollie.com/reference/webhooks)
 * - a refund is `pending` first, and canceled without a word: a webhook comes once it is `processing`, `failed` or `refunded`
 *   (https://docs.mollie.com/docs/refunds); who makes it in Mollie's dashboard writes no metadata
 * - who paid, failed or canceled is sent to `redirectUrl` (https://docs.mollie.com/reference/create-payment)
 */
import type { TransportAnswer } from "@pointsman/core/connector"
import {
  answer,
  event,
  type Fields,
  failure,
  list,
  opened,
  payment,
  refund
} from "../../../../connectors/mollie/test/Mollie.ts"
import {
  type Asked,
  cardPage,
  formOf,
  isoOf,
  listenAs,
  type Mode,
  messageTo,
  type OutgoingMessage,
  pageOf,
  redirectTo,
  signedByMollie,
  standInOf
} from "./StandIn.ts"

/** https://docs.mollie.com/docs/testing */
const apiKeyOf = (mode: Mode) => `${mode}_ofTheJourneys0123456789abcdefg`

const webhookSecret = "the secret of the signed webhooks"
const messagePath = "/api/v1/psp-webhooks/mollie"

/** A card's payment expires earliest (https://docs.mollie.com/docs/handling-payment-status). */
const expiresAfterMillis = 15 * 60_000

type End = "paid" | "authorized" | "failed" | "canceled" | "expired"

interface Payment {
  readonly id: string
  readonly asked: {
    readonly amount: { readonly currency: string; readonly value: string }
    readonly metadata: Fields
    readonly method?: string
    readonly captureMode?: string
    readonly redirectUrl: string
    readonly webhookUrl?: string
  }
  readonly createdAt: number
  /** Whether the customer may choose among the methods. */
  offersMethods: boolean
  /** The method that the customer pays by. */
  method: string | null
  status: "open" | End
  endedAt: number
  readonly refunds: Array<Refund>
}

interface Refund {
  readonly id: string
  readonly amount: { readonly currency: string; readonly value: string }
  readonly metadata: Fields | null
  readonly createdAt: number
  status: "pending" | "canceled" | "refunded"
}

/** `isSigned`: its messages are signed events, and otherwise the id of the payment alone. */
export const openMollie = async (now: () => number, isSigned: boolean, mode: Mode = "live") => {
  const apiKey = apiKeyOf(mode)
  const payments = new Map<string, Payment>()
  const keys = new Map<string, { readonly body: string; readonly answer: TransportAnswer }>()
  const asked: Array<string> = []
  const messages: Array<OutgoingMessage> = []
  let events = 0

  const write = (one: Payment): Fields => {
    const { amount, captureMode, metadata, redirectUrl, webhookUrl } = one.asked
    const common = {
      ...{ id: one.id, mode, amount, metadata, redirectUrl, webhookUrl, sequenceType: "oneoff" },
      ...{
        method: one.method,
        captureMode,
        customerId: undefined,
        mandateId: undefined,
        createdAt: isoOf(one.createdAt)
      }
    }
    if (one.status === "open") {
      return opened(common, `${url}/checkout/${one.offersMethods ? "methods" : "card"}/${one.id}`)
    }
    return payment({
      ...common,
      status: one.status,
      paidAt: undefined,
      [`${one.status}At`]: isoOf(one.endedAt),
      details: one.status === "failed" ? { failureReason: "insufficient_funds" } : undefined
    })
  }

  const writeRefund = (one: Payment, { amount, createdAt, id, metadata, status }: Refund): Fields =>
    refund({ id, mode, paymentId: one.id, amount, metadata, status, createdAt: isoOf(createdAt) })

  const end = (one: Payment, status: End): void => {
    one.status = status
    one.endedAt = now()
    tell(one, `payment.${status}`, write(one))
  }

  const tell = (one: Payment, type: string, entity: Fields): void => {
    if (isSigned) {
      const message = event(type, entity, { id: `event_${++events}`, createdAt: isoOf(now()) })
      messages.push(messageTo("mollie", signedByMollie(message, webhookSecret)))
    } else {
      const headers = { "content-type": "application/x-www-form-urlencoded" }
      messages.push({ path: new URL(one.asked.webhookUrl ?? "").pathname, headers, body: `id=${one.id}` })
    }
  }

  const api = ({ body, headers, method, path }: Asked): TransportAnswer => {
    asked.push(`${method} /${path.join("/")}`)
    if (headers.authorization !== `Bearer ${apiKey}`) return failure(401, { title: "Unauthorized Request" })
    const [, resource, id, under, refundId] = path
    if (resource !== "payments") return failure(404, { title: "Not Found" })
    if (method === "POST" && id === undefined) {
      // The same key is the same request, or is refused (https://docs.mollie.com/reference/api-idempotency).
      const key = String(headers["idempotency-key"])
      const known = keys.get(key)
      if (known !== undefined) return known.body === body ? known.answer : failure(400, { title: "Bad Request" })
      const request: Payment["asked"] = JSON.parse(body)
      const one: Payment = {
        ...{ id: `tr_ofTheJourney${payments.size + 1}`, asked: request, createdAt: now(), status: "open", endedAt: 0 },
        ...{ refunds: [], offersMethods: request.method === undefined, method: request.method ?? null }
      }
      payments.set(one.id, one)
      const made = answer(201, write(one))
      keys.set(key, { body, answer: made })
      return made
    }
    if (method === "GET" && id === undefined) return answer(200, list("payments", [...payments.values()].map(write)))
    const one = payments.get(id ?? "")
    if (one !== undefined && method === "POST" && under === "refunds") {
      const { amount, metadata } = JSON.parse(body)
      return answer(201, writeRefund(one, refunded(one, amount, metadata)))
    }
    if (method !== "GET" || one === undefined) return failure(404, { title: "Not Found" })
    const refunds = one.refunds.map((entry) => writeRefund(one, entry))
    if (under === undefined)
      return answer(200, { ...write(one), _embedded: { captures: [], refunds, chargebacks: [] } })
    const named = refunds.find((entry) => entry["id"] === refundId)
    return named === undefined ? failure(404, { title: "Not Found" }) : answer(200, named)
  }

  const refunded = (one: Payment, amount: Refund["amount"], metadata: Refund["metadata"]): Refund => {
    const id = `re_${one.id.slice("tr_".length)}_${one.refunds.length + 1}`
    const entry: Refund = { id, amount, metadata, createdAt: now(), status: "pending" }
    one.refunds.push(entry)
    return entry
  }

  const last = (): Payment => {
    const one = [...payments.values()].at(-1)
    if (one === undefined) throw new Error("nobody has paid")
    return one
  }

  /** Ends the payment, and sends the customer back. */
  const sendBack = async (one: Payment, status: End): Promise<TransportAnswer> => {
    end(one, status)
    await standIn.beforeReturn()
    return redirectTo(one.asked.redirectUrl)
  }

  const pages = ({ body, method, path }: Asked): TransportAnswer | Promise<TransportAnswer> => {
    const [, step = "", id = ""] = path
    const one = payments.get(id)
    if (one === undefined) return pageOf("Not found", "", 404)
    if (one.status !== "open") return pageOf("This payment is over", "")
    if (method === "GET") return step === "card" ? cardPage("") : pageOf(...(shown[step] ?? ["Not found", ""]))
    const form = new URLSearchParams(body)
    const at = (next: string) => redirectTo(`/checkout/${next}/${id}`)
    if (step === "methods") {
      const pressed = form.get("press")
      return pressed === "Cancel payment" ? sendBack(one, "canceled") : at(pressed === "iDEAL" ? "issuer" : "card")
    }
    if (step !== "status") {
      one.method = step === "card" ? "creditcard" : "ideal"
      return at("status")
    }
    const chosen = form.get("status") as End
    // Of these two methods, cards alone can be held (https://docs.mollie.com/docs/place-a-hold-for-a-payment).
    const isHeld = one.asked.captureMode === "manual" && one.method === "creditcard"
    const status = chosen === "paid" && isHeld ? "authorized" : chosen
    const isFinal =
      status === "authorized" ||
      status === "paid" ||
      status === "expired" ||
      (status === "failed" && !one.offersMethods)
    if (isFinal) return sendBack(one, status)
    one.offersMethods = true
    return at("methods")
  }

  const url = await listenAs(now, (request) => (request.path[0] === "checkout" ? pages(request) : api(request)))
  const credentials = isSigned
    ? { apiKey, baseUrl: url }
    : { apiKey, baseUrl: url, webhookUrl: `https://pay.shop.example${messagePath}` }
  const standIn = standInOf(messages, {
    connection: {
      ...{ id: "mollie", connector: "mollie", credentials, timeout: "5 seconds" },
      ...(isSigned ? { webhookSecret } : {})
    },
    asked,
    books: () =>
      [...payments.values()].map(({ asked: { amount, redirectUrl }, status }) => ({
        returnUrl: redirectUrl,
        taken: status === "paid" ? Number(amount.value.replace(".", "")) : 0,
        charges: status === "paid" ? 1 : 0
      })),
    /** Refunds a part of the last payment. */
    refundByHand: (value: string) => void refunded(last(), { currency: "EUR", value }, null),
    cancelRefunds: () => {
      for (const entry of last().refunds) if (entry.status === "pending") entry.status = "canceled"
    },
    /** Refunds what is pending. */
    payRefunds: () => {
      const one = last()
      for (const entry of one.refunds) {
        if (entry.status !== "pending") continue
        entry.status = "refunded"
        tell(one, "refund.refunded", writeRefund(one, entry))
      }
    },
    /** Tells the last payment and its refunds again. */
    tellAgain: () => {
      const one = last()
      tell(one, `payment.${one.status}`, write(one))
      for (const entry of one.refunds) tell(one, `refund.${entry.status}`, writeRefund(one, entry))
    },
    expire: () => {
      for (const one of payments.values()) {
        if (one.status === "open" && now() >= one.createdAt + expiresAfterMillis) end(one, "expired")
      }
    }
  })
  return standIn
}

const statuses = ["paid", "failed", "canceled", "expired"]

/** The heading and the body of each page. */
const shown: Readonly<Record<string, readonly [string, string]>> = {
  methods: ["Choose a payment method", formOf("", "Card", "iDEAL", "Cancel payment")],
  issuer: [
    "Choose your bank",
    formOf(
      '<label for="issuer">Bank</label><select id="issuer" name="issuer"><option>ING</option><option>Rabobank</option></select>',
      "Continue"
    )
  ],
  status: [
    "Test mode",
    formOf(
      statuses.map((one) => `<label><input type="radio" name="status" value="${one}">${one}</label>`).join(""),
      "Continue"
    )
  ]
}
