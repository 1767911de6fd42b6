/** Who is shown health and metrics: the admin address, or this machine. */
import { networkInterfaces } from "node:os"
import { assert, describe, it } from "vitest"
import { ask, codeOf, statusOf } from "./support/RawSocket.ts"
import { runServerHere, startServerHere } from "./support/ServerHere.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"

const host = "Host: pay.example"
/** What `/health/ready` shows of a server without a configuration file. */
const detailed = '{"status":"ready","configuration":{"generation":null,"file":null},"circuits":[]}'
const onlyReady = /^HTTP\/1\.1 200 .*\r\n\r\n\{"status":"ready"\}$/su
const adminPaths = ["/health/live", "/health/ready", "/metrics"]

describe("an admin address", () => {
  it("health and metrics are served only at an admin address, and nothing else", async () => {
    const server = await startServerHere({ environment: { POINTSMAN_ADMIN_PORT: "0" } })
    const admin = /^ {2}Admin {5}(http:\/\/127\.0\.0\.1:\d+)$/mu.exec(server.stdout())?.[1]
    assert.isDefined(admin)
    for (const path of adminPaths) {
      assert.strictEqual(codeOf(await ask(server.url, [`GET ${path} HTTP/1.1`, host])), "404 not_found")
      assert.strictEqual(codeOf(await ask(server.url, [`GET ${path}/?x HTTP/1.1`, host])), "404 not_found")
      assert.strictEqual(statusOf(await ask(admin, [`GET ${path} HTTP/1.1`, host])), "200")
    }
    assert.notInclude(await ask(server.url, ["GET / HTTP/1.1", host]), "onsole")
    const key = `Authorization: Bearer ${server.sandboxKey}`
    assert.strictEqual(codeOf(await ask(admin, ["GET /api/v1/payments HTTP/1.1", host, key])), "404 not_found")
    assert.strictEqual(statusOf(await ask(server.url, ["GET /api/v1/payments HTTP/1.1", host, key])), "200")
    // Through a proxy too.
    const ready = await ask(admin, ["GET /health/ready HTTP/1.1", host, "X-Forwarded-For: 203.0.113.7"])
    assert.include(ready, detailed)
    assert.strictEqual((await server.stop()).code, 0)
  })

  it("a port that is in use fails the start, which names the setting", async () => {
    const folder = temporaryFolder()
    const { port } = new URL((await startServerHere({ folder })).url)
    const { code, stderr } = await runServerHere({ folder, environment: { POINTSMAN_ADMIN_PORT: port } })
    assert.strictEqual(code, 1)
    assert.match(stderr, /POINTSMAN_ADMIN_PORT \(--admin-port\)/u)
  })
})

describe("no admin address", () => {
  it("a local program gets metrics and details directly, and not through a proxy", async () => {
    const { url } = await startServerHere()
    const get = (target: string, ...headers: ReadonlyArray<string>) =>
      ask(url, [`GET ${target} HTTP/1.1`, host, ...headers])
    const absolute = "http://pay.example/metrics"
    for (const target of ["/metrics", absolute]) assert.strictEqual(statusOf(await get(target)), "200")
    assert.include(await get("/health/ready"), detailed)
    for (const header of [
      "X-Forwarded-For: 203.0.113.7",
      "x-forwarded-for:",
      "X-Forwarded-Host: pay.example",
      "Forwarded: for=203.0.113.7",
      "X-Real-IP: 203.0.113.7",
      "Via: 1.1 proxy"
    ]) {
      assert.strictEqual(codeOf(await get("/metrics", header)), "404 not_found", header)
      assert.match(await get("/health/ready", header), onlyReady, header)
    }
    assert.strictEqual(statusOf(await get(absolute, "X-Forwarded-For: 203.0.113.7")), "404")
    for (const path of ["/METRICS", "//metrics", "/metrics;x", "/%6detrics", "/./metrics"]) {
      assert.strictEqual(statusOf(await get(path)), "404", path)
    }
    assert.match(await get("/health/live", "X-Forwarded-For: x"), /^HTTP\/1\.1 200 .*\{"status":"live"\}$/su)
    assert.match(await ask(url, ["POST /health/ready HTTP/1.1", host]), /^HTTP\/1\.1 405 .*^allow: GET, HEAD\r$/imsu)
    assert.strictEqual(statusOf(await get("/api/v1/health/live")), "404")
  })

  const outside = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === "IPv4" && !one.internal)?.address

  it.skipIf(outside === undefined)(
    "a caller outside of the loopback gets 404 for metrics, and readiness's status",
    async () => {
      const { url } = await startServerHere({ environment: { HOST: "0.0.0.0" } })
      const there = `http://${outside}:${new URL(url).port}`
      assert.strictEqual(codeOf(await ask(there, ["GET /metrics HTTP/1.1", host])), "404 not_found")
      assert.strictEqual(statusOf(await ask(there, ["GET /health/live HTTP/1.1", host])), "200")
      assert.match(await ask(there, ["GET /health/ready HTTP/1.1", host]), onlyReady)
    }
  )
})
