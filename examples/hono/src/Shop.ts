/** A shop on Hono: its own checkout, with Pointsman's API and console beside it. */
import { getConnInfo } from "@hono/node-server/conninfo"

import { createPointsman, type Pointsman, PointsmanError } from "@pointsman/node"
import { sandbox } from "@pointsman/node/sandbox"
import { sqlite } from "@pointsman/node/sqlite"
import { Hono } from "hono"

/** `folder`: where the payments are kept. It has to exist. */
export const openPointsman = (folder: string, encryptionKey: string, apiKey?: string): Promise<Pointsman> =>
  createPointsman({
    storage: sqlite(`${folder}/payments.db`),
    // The simulator is a provider of its own, so it keeps books of its own.
    connectors: [sandbox(`${folder}/sandbox-records.db`)],
    encryptionKey,
    environment: "sandbox",
    workspaces: [
      {
        id: "shop",
        country: "NL",
        // For those who come by HTTP; the checkout below needs none.
        keys: apiKey === undefined ? [] : [{ environment: "sandbox", secret: apiKey }],
        connections: [
          { id: "first", environment: "sandbox", priority: 1 },
          { id: "second", environment: "sandbox", priority: 2 }
        ]
      }
    ]
  })

/** A link that signs a person of the shop in to the console, once. Every other change is `pointsman.operators` too. */
export const signInLink = async ({ operators }: Pointsman, login: string, consoleUrl: string): Promise<string> => {
  const known = await operators.list()
  if (!known.some((one) => one.active && one.login === login)) await operators.add({ login, role: "support" })
  return (await operators.createLink(login, { consoleUrl })).url
}

/** Where the shop's people work with its payments. */
export const consolePath = "/staff/desk"

/** What the shop sells. The price is the shop's word and never the browser's; in cents of EUR. */
const prices: Readonly<Record<string, number>> = { tea: 450, teapot: 3999 }

export const shop = async (pointsman: Pointsman): Promise<Hono> => {
  const app = new Hono()

  app.all("/api/v1/*", (context) => pointsman.handler(context.req.raw))

  const desk = await pointsman.console({ mount: consolePath })
  // Sign-ins are limited by the address that they come from. Behind a proxy, it is in a header of the proxy.
  app.all(`${consolePath}/*`, (context) =>
    desk.handler(context.req.raw, { source: getConnInfo(context).remote.address })
  )

  app.post("/checkout", async (context) => {
    const { item, orderId } = await context.req.json<{ readonly item?: unknown; readonly orderId?: unknown }>()
    const amount = Object.hasOwn(prices, String(item)) ? prices[String(item)] : undefined
    if (amount === undefined || typeof orderId !== "string" || !/^[\w-]{1,40}$/u.test(orderId)) {
      return context.json({ error: "expected an orderId and an item that we sell" }, 422)
    }
    const { payment } = await pointsman.create(
      { amount, currency: "EUR", country: "NL", reference: orderId },
      // The order's own id: a customer who clicks twice, or a browser that sends again, pays once.
      { idempotencyKey: `order-${orderId}` }
    )
    // UNKNOWN is no failure: the customer may have paid, and the background will find out.
    return context.json({ orderId, paymentId: payment.id, status: payment.status }, 201)
  })

  app.onError((error, context) => {
    if (!(error instanceof PointsmanError)) throw error
    // Never "it failed, pay again": whether it was paid shows when the result is known.
    if (error.moneyMayHaveMoved) return context.json({ status: "UNKNOWN", error: error.code }, 202)
    return context.json({ error: error.code }, error.code === "validation_error" ? 422 : 409)
  })
  return app
}
