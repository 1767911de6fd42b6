/** What an OpenTelemetry collector receives from a server, and what a bad collector costs it. */
import type { Clock } from "effect"
import { assert, describe, it } from "vitest"
import { type Collector, startCollector } from "./support/Collector.ts"
import { runHere } from "./support/CommandInProcess.ts"
import { documentOf } from "./support/CommandProcess.ts"
import { liveKey } from "./support/Configurations.ts"
import { type MovedClock, makeMovedClock } from "./support/MovedClock.ts"
import { pay } from "./support/Pay.ts"
import { each, temporaryFolder } from "./support/ServerProcess.ts"
import { openShop } from "./support/ShopHere.ts"
import { until } from "./support/Until.ts"

/** A shop whose server exports to a collector of the test. */
const start = async (environment: Readonly<Record<string, string>>, clock?: Clock.Clock) =>
  openShop({
    environment: { OTEL_EXPORTER_OTLP_PROTOCOL: "http/json", ...environment },
    ...(clock === undefined ? {} : { clock })
  })

/**
 * Lets the time pass for which an end waits for a collector, and no more: three seconds for what is left to be sent, and
 * one to let go of what is under way.
 */
const endWithin = async <End>({ push, slept }: MovedClock, end: () => Promise<End>): Promise<End> => {
  let before = slept(3_000)
  let isOver = false
  const ended = end().finally(() => {
    isOver = true
  })
  for (const millis of [3_000, 1_000]) {
    await until(`a wait of ${millis} ms`, () => isOver || slept(millis) > before)
    before = slept(1_000)
    push(millis)
  }
  return ended
}

describe("OpenTelemetry", () => {
  it("a payment's trace continues through the server to the provider", async () => {
    const collector = await startCollector()
    const { provider, read, server } = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: "x-collector-key=a%20key",
      OTEL_SERVICE_NAME: "till",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test"
    })
    const traceId = "0af7651916cd43dd8448eb211c80319c"
    const answer = await fetch(`${server.url}/api/v1/payments`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${liveKey}`,
        "content-type": "application/json",
        "idempotency-key": "order-0001",
        traceparent: `00-${traceId}-b7ad6b7169203331-01`
      },
      body: JSON.stringify({ amount: 1999, currency: "EUR", country: "NL" })
    })
    const { data, error } = (await answer.json()) as { readonly data: { readonly id: string }; readonly error?: object }
    assert.isUndefined(error)
    await fetch(`${server.url}/hosted/a-token-of-somebody?with=a-query`)
    await fetch(`${server.url}/nowhere/a-token-of-somebody`)
    await read(data.id)
    await server.stop()

    // The server also asks its provider for the account, in a trace of its own.
    const spans = collector
      .spans()
      .filter(
        ({ attributes }) => attributes["server.port"] !== provider.port || attributes["http.request.method"] === "POST"
      )
    const named = (name: string) => {
      const found = spans.filter((span) => span.name === name)
      assert.strictEqual(found.length, 1, name)
      return found[0] ?? assert.fail()
    }
    const served = named("POST /api/v1/payments")
    assert.deepInclude(served, { traceId, parentSpanId: "b7ad6b7169203331", kind: 2 })
    assert.deepStrictEqual(served.attributes, {
      "http.request.method": "POST",
      "http.route": "/api/v1/payments",
      "http.response.status_code": 201,
      "url.path": "/api/v1/payments",
      "url.scheme": "http"
    })
    const [attempt] = provider.charges
    const about = {
      "pointsman.payment.id": data.id,
      "pointsman.connection.id": "main",
      "pointsman.attempt.id": attempt?.attemptId
    }
    const call = named("pointsman charge")
    assert.deepInclude(call, { traceId, parentSpanId: served.spanId })
    assert.deepStrictEqual(call.attributes, { ...about, "pointsman.outcome": "Captured" })
    const sent = named("POST")
    assert.deepInclude(sent, { traceId, kind: 3 })
    assert.deepStrictEqual(sent.attributes, {
      ...about,
      "http.request.method": "POST",
      "http.response.status_code": 200,
      "server.address": "127.0.0.1",
      "server.port": provider.port
    })
    assert.strictEqual(provider.calls[0]?.headers["traceparent"], `00-${traceId}-${sent.spanId}-01`)
    const commits = spans.filter(({ name }) => name === "commit")
    assert.deepStrictEqual(
      commits.map(({ attributes, kind, parentSpanId }) => [attributes["db.system.name"], kind, parentSpanId]),
      [
        ["sqlite", 3, served.spanId],
        ["sqlite", 3, served.spanId]
      ]
    )
    // A client's invented path is reported by its route, or not at all.
    assert.strictEqual(named("GET /hosted/:token").attributes["url.path"], "/hosted/:token")
    assert.deepStrictEqual(named("GET").attributes, {
      "http.request.method": "GET",
      "http.response.status_code": 404,
      "url.scheme": "http"
    })
    assert.strictEqual(named("GET /api/v1/payments/:id").attributes["url.path"], `/api/v1/payments/${data.id}`)

    assert.deepInclude(collector.resource(), {
      "service.name": "till",
      "deployment.environment.name": "test"
    })
    for (const { headers } of collector.requests) assert.strictEqual(headers["x-collector-key"], "a key")
    for (const name of ["pointsman_attempts_total", "pointsman_http_request_duration_seconds"]) {
      assert.include(collector.metrics(), name)
    }
  })

  it("the exported log line and span of a failed request belong together", async () => {
    const collector = await startCollector()
    const { provider, server } = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      POINTSMAN_ACCESS_LOG: "true",
      POINTSMAN_LOG_FORMAT: "json"
    })
    provider.always("charge", () => "drop")
    const { body, headers } = await pay(server, "order-0001")
    assert.strictEqual(body.data.status, "UNKNOWN")
    await server.stop()
    const call = collector.spans().find(({ name }) => name === "pointsman charge")
    assert.deepInclude(call?.attributes, { "pointsman.outcome": "Unanswered", "error.type": "Unanswered" })
    assert.strictEqual(call?.status.code, 2)
    const line = collector.logs().find((log) => log.body === "request")
    assert.deepInclude(line?.attributes, { route: "/api/v1/payments", status: "201" })
    assert.strictEqual(line?.attributes["request_id"], headers.get("x-request-id"))
    const printed = server
      .stderr()
      .trimEnd()
      .split("\n")
      .map((text) => JSON.parse(text))
    const access = printed.find(({ message }) => message === "request")
    assert.deepInclude(access.annotations, { method: "POST", route: "/api/v1/payments", status: "201" })
  })

  it.each(["hangs", "refuses"] as const)(
    "a collector that %s costs payments nothing, one warning, and 4 s of a stop",
    async (behaviour) => {
      const { url } = await startCollector(behaviour)
      const moved = makeMovedClock()
      const environment = {
        OTEL_EXPORTER_OTLP_ENDPOINT: url,
        OTEL_EXPORTER_OTLP_HEADERS: "x-collector-key=secret-of-the-collector",
        POINTSMAN_LOG_LEVEL: "trace",
        OTEL_BSP_SCHEDULE_DELAY: "20",
        OTEL_BLRP_SCHEDULE_DELAY: "20"
      }
      const { create, server } = await start(environment, moved.clock)
      for (let count = 0; count < 20; count++) await create(`number-${count}`)
      assert.strictEqual((await endWithin(moved, server.stop)).code, 0)
      assert.notInclude(server.stderr(), "secret-of-the-collector")
      const told = server.stderr().split("telemetry could not be exported").length - 1
      assert.isAtMost(told, 1)
      if (behaviour === "refuses") assert.strictEqual(told, 1)
    }
  )

  it.each([
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc-with-secret" }, "OTEL_EXPORTER_OTLP_PROTOCOL"],
    [{ OTEL_EXPORTER_OTLP_HEADERS: "x-key=secret%ZZ" }, "OTEL_EXPORTER_OTLP_HEADERS"],
    [{ OTEL_RESOURCE_ATTRIBUTES: "a=secret%ZZ" }, "OTEL_RESOURCE_ATTRIBUTES"],
    [{ OTEL_EXPORTER_OTLP_TIMEOUT: "secret" }, "whole milliseconds"]
  ])("the variable %j stops the start, and is named without its value", async (wrong, named) => {
    const { code, stderr } = await runHere(temporaryFolder(), ["serve", "--port", "0"], {
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
      ...wrong
    })
    assert.strictEqual(code, 1)
    assert.include(stderr, named)
    assert.notInclude(stderr, "secret")
  })

  it("a collector receives every entry of the audit trail, of server and commands", async () => {
    const [ofServer, ofCommands] = [await startCollector(), await startCollector()]
    const { folder, server } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: ofServer.url })
    const run = (...words: ReadonlyArray<string>) =>
      runHere(folder, words, {
        OTEL_EXPORTER_OTLP_ENDPOINT: ofCommands.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
        OTEL_SERVICE_NAME: "till"
      })
    const ofSandbox = ["--workspace", "acme", "--environment", "sandbox"]
    const created = await run("keys", "create", ...ofSandbox, "--by", "Ada")
    // The terminal shows what it showed without a collector.
    assert.match(`${created.code} ${created.stderr}`, /^0 Created the key [^\n]+\n$/u)
    const erased = await run("erase", "--reference", "order-1", ...ofSandbox, "--by", "Jo")
    assert.deepStrictEqual([erased.code, erased.stderr], [0, ""])
    // A command that changes nothing sends nothing, and no command sends anything else.
    const listed = documentOf(await run("audit", "list", "--json")).data
    assert.deepStrictEqual(each(ofCommands.requests, "path"), ["/v1/logs", "/v1/logs"])
    await server.stop()

    const shown = ({ action, actor, details, hash, number, subject }: Readonly<Record<string, unknown>>) => ({
      ...{ number, actor, action, subject, hash },
      details: typeof details === "string" ? JSON.parse(details) : details
    })
    const entriesAt = (collector: Collector) =>
      collector.logs().flatMap(({ attributes, body }) => (body === "audit" ? [shown(attributes)] : []))
    assert.deepStrictEqual([...entriesAt(ofServer), ...entriesAt(ofCommands)], listed.map(shown))
    assert.deepStrictEqual([entriesAt(ofServer).length, entriesAt(ofCommands).length], [1, 2])
  })

  it.each(["hangs", "refuses", "is away", "has invalid variables"] as const)(
    "a key is created with a warning, in four seconds, if the collector %s",
    async (fault) => {
      const { folder } = await start({})
      const collector = await startCollector(fault === "refuses" ? "refuses" : "hangs")
      const moved = makeMovedClock()
      const environment = {
        OTEL_EXPORTER_OTLP_ENDPOINT: fault === "is away" ? "http://127.0.0.1:1" : collector.url,
        ...(fault === "has invalid variables" ? { OTEL_EXPORTER_OTLP_HEADERS: "x-key=secret%ZZ" } : {})
      }
      const words = ["keys", "create", "--workspace", "acme", "--environment", "sandbox"]
      const { code, stderr, stdout } = await endWithin(moved, () => runHere(folder, words, environment, moved.clock))
      assert.match(`${code} ${stdout}`, /^0 ps_test_[0-9A-Za-z]{38}\n$/u)
      assert.notInclude(stderr, "secret")
      assert.match(stderr, /level=WARN.*(?:not sent to the collector|could not be exported|may be lost)/u)
    }
  )
})
