import { createHmac } from "node:crypto"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it, onTestFinished } from "vitest"
import { testKey } from "../../server/test/support/Configurations.ts"
import { startServerHere } from "../../server/test/support/ServerHere.ts"
import { temporaryFolder } from "../../server/test/support/ServerProcess.ts"
import { createClient, type Event, webhooks } from "../src/index.ts"
import { failureOf } from "./support/ClientCases.ts"

const secret = "whsec_of_the_shop"
const event: Event = {
  id: "evt_1",
  type: "payment.captured",
  created: "2026-11-22T09:00:00.000Z",
  data: {
    payment_id: "pay",
    reference: "order-ü",
    payment_status: "CAPTURED",
    environment: "sandbox",
    amount: 1999,
    currency: "EUR"
  }
}
const body = JSON.stringify(event)

const tagOf = (time: number, text: string | Buffer, key: string) =>
  createHmac("sha256", key).update(`${time}.`).update(text).digest("hex")

/** By other code than ours. `secondsAgo` may be negative. */
const signed = (text: string | Buffer = body, keys = [secret], secondsAgo = 0): Record<string, string> => {
  const time = Math.floor(Date.now() / 1000) - secondsAgo
  const tags = keys.map((key) => `v1=${tagOf(time, text, key)}`)
  return { "X-Service-Signature": [`t=${time}`, ...tags].join(","), "x-service-delivery-id": "dlv_1" }
}

describe("a signature", () => {
  it("a verified signed body gives the event and the delivery", async () => {
    const verified = { event, deliveryId: "dlv_1" }
    assert.deepStrictEqual(await webhooks.verify({ body, headers: signed(), secret }), verified)
    const bytes = new TextEncoder().encode(body)
    assert.deepStrictEqual(await webhooks.verify({ body: bytes, headers: signed(), secret }), verified)
    assert.deepStrictEqual(await webhooks.verify({ body, headers: new Headers(signed()), secret }), verified)
  })

  it("a body is verified with replaced secrets when either side knows both", async () => {
    for (const [keys, known] of [
      [["the new one"], ["the new one", "the old one"]],
      [["the old one"], ["the new one", "the old one"]],
      [["the new one", "the old one"], ["the old one"]]
    ] as const) {
      const headers = signed(body, [...keys])
      assert.deepStrictEqual((await webhooks.verify({ body, headers, secret: known })).event, event)
    }
  })

  it("a signature older than usual is verified with a wider tolerance", async () => {
    const headers = signed(body, [secret], 900)
    assert.deepStrictEqual((await webhooks.verify({ body, headers, secret, toleranceSeconds: 1_000 })).event, event)
  })

  const refused: Readonly<Record<string, readonly [() => Parameters<typeof webhooks.verify>[0], RegExp]>> = {
    "no signature": [() => ({ body, headers: {}, secret }), /missing/u],
    "two signatures": [
      () => ({ body, headers: { ...signed(), "x-service-signature": signed()["X-Service-Signature"] }, secret }),
      /missing/u
    ],
    "a malformed signature": [() => ({ body, headers: { "x-service-signature": "v1=0" }, secret }), /malformed/u],
    "two times": [
      () => ({ body, headers: { "x-service-signature": `t=1,${signed()["X-Service-Signature"]}` }, secret }),
      /malformed/u
    ],
    "an old one": [() => ({ body, headers: signed(body, [secret], 301), secret }), /too old or too new/u],
    "one of the future": [() => ({ body, headers: signed(body, [secret], -302), secret }), /too old or too new/u],
    "a tolerance that is no number": [
      () => ({ body, headers: signed(), secret, toleranceSeconds: Number.NaN }),
      /too old or too new/u
    ],
    "another secret": [() => ({ body, headers: signed(body, ["another"]), secret }), /known secret/u],
    "another body": [() => ({ body: `${body} `, headers: signed(), secret }), /known secret/u],
    "no event": [() => ({ body: "[]", headers: signed("[]"), secret }), /not an event/u],
    "no JSON": [() => ({ body: "{", headers: signed("{"), secret }), /not an event/u]
  }
  for (const [name, [incoming, says]] of Object.entries(refused)) {
    it(`${name} is refused`, async () => {
      const failure = await failureOf(webhooks.verify(incoming()))
      assert.deepInclude(failure, { code: "webhook_refused", moneyMayHaveMoved: false })
      assert.match(failure.message, says)
      assert.notInclude(failure.message, secret)
    })
  }

  for (const [name, wrong] of Object.entries({
    "a parsed body": { body: JSON.parse(body) },
    "no secret": { secret: [] },
    "an empty secret": { secret: ["", secret] }
  })) {
    it(`${name} is a mistake of the program`, async () => {
      const verifying = webhooks.verify({ body, headers: signed(), secret, ...wrong })
      await verifying.then(
        () => assert.fail("it was verified"),
        (error) => assert.instanceOf(error, TypeError)
      )
    })
  }
})

it("a delivered event verifies as the event of the payment", async () => {
  const came = Promise.withResolvers<{ readonly body: Buffer; readonly headers: IncomingHttpHeaders }>()
  const receiver = createServer(async (request, response) => {
    const chunks: Array<Uint8Array> = []
    for await (const chunk of request) chunks.push(chunk)
    response.end()
    came.resolve({ body: Buffer.concat(chunks), headers: request.headers })
  })
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void receiver.close())
  const { url } = await startServerHere({
    folder: temporaryFolder(),
    environment: { POINTSMAN_ALLOW_PRIVATE_WEBHOOKS: "true" },
    configuration: {
      workspaces: [
        {
          id: "shop",
          country: "NL",
          keys: [{ environment: "sandbox", secret: testKey }],
          connections: [{ id: "first", environment: "sandbox" }],
          webhooks: [
            {
              environment: "sandbox",
              url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`,
              events: ["payment.captured"],
              secret
            }
          ]
        }
      ]
    }
  })
  const client = createClient({ url, apiKey: testKey })
  const { payment } = await client.create({ amount: 1999, currency: "EUR", country: "NL", reference: "order-ü" })
  const verified = await webhooks.verify({ ...(await came.promise), secret })
  const { data } = await client.events({ type: "payment.captured" }).page()
  assert.deepStrictEqual(verified.event, data[0])
  assert.strictEqual(verified.event.data.payment_id, payment.id)
  assert.match(verified.deliveryId ?? "", /^dlv_/u)
})
