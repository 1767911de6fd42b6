/** The shop: its Pointsman, its one product, its pages, and what it does with events. */
import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import {
  createPointsman,
  type IncomingWebhook,
  NotFoundError,
  type Pointsman,
  type PointsmanSettings,
  WebhookRefusedError,
  webhooks
} from "@pointsman/node"
import { sandbox } from "@pointsman/node/sandbox"
import { sqlite } from "@pointsman/node/sqlite"
import { stripe } from "@pointsman/node/stripe"

/** Where customers reach the shop. */
export const url = new URL(process.env["SHOP_URL"] ?? "http://127.0.0.1:3000")

export const openPointsman = (): Promise<Pointsman> =>
  createPointsman({
    storage: sqlite("payments.db"),
    connectors: [stripe, sandbox("sandbox-records.db")],
    encryptionKey: process.env["POINTSMAN_ENCRYPTION_KEY"] ?? "",
    environment: "sandbox",
    baseUrl: url.origin,
    // Its webhooks come to this machine.
    allowPrivateWebhooks: true,
    workspaces: workspaces()
  })

type Workspaces = NonNullable<PointsmanSettings["workspaces"]>

/** Those of pointsman.json, with the provider once .env has its test key, and with the simulator until then. */
const workspaces = (): Workspaces => {
  const connector = process.env["STRIPE_SECRET_KEY"] ? "stripe" : "sandbox"
  const configuration: { readonly workspaces: Workspaces } = JSON.parse(readFileSync("pointsman.json", "utf8"))
  return configuration.workspaces.map((workspace) => ({
    ...workspace,
    connections: (workspace.connections ?? []).filter((one) => one.connector === connector)
  }))
}

/** Each page is one order, so that a customer who clicks twice pays once. */
export const home = (): string =>
  page(
    "Tea, 4.50 EUR",
    `<form method="post" action="/checkout?order=${randomUUID()}"><button name="buy" value="tea">Buy tea</button></form>`
  )

/** Gives the address at which the customer pays. The price is the shop's word and never the browser's. */
export const checkOut = async (pointsman: Pointsman, orderId: string): Promise<string> => {
  const { payment } = await pointsman.create(
    {
      amount: 450,
      currency: "EUR",
      country: "NL",
      reference: orderId,
      return_url: new URL("/thanks", url).href
    },
    { idempotencyKey: `order-${orderId}` }
  )
  return payment.next_action.url ?? `/thanks?payment_id=${payment.id}`
}

/** For the customer who comes back. Anybody can enter the address, so the payment is read, and its `status` there is not. */
export const thanks = async (pointsman: Pointsman, paymentId: string): Promise<string> => {
  try {
    const { status } = await pointsman.payment(paymentId)
    return page(headings[status] ?? "Your payment is being confirmed", `<p>The payment is ${status}.</p>`)
  } catch (error) {
    if (error instanceof NotFoundError) return page("There is no such payment", "")
    throw error
  }
}

const headings: Readonly<Record<string, string>> = {
  CAPTURED: "Thank you",
  AUTHORIZED: "Thank you",
  DECLINED: "You have not paid",
  FAILED: "You have not paid",
  CANCELLED: "You have not paid"
}

/** Gives the status of the response. 400 refuses an event for good; after any other failure it is sent again. */
export const hear = async (webhook: Omit<IncomingWebhook, "secret">): Promise<number> => {
  try {
    const { event } = await webhooks.verify({ ...webhook, secret: process.env["POINTSMAN_WEBHOOK_SECRET"] ?? "" })
    // Ship the order here. An event comes at least once: act once for each `event.id`.
    console.log(event.type, event.data["payment_id"])
    return 204
  } catch (error) {
    if (error instanceof WebhookRefusedError) return 400
    throw error
  }
}

const page = (heading: string, body: string): string =>
  `<!doctype html><html lang="en"><title>${heading}</title><h1>${heading}</h1>${body}<p><a href="/">To the shop</a></p></html>`
