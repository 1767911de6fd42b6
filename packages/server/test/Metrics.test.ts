/** What a server counts, as Prometheus reads it; and what an operator sees of circuits. */
import { type CircuitReading, Pointsman } from "@pointsman/core"
import { Directory, RecordLosses } from "@pointsman/core/ports"
import { Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { TestClock } from "effect/testing"
import { assert, describe, it, onTestFinished } from "vitest"
import * as Metrics from "../src/Metrics.ts"
import { configurationWith, connectionTo, liveKey, workspaceWith } from "./support/Configurations.ts"
import { makeMovedClock } from "./support/MovedClock.ts"
import { pay as create } from "./support/Pay.ts"
import { startProvider } from "./support/ScriptedProvider.ts"
import { type ServerHere, startServerHere } from "./support/ServerHere.ts"
import { openShop } from "./support/ShopHere.ts"
import { until } from "./support/Until.ts"

const scrape = async (url: string) => {
  const answer = await fetch(`${url}/metrics`)
  return { answer, lines: (await answer.text()).trimEnd().split("\n") }
}

/** A page of metrics without a server. */
const serveMetrics = (
  options: Parameters<typeof Metrics.layer>[0],
  pointsman: Partial<Pointsman["Service"]>,
  configurations: StoredConfigurations,
  ambient: Context.Context<never> = Context.empty()
) => {
  const contents = { workspaces: [], apiKeys: [], connections: [], routing: [], webhookEndpoints: [] }
  const directory: Partial<Directory["Service"]> = { state: Effect.succeed({ configurations, contents, version: 0 }) }
  const { dispose, handler } = HttpRouter.toWebHandler(
    Metrics.layer(options).pipe(
      Layer.provide([
        Layer.succeed(Pointsman, pointsman as Pointsman["Service"]),
        Layer.succeed(RecordLosses, { known: Effect.succeed(null) } as Partial<RecordLosses> as RecordLosses),
        Layer.succeed(Directory, directory as Directory["Service"])
      ]),
      Layer.provideMerge([HttpServer.layerServices, Layer.succeedContext(ambient)])
    ),
    { disableLogger: true }
  )
  onTestFinished(dispose)
  return () => handler(new Request("http://server/metrics"))
}
type StoredConfigurations = Effect.Success<Directory["Service"]["state"]>["configurations"]

let keys = 0
const pay = (server: ServerHere, fields: object = {}) => create(server, `metrics-${++keys}`, fields)

describe("metrics", () => {
  it("metrics of a failing provider report attempts, decisions and circuits", async () => {
    const [main, backup] = [await startProvider({ apiKey: "secret-of-main" }), await startProvider()]
    main.always("charge", () => ({ status: 422, body: { error: { code: "no", message: "No." } } }))
    const connections = [
      { ...connectionTo(main, "main"), circuitBreaker: { failures: 2, open: "1 hour" } },
      connectionTo(backup, "backup")
    ]
    const server = await startServerHere({
      configuration: configurationWith(...connections)
    })
    const before = await scrape(server.url)
    assert.strictEqual(before.answer.status, 200)
    assert.strictEqual(before.answer.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8")
    assert.strictEqual(before.answer.headers.get("cache-control"), "no-store")
    assert.isFalse(before.lines.some((line) => line.startsWith("pointsman_circuit_state{")))

    for (let count = 0; count < 3; count++) {
      const { body, status } = await pay(server)
      assert.deepStrictEqual([status, body.data.status], [201, "CAPTURED"])
    }
    const { lines } = await scrape(server.url)
    assert.includeMembers(lines, [
      "# TYPE pointsman_attempts_total counter",
      'pointsman_attempts_total{connection="main",outcome="Rejected"} 2',
      'pointsman_attempts_total{connection="backup",outcome="Captured"} 3',
      'pointsman_routing_decisions_total{path="engine",mode="failover"} 3',
      'pointsman_circuit_opened_total{connection="main"} 1',
      "# TYPE pointsman_circuit_state gauge",
      'pointsman_circuit_state{connection="main"} 2'
    ])
    assert.isFalse(lines.some((line) => /secret|pk_|sk_/u.test(line) || line.includes(liveKey)))
    // As text of the format: a comment, or a name with labels and a number.
    for (const line of lines) assert.match(line, /^(?:# (?:HELP|TYPE) \S+ .+|[a-z_:]+(?:\{[^{}]*\})? -?[\d.e+]+)$/u)

    const { body, status } = await server.request("GET", "/health/ready", { key: null })
    assert.deepStrictEqual([status, body.circuits.length], [200, 1])
    assert.deepInclude(body.circuits[0], { connection: "main", state: "open", failures: 2 })
    assert.approximately(Date.parse(body.circuits[0].open_until), Date.now() + 3_600_000, 60_000)

    const wrong = await server.request("POST", "/metrics", { key: null })
    assert.deepStrictEqual([wrong.status, wrong.headers.get("allow")], [405, "GET, HEAD"])
    assert.strictEqual((await server.request("GET", "/api/v1/metrics", { key: null })).status, 404)
  })

  it("gauges show a circuit closed again, an escaped id, and an older file", async () => {
    const seen = { failures: 5, openedAt: 1_000, probeAt: 31_000 }
    const id = 'a"b\\c\nd'
    let circuits: ReadonlyArray<CircuitReading> = [
      { ...seen, connectionId: id, state: "half-open", isOpen: false },
      { ...seen, connectionId: "closing", state: "open", isOpen: true }
    ]
    const [first, current] = [
      { id: "acct_1", mode: null },
      { id: "acct_2", mode: null }
    ] as const
    const standings = {
      ours: "verified",
      theirs: "changed",
      silent: "unanswered",
      new: "unverified",
      other: "none"
    } as const
    const accounts = Object.entries(standings).map(([connectionId, standing]) => ({
      ...{ connectionId, standing, first, current }
    }))
    const ask = serveMetrics(
      { fileHash: "of this file" },
      { circuits: Effect.sync(() => circuits), accounts: Effect.succeed(accounts) },
      [{ generation: 3, hash: "of another file", appliedAt: 0 }]
    )
    const lines = async () => (await (await ask()).text()).split("\n")
    assert.includeMembers(await lines(), [
      "pointsman_configuration_generation 3",
      "pointsman_configuration_older 1",
      'pointsman_circuit_state{connection="a\\"b\\\\c\\nd"} 1',
      'pointsman_circuit_state{connection="closing"} 2',
      'pointsman_account_state{connection="ours"} 0',
      'pointsman_account_state{connection="theirs"} 2',
      'pointsman_account_state{connection="silent"} 1',
      'pointsman_account_state{connection="new"} 1',
      'pointsman_account_state{connection="other"} 0'
    ])
    circuits = []
    assert.includeMembers(await lines(), [
      'pointsman_circuit_state{connection="a\\"b\\\\c\\nd"} 0',
      'pointsman_circuit_state{connection="closing"} 0'
    ])
  })
})

describe("scrapes at once", () => {
  it("50 scrapes are rendered once, a second after the last, and each is answered", async () => {
    // Each rendering reads the backlog once.
    let renderings = 0
    const ambient = await Effect.runPromise(Effect.scoped(Layer.build(TestClock.layer({ warningDelay: "1 hour" }))))
    const adjust = (millis: number) => Effect.runPromise(Effect.provideContext(TestClock.adjust(millis), ambient))
    const pointsman = { circuits: Effect.succeed([]), accounts: Effect.succeed([]) }
    const ask = serveMetrics({ readBacklog: Effect.sync(() => void renderings++) }, pointsman, [], ambient)
    const scrape = async () => (await ask()).status
    assert.strictEqual(await scrape(), 200)
    const scrapes = Array.from({ length: 50 }, scrape)
    await adjust(999)
    assert.strictEqual(renderings, 1)
    await adjust(1)
    assert.deepStrictEqual(await Promise.all(scrapes), Array<number>(50).fill(200))
    assert.strictEqual(renderings, 2)
  })
})

const gaugesAt = async (url: string) => {
  const { lines } = await scrape(url)
  return (start: string) => lines.filter((line) => line.startsWith(start)).toSorted()
}
const secondsOf = ([line = ""]: ReadonlyArray<string>) => Number(line.split(" ")[1])

describe("what waits", () => {
  it("metrics report an unknown result, a pending refund and a late webhook", async () => {
    const { clock, push } = makeMovedClock()
    const { create, provider, refund, server } = await openShop({
      configured: (provider) => ({
        workspaces: [
          {
            ...workspaceWith([connectionTo(provider)]),
            webhooks: [
              { environment: "production", url: "http://127.0.0.1:9/hook", events: ["*"], secret: "whsec_late" }
            ]
          }
        ]
      }),
      environment: { POINTSMAN_WEBHOOK_SCHEDULE: "1 hour" },
      clock
    })
    const captured = await create("captured")
    provider.next("refund", () => ({
      status: 200,
      body: { provider_refund_id: "re_1", status: "pending", amount: 1999, currency: "EUR" }
    }))
    assert.strictEqual((await refund(captured, {})).body.error.code, "refund_pending")
    for (const operation of ["charge", "lookUpCharge"] as const) provider.always(operation, () => "drop")
    await create("unknown")

    const at = await gaugesAt(server.url)
    assert.deepStrictEqual(at("pointsman_unknown_payments{"), [
      'pointsman_unknown_payments{older_than="0s"} 1',
      ...["15m", "1d", "1h", "7d"].map((age) => `pointsman_unknown_payments{older_than="${age}"} 0`)
    ])
    assert.include(at("pointsman_reviews_waiting{"), 'pointsman_reviews_waiting{reason="unknown"} 1')
    assert.deepStrictEqual(at("pointsman_refunds_pending "), ["pointsman_refunds_pending 1"])
    assert.deepStrictEqual(at("pointsman_delivery_lag_seconds "), ["pointsman_delivery_lag_seconds 0"])
    // The values are cached for a while, for all callers.
    const readAt = "pointsman_backlog_read_timestamp_seconds "
    assert.deepStrictEqual((await gaugesAt(server.url))(readAt), at(readAt))

    push(7_200_000)
    const late = await gaugesAt(server.url)
    assert.include(late("pointsman_unknown_payments{"), 'pointsman_unknown_payments{older_than="1h"} 1')
    assert.isAtLeast(secondsOf(late("pointsman_review_age_seconds ")), 7_200)
    // An unknown result is no difference.
    assert.strictEqual(secondsOf(late("pointsman_agreement_oldest_difference_seconds ")), 0)
  })

  it("the oldest difference has an age when a provider states another amount", async () => {
    const { clock, push } = makeMovedClock()
    const { create, provider, server } = await openShop({ clock })
    provider.next("charge", (call) => {
      const { body, status } = call.execute()
      return { status, body: { ...(body as object), amount: 2999, captured_amount: 2999 } }
    })
    await create("another-amount")
    push(60_000)
    const at = await gaugesAt(server.url)
    assert.isAtLeast(secondsOf(at("pointsman_agreement_oldest_difference_seconds ")), 60)
  })

  it("two of three at a hanging provider that takes one wait, by their connection", async () => {
    const { create, provider, server } = await openShop({
      configured: (provider) => configurationWith({ ...connectionTo(provider), timeout: "5 minutes" }),
      environment: { POINTSMAN_UNKNOWN_CHECK_INTERVAL: "1 second", POINTSMAN_LOOKUPS_PER_CONNECTION: "1" }
    })
    provider.always("charge", () => "drop")
    const asked = provider.hold("lookUpCharge")
    for (const reference of ["first", "second", "third"]) await create(reference)
    await asked.arrived
    // All are due a second after the last one, and one of them is being checked.
    await until("two are due", async () => {
      const at = await gaugesAt(server.url)
      return at("pointsman_checks_due{").join() === 'pointsman_checks_due{connection="main"} 2'
    })
    // The end of the server waits for it.
    asked.release()
  })
})

describe("a provider that hangs", () => {
  it("none of 50 to another provider waits for 100 that wait for one", async () => {
    const [hanging, well] = [await startProvider(), await startProvider()]
    const waiting = 100
    const allArrived = Promise.withResolvers<void>()
    hanging.always("charge", () => {
      if (hanging.calls.length === waiting) allArrived.resolve()
      return "silent"
    })
    const hangs = {
      name: "hangs",
      when: { cardBrand: ["amex"] },
      use: { mode: "failover", order: ["hanging", "well"] }
    }
    const server = await startServerHere({
      configuration: {
        workspaces: [
          {
            ...workspaceWith([
              { ...connectionTo(hanging, "hanging"), timeout: "5 minutes" },
              connectionTo(well, "well")
            ]),
            routing: { production: { mode: "failover", order: ["well"], rules: [hangs] } }
          }
        ]
      }
    })
    let answered = 0
    const held = Array.from({ length: waiting }, async () => {
      const answer = await pay(server, { method: "card", card_brand: "amex" })
      answered += 1
      return answer
    })
    await allArrived.promise

    // No more at once than there are places: who waits for one on a busy machine is asked to come again.
    for (let turn = 0; turn < 2; turn++) {
      for (const { body, status } of await Promise.all(Array.from({ length: 25 }, () => pay(server)))) {
        assert.deepStrictEqual([status, body.data.status], [201, "CAPTURED"])
      }
    }
    assert.strictEqual(answered, 0)
    assert.strictEqual(well.calls.length, 50)
    assert.strictEqual(hanging.calls.length, waiting)

    // The provider goes away: the waiting callers get a response, and no other provider was called for them.
    await hanging.stop()
    for (const { body, status } of await Promise.all(held)) {
      assert.deepStrictEqual([status, body.data.status], [201, "UNKNOWN"])
    }
    assert.strictEqual(well.calls.filter(({ operation }) => operation === "charge").length, 50)
  })
})
