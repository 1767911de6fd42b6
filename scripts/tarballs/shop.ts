// What a TypeScript program without Effect sees; it is compiled and never run.
import { createServer } from "node:http"
import { createPointsman, type Payment, type PaymentStatus, PointsmanError, webhooks } from "@pointsman/node"
import { adyen } from "@pointsman/node/adyen"
import { checkout } from "@pointsman/node/checkout"
import { http } from "@pointsman/node/http"
import { memory } from "@pointsman/node/memory"
import { postgres } from "@pointsman/node/postgres"
import { sandbox } from "@pointsman/node/sandbox"
import { sqlite } from "@pointsman/node/sqlite"
import { stripe } from "@pointsman/node/stripe"

export const storages = [memory(), sqlite("payments.db"), postgres("postgres://…", { maxConnections: 12 })]
export const { verify } = webhooks

const isEnglish: Record<PaymentStatus, string> | undefined = undefined

export const pay = async (): Promise<Payment | undefined> => {
  const pointsman = await createPointsman({
    storage: sqlite("payments.db"),
    connectors: [sandbox(), stripe, adyen, checkout, http],
    encryptionKey: "…",
    workspaces: [{ id: "shop", connections: [{ id: "first", environment: "sandbox" }] }]
  })
  const desk = await pointsman.console({
    mount: "/desk",
    sourceOf: ({ socket }) => socket.remoteAddress,
    oidc: {
      issuer: "https://login.shop.example",
      clientId: "desk",
      clientSecret: "…",
      rolesClaim: "groups",
      roles: { admins: { role: "admin" }, support: { workspace: "shop", role: "support" } }
    }
  })
  createServer((request, response) => desk.listener(request, response, () => pointsman.listener(request, response)))
  try {
    const { payment } = await pointsman.create({ amount: 1234, currency: "EUR", country: "NL" })
    // @ts-expect-error an amount is a number of minor units
    await pointsman.create({ amount: "12.34", currency: "EUR", country: "NL" })
    return isEnglish === undefined ? payment : undefined
  } catch (error) {
    if (error instanceof PointsmanError) return undefined
    throw error
  }
}
