/** Webhooks of a running server, at a receiver that checks them as a merchant would: by Node's own HMAC. */
import { createHmac } from "node:crypto"
import { assert, describe, it } from "vitest"
import { connectionTo, liveKey, workspaceWith } from "./support/Configurations.ts"
import { pay as create } from "./support/Pay.ts"
import { startProvider } from "./support/ScriptedProvider.ts"
import { startServerHere } from "./support/ServerHere.ts"
import { startInProcess } from "./support/ServerInProcess.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"
import { makeTurnedClock } from "./support/TurnedClock.ts"
import { type Heard, startReceiver } from "./support/WebhookReceiver.ts"

const secret = "whsec_merchant_1"

const setup = async () => {
  const receiver = await startReceiver()
  const provider = await startProvider()
  const configuration = {
    workspaces: [
      {
        ...workspaceWith([connectionTo(provider)]),
        webhooks: [{ environment: "production", url: receiver.url, secret }]
      }
    ]
  }
  return { receiver, configuration, folder: temporaryFolder() }
}

const pay = (server: Parameters<typeof create>[0]) => create(server, "order-0001", { reference: "order-0001" })

const isSigned = ({ body, headers }: Heard, key: string): boolean => {
  const [t, ...tags] = String(headers["x-service-signature"]).split(",")
  const time = /^t=(\d+)$/u.exec(t ?? "")?.[1] ?? ""
  assert.isAtMost(Math.abs(Date.now() / 1000 - Number(time)), 60)
  return tags.includes(`v1=${createHmac("sha256", key).update(`${time}.${body}`).digest("hex")}`)
}

const allowed = { POINTSMAN_ALLOW_PRIVATE_WEBHOOKS: "true" }

describe("webhooks of the server", () => {
  it("a payment's events arrive signed at an endpoint, as the API shows them", async () => {
    const { receiver, ...options } = await setup()
    const server = await startServerHere({ ...options, environment: allowed })
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

  it("nothing reaches a receiver at a private address unless those are allowed", async () => {
    const { receiver, ...options } = await setup()
    const turned = makeTurnedClock(Date.now())
    const server = await startInProcess({ ...options, turned })
    assert.strictEqual((await pay(server)).status, 201)
    const hours = [0.01, 0.2, 1, 4, 10, 21, 33].map((count) => count * 3_600_000)
    await server.live(hours.map((millis) => turned.now() + millis))
    assert.lengthOf(receiver.heard, 0)
  })
})
