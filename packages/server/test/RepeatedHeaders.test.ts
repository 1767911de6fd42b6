/** Headers that came twice: Node drops the second of some, and joins an idempotency key with itself. */
import { assert, describe, it } from "vitest"
import { ask, codeOf } from "./support/RawSocket.ts"
import { startServerHere } from "./support/ServerHere.ts"

const start = async () => {
  const server = await startServerHere()
  const key = `Authorization: Bearer ${server.sandboxKey}`
  const post = (path: string, body: object, headers: ReadonlyArray<string>) => {
    const text = JSON.stringify(body)
    return ask(server.url, [`POST ${path} HTTP/1.1`, `Content-Length: ${text.length}`, ...headers], text)
  }
  return { ...server, key, post }
}

const host = "Host: pay.example"
const json = "Content-Type: application/json"
const order = { amount: 1000, currency: "EUR", country: "NL" }
const payments = "/api/v1/payments"

describe("a header that is sent twice", () => {
  it("an idempotency key makes one payment when it comes once and then twice", async () => {
    const { key, post, request } = await start()
    const once = await post(payments, order, [host, json, key, "Idempotency-Key: order-1001"])
    assert.strictEqual(codeOf(once), "201 -")
    for (const second of ["Idempotency-Key: order-1001", "idempotency-key: order-1002"]) {
      const twice = await post(payments, order, [host, json, key, "Idempotency-Key: order-1001", second])
      assert.strictEqual(codeOf(twice), "400 invalid_idempotency_key")
    }
    assert.strictEqual((await request("GET", payments)).body.data.length, 1)
  })

  it("each operation refuses a doubled idempotency key with its own code", async () => {
    const { key, post, request } = await start()
    const made = await request("POST", payments, { body: { ...order, capture_method: "manual" } })
    const path = `${payments}/${made.body.data.id}`
    const twice = [host, json, key, "Idempotency-Key: order-1001", "Idempotency-Key: order-1001"]
    assert.strictEqual(codeOf(await post(`${path}/capture`, {}, twice)), "400 invalid_idempotency_key")
    assert.strictEqual(codeOf(await post(`${path}/void`, {}, twice)), "400 invalid_idempotency_key")
    assert.strictEqual(codeOf(await post(`${path}/refunds`, {}, twice)), "422 validation_error")
    assert.strictEqual((await request("GET", path)).body.data.status, "AUTHORIZED")
  })

  it("a repeated Authorization, Content-Type or Host is 401, 400 and 400", async () => {
    const { key, post, request } = await start()
    assert.strictEqual(codeOf(await post(payments, order, [host, json, key, key])), "401 unauthorized")
    assert.strictEqual(
      codeOf(await post(payments, order, [host, json, "Content-Type: text/plain", key])),
      "400 invalid_request"
    )
    assert.strictEqual(
      codeOf(await post(payments, order, [host, "Host: other.example", json, key])),
      "400 invalid_request"
    )
    assert.strictEqual((await request("GET", payments)).body.data.length, 0)
  })

  it("a key with a comma that comes once is a key as any other", async () => {
    const { key, post } = await start()
    const answer = await post(payments, order, [host, json, key, "Idempotency-Key: order-1, order-1"])
    assert.strictEqual(codeOf(answer), "201 -")
  })
})
