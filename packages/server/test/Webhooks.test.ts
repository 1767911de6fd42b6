/** Webhooks of a running server, at a receiver that checks them as a merchant would: by Node's own HMAC. */
import { createHmac } from "node:crypto"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it, onTestFinished } from "vitest"
import { connectionTo, liveKey, testKey, workspaceWith } from "./support/Configurations.ts"
import { startProvider } from "./support/ScriptedProvider.ts"
import { type ServerProcess, startServer, temporaryFolder } from "./support/ServerProcess.ts"

interface Heard {
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly at: number
}

interface Receiver {
  readonly url: string
  readonly heard: ReadonlyArray<Heard>
  /** Resolves when so many webhooks have come. */
  readonly count: (atLeast: number) => Promise<void>
  status: (number: number) => number
}

const startReceiver = async (): Promise<Receiver> => {
  const heard: Array<Heard> = []
  const waiting = new Set<() => void>()
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text
    })
    request.on("end", () => {
      heard.push({ headers: request.headers, body, at: Date.now() })
      response.writeHead(receiver.status(heard.length)).end()
      for (const look of waiting) look()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    heard,
    status: () => 200,
    count: (atLeast) =>
      new Promise((resolve) => {
        const look = () => {
          if (heard.length >= atLeast) resolve()
        }
        waiting.add(look)
        look()
      })
  }
  return receiver
}

const secret = "whsec_merchant_1"

const setup = async (environment: Readonly<Record<string, string>> = {}, more: object = {}) => {
  const receiver = await startReceiver()
  const provider = await startProvider()
  const folder = temporaryFolder()
  const start = () =>
    startServer({
      folder,
      configuration: {
        workspaces: [
          {
            ...workspaceWith([connectionTo(provider)]),
            keys: [
              { environment: "production", secret: liveKey },
              { environment: "sandbox", secret: testKey }
            ],
            webhooks: [{ environment: "production", url: receiver.url, secret, ...more }]
          }
        ]
      },
      environment
    })
  return { receiver, start, server: await start() }
}

const pay = (server: ServerProcess) =>
  server.request("POST", "/api/v1/payments", {
    key: liveKey,
    idempotencyKey: "order-0001",
    body: { amount: 1999, currency: "EUR", country: "NL", reference: "order-0001" }
  })

const isSigned = ({ body, headers }: Heard, key: string): boolean => {
  const [t, ...tags] = String(headers["x-service-signature"]).split(",")
  const time = /^t=(\d+)$/u.exec(t ?? "")?.[1] ?? ""
  assert.isAtMost(Math.abs(Date.now() / 1000 - Number(time)), 60)
  return tags.includes(`v1=${createHmac("sha256", key).update(`${time}.${body}`).digest("hex")}`)
}

const allowed = { POINTSMAN_ALLOW_PRIVATE_WEBHOOKS: "true" }

describe("webhooks of the server", () => {
  it("given an endpoint, when a payment is made, then its events arrive signed, as the API shows them", async () => {
    const { receiver, server } = await setup(allowed)
    assert.strictEqual((await pay(server)).status, 201)
    await receiver.count(2)
    const events = (await server.request("GET", "/api/v1/events", { key: liveKey })).body.data
    const shown = new Map(events.map((event: { readonly id: string }) => [event.id, event]))
    for (const one of receiver.heard) {
      const body = JSON.parse(one.body)
      assert.deepStrictEqual(body, shown.get(body.id))
      assert.strictEqual(one.headers["x-service-event-id"], body.id)
      assert.match(String(one.headers["x-service-delivery-id"]), /^dlv_/u)
      assert.strictEqual(one.headers["content-type"], "application/json")
      assert.isTrue(isSigned(one, secret))
      assert.isFalse(isSigned(one, "whsec_other"))
    }
    assert.strictEqual(new Set(receiver.heard.map(({ headers }) => headers["x-service-event-id"])).size, 2)
  })

  it("given failures, when the schedule says so, then they are sent again under the same delivery id", async () => {
    const { receiver, server } = await setup(
      { ...allowed, POINTSMAN_WEBHOOK_SCHEDULE: "0 seconds, 1 second, 1 second" },
      { events: ["payment.captured"] }
    )
    receiver.status = (number) => (number < 3 ? 503 : 200)
    await pay(server)
    await receiver.count(3)
    assert.strictEqual(new Set(receiver.heard.map(({ headers }) => headers["x-service-delivery-id"])).size, 1)
    const [first, second, third] = receiver.heard as [Heard, Heard, Heard]
    assert.isAtLeast(second.at - first.at, 850)
    assert.isAtLeast(third.at - second.at, 850)
    for (const one of receiver.heard) assert.isTrue(isSigned(one, secret))
  })

  it("given a server that is killed before it could send, when it starts again, then the events arrive", async () => {
    const { receiver, server, start } = await setup({ ...allowed, POINTSMAN_WEBHOOK_SCHEDULE: "2 seconds" })
    await pay(server)
    await server.kill("SIGKILL")
    assert.lengthOf(receiver.heard, 0)
    await start()
    await receiver.count(2)
    assert.deepStrictEqual(receiver.heard.map(({ body }) => JSON.parse(body).type).toSorted(), [
      "payment.captured",
      "payment.created"
    ])
  })

  it("given a secret that is being replaced, then both verify", async () => {
    const { receiver, server } = await setup(allowed, { previousSecret: "whsec_merchant_0" })
    await pay(server)
    await receiver.count(1)
    const [one] = receiver.heard as [Heard]
    assert.deepStrictEqual(
      [secret, "whsec_merchant_0"].map((key) => isSigned(one, key)),
      [true, true]
    )
  })

  it("given private addresses are not allowed, when a payment is made, then nothing reaches the receiver", async () => {
    const { receiver, server } = await setup({ POINTSMAN_WEBHOOK_SCHEDULE: "0 seconds, 1 second" })
    assert.strictEqual((await pay(server)).status, 201)
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    assert.lengthOf(receiver.heard, 0)
    assert.strictEqual((await server.stop()).code, 0)
  })
})
