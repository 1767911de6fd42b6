/** Faults between the client and a real server, and how often that server charges. */
import { assert, describe, it } from "vitest"
import type { Client, ClientSettings, CreatePayment } from "../src/index.ts"
import { failureOf } from "./support/ClientCases.ts"
import { apiError, type Fault } from "./support/FaultyProxy.ts"
import { serverOfFile, type World } from "./support/World.ts"

const { world: startWorld } = serverOfFile()

let count = 0
/** Of a test: the server is that of the file. */
const anOrder = (): CreatePayment => ({ amount: 1999, currency: "EUR", country: "NL", reference: `order-${++count}` })

const paymentsOf = async ({ direct }: World, { reference = "" }: CreatePayment) =>
  (await direct.payments({ reference }).page()).data

/** How a create ends, or another call, after these faults. */
const failed = async (
  faults: ReadonlyArray<Fault>,
  settings: Partial<ClientSettings> = {},
  call = (client: Client): Promise<unknown> => client.create(anOrder())
) => {
  const { client, proxy } = await startWorld(settings)
  proxy.faults.push(...faults)
  return { failure: await failureOf(call(client)), proxy }
}

const faults: Readonly<Record<string, ReadonlyArray<Fault>>> = {
  "a connection that is lost after the server answered": ["lost"],
  "a key in progress": [apiError(409, "idempotency_in_progress")],
  "429 with Retry-After": [apiError(429, "rate_limited", { "retry-after": "1" })],
  "an internal error": [apiError(500, "internal_error")],
  "a server that takes nothing": [apiError(503, "internal_error", { "retry-after": "0" })],
  "a gateway that answers in the server's place": [{ status: 502, body: "<h1>Bad gateway</h1>" }],
  "an answer that was cut": [{ status: 201, body: '{"data":{"id":"01' }],
  "several of them": ["lost", apiError(500, "internal_error"), "lost"]
}

describe("faults after which the same request is safe", () => {
  for (const [name, planned] of Object.entries(faults)) {
    it(`${name}: a create is repeated, charged once`, async () => {
      const world = await startWorld()
      const order = anOrder()
      world.proxy.faults.push(...planned)
      const { payment } = await world.client.create(order)
      assert.strictEqual(payment.status, "CAPTURED")
      assert.strictEqual(world.proxy.asked.length, planned.length + 1)
      const [first] = world.proxy.asked
      assert.match(first?.key ?? "", /^[0-9a-f-]{36}$/u)
      for (const asked of world.proxy.asked) assert.deepStrictEqual(asked, first)
      assert.deepStrictEqual(
        (await paymentsOf(world, order)).map(({ id }) => id),
        [payment.id]
      )
    })
  }

  it("a capture and a refund happen once despite a lost answer", async () => {
    const { client, proxy } = await startWorld()
    const { payment } = await client.create({ ...anOrder(), capture_method: "manual" })
    proxy.faults.push("lost")
    const captured = await client.capture(payment.id, { amount: 1500 })
    assert.deepStrictEqual([captured.isReplay, captured.payment.captured_amount], [true, 1500])
    proxy.faults.push("lost")
    const refunded = await client.refund(payment.id, { amount: 500 })
    assert.deepStrictEqual([refunded.isReplay, refunded.payment.refunded_amount], [true, 500])
    const keys = proxy.asked.map(({ key }) => key)
    assert.strictEqual(new Set(keys).size, 3)
    assert.deepStrictEqual([keys[1], keys[3]], [keys[2], keys[4]])
  })

  it("a payment is read again after a lost answer", async () => {
    const { client, proxy } = await startWorld()
    const { payment } = await client.create(anOrder())
    proxy.faults.push("lost")
    assert.strictEqual((await client.payment(payment.id)).id, payment.id)
  })
})

const answers: ReadonlyArray<readonly [status: number, code: string, moneyMayHaveMoved: boolean]> = [
  [500, "payment_result_unknown", true],
  [500, "state_unconfirmed", true],
  [502, "capture_result_unknown", true],
  [502, "psp_error", false],
  [409, "routing_failed", false],
  [409, "refund_pending", true],
  [422, "idempotency_key_reuse", false],
  [401, "unauthorized", false],
  [429, "rate_limited", false]
]

describe("answers that are final", () => {
  for (const [status, code, moneyMayHaveMoved] of answers) {
    it(`a create with ${status} ${code} is sent once and the error says what is known`, async () => {
      const { failure, proxy } = await failed([apiError(status, code, { "x-request-id": "req_1" })])
      assert.deepStrictEqual([failure.code, failure.moneyMayHaveMoved], [code, moneyMayHaveMoved])
      assert.deepInclude(failure, { status, requestId: "req_1", message: `It is ${code}.` })
      assert.strictEqual(failure.idempotencyKey, proxy.asked[0]?.key)
      assert.strictEqual(proxy.asked.length, 1)
    })
  }

  it("an error about a field has the field and the page about its code", async () => {
    const docUrl = "https://payments.example/docs/errors#validation_error"
    const error = { code: "validation_error", message: "It is wrong.", param: "lines[2].name", doc_url: docUrl }
    const { failure } = await failed([{ status: 422, headers: {}, body: JSON.stringify({ error }) }])
    assert.deepInclude(failure, { param: "lines[2].name", docUrl })
  })

  it("a create does not follow a redirect", async () => {
    const { failure, proxy } = await failed([{ status: 302, headers: { location: "/api/v1/payments" } }])
    assert.deepInclude(failure, { code: "no_answer", status: 302, moneyMayHaveMoved: true })
    assert.strictEqual(proxy.asked.length, 1)
  })

  it("a code of a newer server is named, and money may have moved", async () => {
    const { failure } = await failed([apiError(418, "teapot")])
    assert.deepInclude(failure, { code: "unknown_code", moneyMayHaveMoved: true, message: "teapot: It is teapot." })
  })

  it("evidence or a merchant with a lost answer is not sent again", async () => {
    const bakery = { name: "Bakery", email: "owner@bakery.test", country: "NL" }
    const { failure, proxy } = await failed(["lost"], {}, (client) => client.createMerchant(bakery))
    assert.deepInclude(failure, { code: "no_answer", moneyMayHaveMoved: false, idempotencyKey: null })
    assert.strictEqual(proxy.asked.length, 1)
  })
})

describe("bounds", () => {
  it("answers that never come mean that money may have moved; the key repeats the call", async () => {
    const world = await startWorld({ tries: 2 })
    const order = anOrder()
    world.proxy.faults.push("lost", "lost")
    const failure = await failureOf(world.client.create(order))
    assert.deepInclude(failure, { code: "no_answer", moneyMayHaveMoved: true, status: null })
    assert.strictEqual(world.proxy.asked.length, 2)
    const { idempotencyKey } = failure
    if (idempotencyKey === null) throw new Error("there is no key")
    const again = await world.client.create(order, { idempotencyKey })
    assert.isTrue(again.isReplay)
    assert.strictEqual((await paymentsOf(world, order)).length, 1)
  })

  it("money may have moved after a lost answer and a refusal before the key's lookup", async () => {
    const { failure } = await failed(["lost", apiError(401, "unauthorized")])
    assert.deepInclude(failure, { code: "unauthorized", moneyMayHaveMoved: true })
  })

  it("money may have moved when a caller's key, maybe used before, is refused", async () => {
    const { client, proxy } = await startWorld({ tries: 1 })
    for (const code of ["unauthorized", "rate_limited", "internal_error", "workspace_suspended"] as const) {
      proxy.faults.push(apiError(500, code))
      const failure = await failureOf(client.create(anOrder(), { idempotencyKey: "order-1001" }))
      assert.deepInclude(failure, { code, moneyMayHaveMoved: true, idempotencyKey: "order-1001" })
    }
  })

  it("money may have moved when a capture, maybe asked before, is refused", async () => {
    const { client, proxy } = await startWorld({ tries: 1 })
    proxy.faults.push(apiError(500, "internal_error"), apiError(500, "internal_error"))
    const failure = await failureOf(client.capture("01a1fe08-9226-7266-a33a-e3e7f1609a4e"))
    assert.deepInclude(failure, { code: "internal_error", moneyMayHaveMoved: true })
    assert.isFalse((await failureOf(client.create(anOrder()))).moneyMayHaveMoved)
  })

  it("a call ends at once if the server asks to wait for longer than it may take", async () => {
    const asked = [apiError(429, "rate_limited", { "retry-after": "60" })]
    const { failure, proxy } = await failed(asked, { callMillis: 5_000 })
    assert.deepInclude(failure, { code: "rate_limited", retryAfterMillis: 60_000, moneyMayHaveMoved: false })
    assert.strictEqual(proxy.asked.length, 1)
  })

  it("the same request is sent again when a try hangs past its time", async () => {
    const world = await startWorld({ tryMillis: 2_000 })
    const order = anOrder()
    world.proxy.faults.push("held")
    const { payment } = await world.client.create(order)
    assert.strictEqual(new Set(world.proxy.asked.map(({ key }) => key)).size, 1)
    assert.deepStrictEqual(
      (await paymentsOf(world, order)).map(({ id }) => id),
      [payment.id]
    )
  })

  it("a call ends when its time is over, though tries hang", async () => {
    const { failure, proxy } = await failed(["held", "held"], { callMillis: 400 })
    assert.deepInclude(failure, { code: "no_answer", moneyMayHaveMoved: true })
    assert.strictEqual(proxy.asked.length, 1)
  })
})

describe("a signal", () => {
  it("a signal that has fired sends nothing", async () => {
    const { client, proxy } = await startWorld()
    const failure = await failureOf(client.create(anOrder(), { signal: AbortSignal.abort("closed") }))
    assert.deepInclude(failure, { code: "aborted", moneyMayHaveMoved: false, cause: "closed" })
    assert.strictEqual(proxy.asked.length, 0)
  })

  it("a signal during the request ends the call, and money may have moved", async () => {
    const { client, proxy } = await startWorld()
    const controller = new AbortController()
    proxy.faults.push("held")
    const failing = failureOf(client.create(anOrder(), { signal: controller.signal }))
    await proxy.came(1)
    controller.abort()
    assert.deepInclude(await failing, { code: "aborted", moneyMayHaveMoved: true })
    assert.strictEqual(proxy.asked.length, 1)
  })

  it("a signal that fires between two tries prevents the next", async () => {
    const controller = new AbortController()
    let sent = 0
    const { client } = await startWorld({
      fetch: async () => {
        sent++
        setTimeout(() => controller.abort(), 200)
        const { body, headers = {}, status } = apiError(429, "rate_limited", { "retry-after": "30" })
        return new Response(body, { status, headers })
      }
    })
    const failure = await failureOf(client.create(anOrder(), { signal: controller.signal }))
    assert.deepInclude(failure, { code: "aborted", moneyMayHaveMoved: false })
    assert.strictEqual(sent, 1)
  })
})
