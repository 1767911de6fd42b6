/** What no client library sends: other versions of HTTP, and requests that two readers could understand differently. */
import { text } from "node:stream/consumers"
import { assert, describe, it } from "vitest"
import { dial, statusOf } from "./support/RawSocket.ts"
import { startServerHere } from "./support/ServerHere.ts"

const host = "Host: pay.example"
const key = "Idempotency-Key: order-1001"
const order = '{"amount":1000,"currency":"EUR","country":"NL"}'
const chunk = `${order.length.toString(16)}\r\n${order}\r\n0\r\n\r\n`
const post = "POST /api/v1/payments HTTP/1.1"
const json = "Content-Type: application/json"

/** All that comes until the server closes; what is sent is no request that may be answered and the connection kept. */
const send = async (url: string, bytes: string) => {
  const socket = await dial(url)
  socket.end(bytes)
  return text(socket).catch(() => "")
}

const malformed: Readonly<Record<string, ReadonlyArray<string>>> = {
  "no version": ["GET /health/live", "", ""],
  "version 0.9": ["GET /health/live HTTP/0.9", "", ""],
  "version 2.0": ["GET /health/live HTTP/2.0", host, "", ""],
  "version 1.2": ["GET /health/live HTTP/1.2", host, "", ""],
  "an HTTP/2 preface": ["PRI * HTTP/2.0", "", "SM", "", ""],
  "no host": ["GET /health/live HTTP/1.1", "", ""],
  "a space before the colon": ["GET /health/live HTTP/1.1", "Host : pay.example", "", ""],
  "a folded header": ["GET /health/live HTTP/1.1", host, "X-Folded: a", " b", "", ""],
  "a header without a colon": ["GET /health/live HTTP/1.1", host, "nonsense", "", ""],
  "NUL in a header": ["GET /health/live HTTP/1.1", host, "X-Nul: a\0b", "", ""],
  "two lengths": [post, host, json, `Content-Length: ${order.length}`, "Content-Length: 3", "", order],
  "a negative length": [post, host, json, "Content-Length: -1", "", order],
  "a length and chunks": [post, host, json, `Content-Length: ${order.length}`, "Transfer-Encoding: chunked", "", chunk],
  "chunks that are not last": [post, host, json, "Transfer-Encoding: chunked, identity", "", chunk],
  "a chunk with a wrong size": [post, host, json, "Transfer-Encoding: chunked", "", `0x${chunk}`],
  "a tunnel": ["CONNECT pay.example:443 HTTP/1.1", host, "", ""],
  "TRACE of the console": ["TRACE /console HTTP/1.1", host, "", ""],
  "credentials in the host of the console": ["GET /console HTTP/1.1", "Host: a@pay.example", "", ""]
}

describe("a malformed request", () => {
  it("each is refused and its connection closed, and HTTP/1.0 is answered and closed", async () => {
    const server = await startServerHere()
    for (const [name, lines] of Object.entries(malformed)) {
      const withKey = lines.flatMap((line) =>
        line === host ? [line, key, `Authorization: Bearer ${server.sandboxKey}`] : [line]
      )
      const answer = await send(server.url, withKey.join("\r\n"))
      assert.include(["400", "405", "505", "closed"], statusOf(answer), `${name}: ${answer}`)
    }
    assert.strictEqual((await server.request("GET", "/api/v1/payments")).body.data.length, 0)

    const large = ["GET /health/live HTTP/1.1", host, `X-Long: ${"a".repeat(20_000)}`, "", ""]
    assert.strictEqual(statusOf(await send(server.url, large.join("\r\n"))), "431")
    const socket = await dial(server.url)
    socket.write("GET /health/live HTTP/1.0\r\n\r\n")
    assert.strictEqual(statusOf(await text(socket)), "200")
  })
})
