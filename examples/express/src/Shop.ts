/** A shop on Express: its own checkout, with Pointsman's API and console beside it. */

import { createPointsman, type Pointsman, PointsmanError } from "@pointsman/node"
import { sandbox } from "@pointsman/node/sandbox"
import { sqlite } from "@pointsman/node/sqlite"
import express, { type ErrorRequestHandler, type Express } from "express"

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
export const consolePath = "/admin/desk"

/** What the shop sells. The price is the shop's word and never the browser's; in cents of EUR. */
const prices: Readonly<Record<string, number>> = { tea: 450, teapot: 3999 }

export const shop = async (pointsman: Pointsman): Promise<Express> => {
  const app = express()
  // Before express.json(): Pointsman reads bodies itself, because providers sign the raw bytes.
  app.use(pointsman.listener)
  app.use(express.json())

  // Its forms work before and after body parsers.
  const desk = await pointsman.console({ mount: consolePath })
  app.use(consolePath, desk.listener)

  app.post("/checkout", async (request, response) => {
    const { item, orderId } = request.body ?? {}
    const amount = Object.hasOwn(prices, String(item)) ? prices[String(item)] : undefined
    if (amount === undefined || typeof orderId !== "string" || !/^[\w-]{1,40}$/u.test(orderId)) {
      response.status(422).json({ error: "expected an orderId and an item that we sell" })
      return
    }
    const { payment } = await pointsman.create(
      // By name: only connections that declare iDEAL are used.
      { amount, currency: "EUR", country: "NL", payment_method: "ideal", reference: orderId },
      // The order's own id: a customer who clicks twice, or a browser that sends again, pays once.
      { idempotencyKey: `order-${orderId}` }
    )
    // UNKNOWN is no failure: the customer may have paid, and the background will find out.
    // After a decline, what the customer can do: use another method, try again later, or neither.
    const advice = payment.decline?.advice
    response.status(201).json({ orderId, paymentId: payment.id, status: payment.status, advice })
  })

  app.use(tellErrors)
  return app
}

/** Express 5 hands over what an async route throws. */
const tellErrors: ErrorRequestHandler = (error, _request, response, next) => {
  if (!(error instanceof PointsmanError)) return next(error)
  if (error.moneyMayHaveMoved) {
    // Never "it failed, pay again": whether it was paid shows when the result is known.
    response.status(202).json({ status: "UNKNOWN", error: error.code })
    return
  }
  response.status(error.code === "validation_error" ? 422 : 409).json({ error: error.code })
}
