/** `pointsman mcp --port`: streamable HTTP, which a web page, another host and a stranger must not reach. */
import { request as httpRequest } from "node:http"
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { mcpWorld, token } from "./support/McpWorld.ts"

const start = async (...flags: ReadonlyArray<string>) => {
  const world = await mcpWorld()
  return { ...world, ...(await world.serve("jo", ...flags)) }
}

const listTools = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }

interface Sent {
  readonly headers?: Readonly<Record<string, string>>
  readonly method?: string
  readonly path?: string
  readonly body?: string
}

/** `fetch` sets `Host` itself. */
const send = (url: string, { body = JSON.stringify(listTools), headers, method = "POST", path = "/mcp" }: Sent) =>
  new Promise<{ readonly status: number | undefined; readonly text: string }>((resolve, reject) => {
    const all = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers
    }
    const asked = httpRequest(new URL(path, url), { method, headers: all }, (response) => {
      let text = ""
      response.on("data", (piece) => {
        text += String(piece)
      })
      response.on("end", () => resolve({ status: response.statusCode, text }))
    })
    asked.on("error", reject)
    asked.end(method === "GET" ? undefined : body)
  })

describe("pointsman mcp --port", () => {
  it("the official client lists and calls tools, and nothing is kept between requests", async () => {
    const { agent, pay, trail } = await mcpWorld()
    const paid = await pay({ reference: "order-1001" })
    const { call, client, tools } = await agent("jo", "--allow-write")
    assert.isUndefined(client.transport?.sessionId)
    assert.include(await tools(), "draft_refund")
    const { said } = await call("find_payments", { text: "order-1001" })
    assert.deepStrictEqual([said.data.length, said.data[0].payment_id], [1, paid])
    assert.strictEqual((await call("draft_refund", { payment: paid, amount: 100 })).said.draft.state, "proposed")
    assert.deepStrictEqual(await trail(), [
      ["operator.signed_in", "jo"],
      ["refund.proposing", "jo"]
    ])
  })

  it("another host, a web page, no token, another method and a large body are refused", async () => {
    const { url } = await start("--allow-host", "mcp.example.com", "--allow-origin", "https://desk.example.com")
    const { port } = new URL(url)
    const rows: ReadonlyArray<readonly [number, Sent]> = [
      [200, {}],
      [200, { headers: { host: `localhost:${port}` } }],
      [200, { headers: { host: "mcp.example.com", origin: "https://desk.example.com" } }],
      // The name of an attacker's page that resolves to this machine.
      [403, { headers: { host: `evil.example:${port}` } }],
      [403, { headers: { origin: "https://evil.example" } }],
      [403, { headers: { origin: "null" } }],
      [401, { headers: { authorization: "" } }],
      [401, { headers: { authorization: `Bearer ${token}0` } }],
      [401, { headers: { authorization: token } }],
      [401, { path: `/mcp?token=${token}`, headers: { authorization: "" } }],
      [404, { path: "/" }],
      [405, { method: "GET" }],
      [405, { method: "DELETE" }],
      [400, { body: "{" }],
      [400, { body: JSON.stringify(Array.from({ length: 100 }, () => listTools)) }],
      [413, { body: JSON.stringify({ ...listTools, params: { x: "x".repeat(65_536) } }) }],
      [413, { headers: { "transfer-encoding": "chunked" }, body: "x".repeat(1_000_000) }]
    ]
    for (const [expected, sent] of rows) {
      const { status, text } = await send(url, sent)
      assert.strictEqual(status, expected, `${JSON.stringify(sent).slice(0, 100)}: ${text.slice(0, 200)}`)
      assert.notInclude(text, token)
    }
    const { text } = await send(url, {})
    assert.notInclude(text, "draft_refund")
  })

  it("requests above those at once are refused, and later ones are answered", async () => {
    const { url } = await start()
    const slow = Array.from({ length: 16 }, () => {
      const request = httpRequest(new URL(url), { method: "POST", headers: { authorization: `Bearer ${token}` } })
      request.on("error", () => {})
      request.write("{")
      return request
    })
    const until = async (expected: number) => {
      while ((await send(url, {})).status !== expected) await new Promise((resolve) => setTimeout(resolve, 20))
    }
    await until(503)
    for (const request of slow) request.destroy()
    await until(200)
  })

  it("a start without a token or with a short one is refused, and a stop ends well", async () => {
    const { folder, running } = await start()
    for (const given of [{}, { POINTSMAN_MCP_TOKEN: "short" }]) {
      const { code, stderr } = await runHere(folder, ["mcp", "--operator", "jo", "--port", "0"], given)
      assert.strictEqual(code, 1)
      assert.match(stderr, /^POINTSMAN_MCP_TOKEN: expected with --port, 32 or more/mu)
      assert.notInclude(stderr, "short")
    }
    const { stdout } = await running.stop()
    assert.strictEqual(stdout, "")
  })
})
