import { createHmac } from "node:crypto"
import { assert, it, vi } from "vitest"
import { type Event, ValidationError, WebhookRefusedError, webhooks } from "../src/index.ts"
import { failureOf } from "./support/Shop.ts"

const secret = "whsec_of_the_shop"
const event: Event = {
  id: "evt_1",
  type: "payment.captured",
  created: "2026-11-22T09:00:00.000Z",
  data: {
    payment_id: "pay",
    reference: null,
    payment_status: "CAPTURED",
    environment: "sandbox",
    amount: 1999,
    currency: "EUR"
  }
}
const body = JSON.stringify(event)

/** By other code than ours. `secondsAgo` may be negative. */
const signed = (text: string | Buffer = body, key = secret, secondsAgo = 0): Record<string, string> => {
  const time = Math.floor(Date.now() / 1000) - secondsAgo
  const tag = createHmac("sha256", key).update(`${time}.`).update(text).digest("hex")
  return { "X-Service-Signature": `t=${time},v1=${tag}`, "x-service-delivery-id": "dlv_1" }
}

it("a verified signed body gives the event and the delivery", async () => {
  const verified = { event, deliveryId: "dlv_1" }
  assert.deepStrictEqual(await webhooks.verify({ body, headers: signed(), secret }), verified)
  assert.deepStrictEqual(await webhooks.verify({ body: Buffer.from(body), headers: signed(), secret }), verified)
  assert.deepStrictEqual(await webhooks.verify({ body, headers: new Headers(signed()), secret }), verified)
})

it("a body that either replaced secret signed is verified", async () => {
  for (const key of ["the new one", "the old one"]) {
    const { event: got } = await webhooks.verify({
      body,
      headers: signed(body, key),
      secret: ["the new one", "the old one"]
    })
    assert.deepStrictEqual(got, event)
  }
})

const refused: Readonly<Record<string, readonly [() => Parameters<typeof webhooks.verify>[0], string]>> = {
  "no signature": [() => ({ body, headers: {}, secret }), "missing"],
  "two signatures": [
    () => ({ body, headers: { ...signed(), "x-service-signature": signed()["X-Service-Signature"] }, secret }),
    "missing"
  ],
  "a malformed signature": [() => ({ body, headers: { "x-service-signature": "v1=0" }, secret }), "malformed"],
  "an old one": [() => ({ body, headers: signed(body, secret, 301), secret }), "too old or too new"],
  "one of the future": [() => ({ body, headers: signed(body, secret, -302), secret }), "too old or too new"],
  "another secret": [() => ({ body, headers: signed(body, "another"), secret }), "not made with a known secret"],
  "another body": [() => ({ body: `${body} `, headers: signed(), secret }), "not made with a known secret"],
  "not an event": [() => ({ body: "[]", headers: signed("[]"), secret }), "not an event"],
  "no JSON": [() => ({ body: "{", headers: signed("{"), secret }), "not an event"]
}

for (const [name, [webhook, reason]] of Object.entries(refused)) {
  it(`${name} is refused, and only the log may know why`, async () => {
    const failure = await failureOf(webhooks.verify(webhook()))
    assert.instanceOf(failure, WebhookRefusedError)
    assert.strictEqual(failure.reason, reason)
    assert.notInclude(failure.message, secret)
  })
}

it("a good signature is too old after five minutes", async () => {
  const headers = signed()
  vi.useFakeTimers({ now: Date.now() + 301_000, toFake: ["Date"] })
  try {
    assert.instanceOf(await failureOf(webhooks.verify({ body, headers, secret })), WebhookRefusedError)
  } finally {
    vi.useRealTimers()
  }
})

const misused: Readonly<Record<string, readonly [body: unknown, secret: unknown, says: RegExp]>> = {
  "what a parser made of the body": [event, secret, /`body` must be the raw body/u],
  "an empty secret": [body, "", /`secret` must be a non-empty secret/u],
  "no secret": [body, [], /`secret` must be/u],
  "a variable that is not set": [body, undefined, /`secret` must be/u]
}

for (const [name, [given, key, says]] of Object.entries(misused)) {
  it(`${name} has an error that says what is expected`, async () => {
    const failure = await failureOf(webhooks.verify({ body: given, headers: signed(), secret: key } as never))
    assert.instanceOf(failure, ValidationError)
    assert.match(failure.message, says)
  })
}
