/**
 * What the API answers when the first provider fails, over real sockets, with a second provider at hand that would
 * charge at once. Where the first may have executed, the second is never asked.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { assert, describe, it } from "vitest"
import { connectionTo, liveKey, workspaceWith } from "./support/Configurations.ts"
import { sendJson, serveHttp } from "./support/HttpHere.ts"
import { pay as create } from "./support/Pay.ts"
import { startProvider } from "./support/ScriptedProvider.ts"
import { type ServerHere, startServerHere } from "./support/ServerHere.ts"

type Fault = (request: IncomingMessage, response: ServerResponse) => void

const json =
  (status: number, body: unknown): Fault =>
  (_, response) =>
    sendJson(response, status, body)

/** `UNKNOWN`: it may have charged. `CAPTURED`: it certainly did nothing, and the second provider charged. */
const faults: ReadonlyArray<{ readonly name: string; readonly answers: Fault; readonly status: string }> = [
  { name: "time-out", answers: () => undefined, status: "UNKNOWN" },
  { name: "reset after", answers: (request) => request.socket.resetAndDestroy(), status: "UNKNOWN" },
  {
    name: "reset mid-answer",
    answers: (request, response) => {
      response.writeHead(200, { "content-length": "1000" })
      response.write("{", () => setTimeout(() => request.socket.resetAndDestroy(), 20))
    },
    status: "UNKNOWN"
  },
  { name: "500", answers: json(500, { error: { code: "oops", message: "Oops." } }), status: "UNKNOWN" },
  { name: "bare 4xx", answers: (_, response) => response.writeHead(422).end(), status: "UNKNOWN" },
  { name: "conflict 409", answers: json(409, { error: { code: "busy", message: "Busy." } }), status: "UNKNOWN" },
  { name: "refusal 422", answers: json(422, { error: { code: "no", message: "No." } }), status: "CAPTURED" },
  { name: "garbage", answers: (request) => request.socket.end("what is this?\r\n\r\n"), status: "UNKNOWN" },
  { name: "10 MB", answers: (_, response) => response.end("x".repeat(10_000_000)), status: "UNKNOWN" },
  { name: "no reference", answers: json(200, { status: "captured", captured_amount: 1999 }), status: "UNKNOWN" }
]

/** Every fault has a connection of its own, which a rule on the card brand leads to. */
const startFaulty = async () => {
  const backup = await startProvider()
  const asked = new Map<string, number>()
  const { url } = await serveHttp((request, response) => {
    // Asked at the start, and no part of a payment.
    if (request.url?.endsWith("/account") === true) return response.writeHead(501).end()
    const name = decodeURIComponent((request.url ?? "").split("/")[1] ?? "")
    asked.set(name, (asked.get(name) ?? 0) + 1)
    faults.find((fault) => fault.name === name)?.answers(request, response)
  })
  const closed = await serveHttp(() => {})
  await closed.stop()
  const urls = [
    ...faults.map(({ name }) => [name, `${url}/${encodeURIComponent(name)}`] as const),
    ["refused", closed.url] as const,
    ["unknown name", "http://provider.invalid"] as const
  ]
  const idOf = (name: string) => name.replaceAll(/[^a-z0-9]/giu, "-").toLowerCase()
  const connections = [
    ...urls.map(([name, url]) => ({
      ...connectionTo({ url, apiKey: "k" }, idOf(name)),
      timeout: name === "time-out" ? "1 second" : "1 minute"
    })),
    connectionTo(backup, "backup")
  ]
  const rules = urls.map(([name]) => ({
    name,
    when: { cardBrand: [name] },
    use: { mode: "failover", order: [idOf(name), "backup"] }
  }))
  const server = await startServerHere({
    configuration: {
      workspaces: [{ ...workspaceWith(connections), routing: { production: { mode: "failover", rules } } }]
    }
  })
  return { asked, backup, server }
}

const pay = (server: ServerHere, name: string) => create(server, `fault-${name}`, { card_brand: name })

describe("a provider that fails", () => {
  it("each fault has the right answer, one request, and no second charge", async () => {
    const { asked, backup, server } = await startFaulty()
    const table = [
      ...faults.map((fault) => ({ ...fault, requests: 1 })),
      { name: "refused", status: "CAPTURED", requests: 0 },
      { name: "unknown name", status: "CAPTURED", requests: 0 }
    ]
    for (const { name, requests, status } of table) {
      const before = backup.charges.length
      const made = await pay(server, name)
      assert.deepStrictEqual([name, made.status, made.body.data?.status], [name, 201, status])
      assert.strictEqual(asked.get(name) ?? 0, requests, name)
      assert.strictEqual(backup.charges.length - before, status === "CAPTURED" ? 1 : 0, name)
      assert.lengthOf(made.body.data.routing.attempts, status === "CAPTURED" ? 2 : 1, name)
      assert.isNull(made.body.data.decline_reason, name)

      const replay = await pay(server, name)
      assert.deepStrictEqual(replay.body, made.body, name)
      assert.strictEqual(replay.headers.get("idempotent-replay"), "true", name)
      const read = await server.request("GET", `/api/v1/payments/${made.body.data.payment_id}`, { key: liveKey })
      assert.strictEqual(read.body.data.status, status, name)
      assert.strictEqual(asked.get(name) ?? 0, requests, name)
    }
    assert.strictEqual((await server.stop()).code, 0)
  })
})
