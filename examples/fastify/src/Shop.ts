/** A shop on Fastify: its own checkout, with Pointsman's API and console beside it. */

import { createPointsman, type Pointsman, PointsmanError } from "@pointsman/node"
import { sandbox } from "@pointsman/node/sandbox"
import { sqlite } from "@pointsman/node/sqlite"
import fastify, { type FastifyInstance } from "fastify"

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
export const consolePath = "/desk"

/** What the shop sells. The price is the shop's word and never the browser's; in cents of EUR. */
const prices: Readonly<Record<string, number>> = { tea: 450, teapot: 3999 }

export const shop = (pointsman: Pointsman): FastifyInstance => {
  // A connection that becomes idle while the application closes delays the close for as long: 72 s in Fastify's default.
  const app = fastify({ keepAliveTimeout: 5_000 })

  // A scope of its own, so that the shop's routes keep Fastify's parsers: Pointsman reads bodies itself, because
  // providers sign the raw bytes.
  app.register(async (api) => {
    api.removeAllContentTypeParsers()
    api.addContentTypeParser("*", (_request, _body, done) => done(null))
    api.all("/api/v1/*", (request, reply) => {
      // From here on the answer is Pointsman's.
      reply.hijack()
      pointsman.listener(request.raw, reply.raw)
    })

    const desk = await pointsman.console({ mount: consolePath })
    for (const path of [consolePath, `${consolePath}/*`]) {
      api.all(path, (request, reply) => {
        reply.hijack()
        desk.listener(request.raw, reply.raw)
      })
    }
  })

  app.post("/checkout", async (request, reply) => {
    const { item, orderId } = (request.body ?? {}) as { readonly item?: unknown; readonly orderId?: unknown }
    const amount = Object.hasOwn(prices, String(item)) ? prices[String(item)] : undefined
    if (amount === undefined || typeof orderId !== "string" || !/^[\w-]{1,40}$/u.test(orderId)) {
      return reply.code(422).send({ error: "expected an orderId and an item that we sell" })
    }
    const { payment } = await pointsman.create(
      { amount, currency: "EUR", country: "NL", reference: orderId },
      // The order's own id: a customer who clicks twice, or a browser that sends again, pays once.
      { idempotencyKey: `order-${orderId}` }
    )
    // UNKNOWN is no failure: the customer may have paid, and the background will find out.
    return reply.code(201).send({ orderId, paymentId: payment.id, status: payment.status })
  })

  app.setErrorHandler((error, _request, reply) => {
    if (!(error instanceof PointsmanError)) return reply.send(error)
    // Never "it failed, pay again": whether it was paid shows when the result is known.
    if (error.moneyMayHaveMoved) return reply.code(202).send({ status: "UNKNOWN", error: error.code })
    return reply.code(error.code === "validation_error" ? 422 : 409).send({ error: error.code })
  })

  // Before Fastify waits for its connections: open pages of the console follow changes, and end with Pointsman alone.
  app.addHook("preClose", () => pointsman.close())
  return app
}
