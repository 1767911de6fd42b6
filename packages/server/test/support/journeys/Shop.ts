/** A shop with a server of Pointsman in front of one provider, on a clock that the test turns. */
import { createHmac } from "node:crypto"
import { assert } from "vitest"
import { liveKey, testKey } from "../Configurations.ts"
import { startInProcess } from "../ServerInProcess.ts"
import { temporaryFolder } from "../ServerProcess.ts"
import { makeTurnedClock } from "../TurnedClock.ts"
import { startReceiver } from "../WebhookReceiver.ts"
import type { Provider } from "./Providers.ts"
import { listenAs, type Mode, pageOf } from "./StandIn.ts"

const begun = Date.UTC(2026, 10, 21, 12)
const webhookSecret = "whsec_of_the_shop"

/** A payment, and where its customer is sent. */
export interface Created {
  readonly id: string
  readonly page: string
}

/** What the three sides say of a payment. */
export interface Account {
  /** Of the shop's `GET`. */
  readonly status: string
  readonly captured: number
  /** The types of its events, oldest first: those of the API, which the shop's webhooks must equal. */
  readonly events: ReadonlyArray<string>
  /** Of each page that the provider opened for it. */
  readonly booked: ReadonlyArray<{ readonly taken: number; readonly charges: number }>
}

/** What a payment's `GET` says of its refunds. */
interface Refunds {
  readonly status: string
  readonly refunded: number
  readonly pending: number
  /** The origin and the amount of each `payment.refunded`, oldest first. */
  readonly told: ReadonlyArray<readonly [unknown, unknown]>
}

export const openShop = async (
  { method, open }: Pick<Provider, "method" | "open">,
  /** The workspace asks for the provider's page in the sandbox too, which `test` is. */
  mode: Mode = "live"
) => {
  const environment = mode === "live" ? "production" : "sandbox"
  const key = environment === "production" ? liveKey : testKey
  const turned = makeTurnedClock(begun)
  const standIn = await open(turned.now, mode)
  const receiver = await startReceiver(turned.now)
  const address = await listenAs(turned.now, ({ path }) => pageOf(`Shop: ${path[0]}`, ""))
  const server = await startInProcess({
    folder: temporaryFolder(),
    turned,
    environment: { POINTSMAN_RATE_LIMIT: "off", POINTSMAN_ALLOW_PRIVATE_WEBHOOKS: "true" },
    configuration: {
      ...(standIn.connectors === undefined ? {} : { connectors: standIn.connectors }),
      workspaces: [
        {
          id: "acme",
          name: "Acme",
          country: "NL",
          hostedPage: "provider",
          keys: [{ environment, secret: key }],
          connections: [{ ...standIn.connection, environment }],
          webhooks: [{ environment, url: receiver.url, secret: webhookSecret }]
        }
      ]
    }
  })
  let keys = 0
  const ask = async (path: string, body?: object) => {
    const idempotencyKey = body === undefined ? undefined : `order-20417-try-${++keys}`
    const answer = await server.request(body === undefined ? "GET" : "POST", `/api/v1/payments${path}`, {
      key,
      ...(body === undefined ? {} : { body, idempotencyKey })
    })
    assert.isBelow(answer.status, 300, JSON.stringify(answer.body))
    return answer.body.data
  }
  const isSigned = (body: string, header: string): boolean => {
    const [, time = "", tag = ""] = /^t=(\d+),v1=(\w+)$/u.exec(header) ?? []
    return tag === createHmac("sha256", webhookSecret).update(`${time}.${body}`).digest("hex")
  }
  return {
    standIn,
    /** Refunds by the API, and gives the status of its answer. */
    refund: async ({ id }: Created, body: object): Promise<number> => {
      const idempotencyKey = `order-20417-try-${++keys}`
      return (await server.request("POST", `/api/v1/payments/${id}/refunds`, { key, idempotencyKey, body })).status
    },
    refundsOf: async ({ id }: Created): Promise<Refunds> => {
      const { payment_status: status, refund_pending_amount: pending, refunded_amount: refunded } = await ask(`/${id}`)
      const events: ReadonlyArray<{ readonly type: string; readonly data: Readonly<Record<string, unknown>> }> =
        await ask(`/${id}/events`)
      const told = events.filter(({ type }) => type === "payment.refunded")
      return { status, refunded, pending, told: told.map(({ data }) => [data["origin"], data["refund_amount"]]) }
    },
    create: async (change: object = {}): Promise<Created> => {
      const { next_action, payment_id, payment_status } = await ask("", {
        ...{ amount: 1999, currency: "EUR", country: "NL", reference: "order-20417" },
        // The one wallet of these journeys, by its name.
        ...(method === "wallet" ? { payment_method: "paypal" } : { method }),
        ...{ return_url: `${address}/thanks?order=20417`, cancel_url: `${address}/basket` },
        ...change
      })
      assert.strictEqual(payment_status, "REQUIRES_ACTION")
      return { id: payment_id, page: next_action.url }
    },
    /** Where the customer comes back to. */
    backAt: ({ id }: Created, status: string) =>
      status === "CANCELLED"
        ? `${address}/basket?payment_id=${id}&status=${status}`
        : `${address}/thanks?order=20417&payment_id=${id}&status=${status}`,
    accountOf: async ({ id, page }: Created): Promise<Account> => {
      await server.rest()
      const { captured_amount: captured, payment_status: status } = await ask(`/${id}`)
      const events: ReadonlyArray<{ readonly id: string; readonly type: string }> = await ask(`/${id}/events`)
      const ids = new Set(events.map((event) => event.id))
      for (const { body, headers } of receiver.heard)
        assert.isTrue(isSigned(body, String(headers["x-service-signature"])))
      const heard = receiver.heard.map(({ body }) => JSON.parse(body)).filter((event) => ids.has(event.id))
      assert.sameDeepMembers(heard, [...events], "the webhooks are the events, each once")
      const booked = standIn
        .books()
        .filter(({ returnUrl }) => returnUrl === `${page}/return`)
        .map(({ charges, taken }) => ({ charges, taken }))
      return { status, captured, events: events.map(({ type }) => type), booked }
    },
    /** Sends the provider's messages that wait, each twice, and waits until all is done. */
    deliver: async () => {
      for (const { body, headers, path } of standIn.takeMessages()) {
        for (let sent = 0; sent < 2; sent++) {
          const answer = await fetch(`${server.url}${path}`, { method: "POST", headers, body })
          assert.strictEqual(answer.status, 200, await answer.text())
        }
      }
      await server.rest()
    },
    /** Lets so many seconds pass, and the background look. */
    wait: (seconds: number) => server.live([turned.now() + seconds * 1000]),
    /** Lets so many hours pass, one after the other, and the background look in each. */
    pass: async (hours: number) => {
      for (let hour = 0; hour < hours; hour++) {
        const at = turned.now() + 60 * 60_000
        standIn.expire()
        await server.live([at])
        standIn.expire()
      }
    }
  }
}

export type Shop = Awaited<ReturnType<typeof openShop>>
