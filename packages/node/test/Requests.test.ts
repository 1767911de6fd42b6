import { once } from "node:events"
import { createServer, type IncomingMessage, request as requestTo } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer, text } from "node:stream/consumers"
import { Effect } from "effect"
import { assert, describe, it, onTestFinished } from "vitest"
import { makeGate } from "../src/calls/RunCall.ts"
import type { Payment, Pointsman, Workspace } from "../src/index.ts"
import { makeRequests, type Routes } from "../src/Requests.ts"
import { listening } from "./support/Listening.ts"
import { failureOf, folder, inFiles, open, order, shop } from "./support/Shop.ts"

const json = "application/json"

const create = async (pointsman: Pointsman, key = "order-1001") => ({
  method: "POST",
  headers: {
    authorization: `Bearer ${(await pointsman.createApiKey()).secret}`,
    "content-type": json,
    "idempotency-key": key
  },
  body: JSON.stringify(order)
})

interface Body {
  readonly data?: Payment
  readonly error?: { readonly code: string; readonly message: string }
}

const bodyOf = async (answer: Response): Promise<Body> => (await answer.json()) as Body

/** Asks for a path, with the kind of request that is tested. */
type Ask = (path: string, init?: RequestInit) => Promise<Response>

const ways: Readonly<Record<string, (pointsman: Pick<Pointsman, "handler" | "listener">) => Promise<Ask>>> = {
  handler: async (pointsman) => (path, init) => pointsman.handler(new Request(`http://shop.example${path}`, init)),
  listener: async (pointsman) => {
    const url = await listening(pointsman.listener)
    return (path, init) => fetch(`${url}${path}`, init)
  }
}

for (const [name, way] of Object.entries(ways)) {
  describe(name, () => {
    it("a call under the key of an HTTP payment is its replay", async () => {
      const { pointsman } = await open()
      const ask = await way(pointsman)
      const answer = await ask("/api/v1/payments", await create(pointsman))
      assert.strictEqual(answer.status, 201)
      const { data } = await bodyOf(answer)
      const called = await pointsman.create(order, { idempotencyKey: "order-1001" })
      assert.strictEqual(called.isReplay, true)
      assert.deepStrictEqual(called.payment, data)
      const events = await pointsman.events()
      assert.strictEqual(events.data.length, 2)
    })

    it("the API without a key or a route answers in its own words", async () => {
      const { pointsman } = await open()
      const ask = await way(pointsman)
      const refused = await ask("/api/v1/payments")
      assert.strictEqual(refused.status, 401)
      assert.strictEqual((await bodyOf(refused)).error?.code, "unauthorized")
      assert.strictEqual((await ask("/api/v1/nothing")).status, 404)
      assert.strictEqual((await ask("/api/v1/openapi.json")).status, 200)
      assert.strictEqual((await ask("/docs")).status, 404)
    })

    it("each of several first requests at once is answered, when routes are built", async () => {
      const { pointsman } = await open()
      const ask = await way(pointsman)
      const made = await create(pointsman)
      const answers = await Promise.all([1, 2, 3].map(() => ask("/api/v1/payments", made)))
      assert.isTrue(answers.every(({ status }) => status === 201 || status === 409))
      assert.strictEqual((await pointsman.payments()).data.length, 1)
    })

    it("requests are refused until routes that cannot be loaded can be", async () => {
      const lines: Array<string> = []
      let load = (): Promise<Routes> => Promise.reject(new Error("no such file"))
      const requests = makeRequests({
        gate: await Effect.runPromise(makeGate),
        open: () => load(),
        docs: false,
        hasPages: false,
        keepAliveMillis: 4_000,
        warn: (line) => void lines.push(line)
      })
      const ask = await way(requests)
      const refused = await ask("/api/v1/payments")
      assert.deepStrictEqual([refused.status, (await bodyOf(refused)).error?.code], [500, "internal_error"])
      assert.deepStrictEqual(lines, ["The routes could not be loaded. Nothing was done. no such file"])
      load = async () => ({ web: async () => Response.json({}), native: (_, response) => void response.end("{}") })
      assert.strictEqual((await ask("/api/v1/payments")).status, 200)
    })

    it("a page is served at a base URL for a payment that wants the customer", async () => {
      const { pointsman } = await open({ baseUrl: "https://shop.example" })
      const ask = await way(pointsman)
      const { payment } = await pointsman.create({ ...order, return_url: "https://shop.example/thanks" })
      assert.strictEqual(payment.status, "REQUIRES_ACTION")
      const page = await ask(new URL(payment.next_action.url ?? "").pathname)
      assert.strictEqual(page.status, 200)
      assert.match(page.headers.get("content-type") ?? "", /^text\/html/u)
    })

    it("a key that asks more often than its rate has to wait", async () => {
      const { pointsman } = await open({ rateLimit: 1 })
      const ask = await way(pointsman)
      const { headers } = await create(pointsman)
      const statuses: Array<number> = []
      for (let count = 0; count < 3; count++) statuses.push((await ask("/api/v1/payments", { headers })).status)
      assert.deepStrictEqual(statuses, [200, 200, 429])
    })
  })
}

describe("a brand", () => {
  it("a stored payment's page shows the brand of a later start", async () => {
    const home = folder()
    const start = async (brand: NonNullable<Workspace["brand"]>) => {
      const { pointsman } = await open({
        ...inFiles(home),
        baseUrl: "https://shop.example",
        workspaces: [{ ...shop, brand }]
      })
      const page = async (url: string) => (await pointsman.handler(new Request(url))).text()
      return { pointsman, page }
    }
    const first = await start({ name: "Shop & Sons", color: "#123524" })
    const { payment } = await first.pointsman.create({ ...order, return_url: "https://shop.example/thanks" })
    const url = payment.next_action.url ?? ""
    const before = await first.page(url)
    assert.include(before, "<h1>Pay <bdi>Shop &amp; Sons</bdi></h1>")
    assert.include(before, "--main: #123524;")
    await first.pointsman.close()
    const after = await (await start({ support: "mailto:help@shop.example" })).page(url)
    assert.include(after, "<h1>Pay <bdi>shop</bdi></h1>")
    assert.include(after, '<a href="mailto:help@shop.example">Help</a>')
    assert.notInclude(after, "#123524")
  })

  it("a color that text cannot be read on is refused with a better one", async () => {
    const start = open({ workspaces: [{ ...shop, brand: { color: "#ffcc00" } }] })
    assert.match(String(await failureOf(start)), /workspaces\[0\]\.brand\.color: expected a color .* "#907300"/u)
  })
})

describe("beside other routes", () => {
  it("a path outside of the API goes to next untouched", async () => {
    const { pointsman } = await open()
    const passed: Array<string | undefined> = []
    const url = await listening((request, response) =>
      pointsman.listener(request, response, () => {
        passed.push(request.url)
        response.end("the shop's")
      })
    )
    const others = ["/", "/checkout?api/v1", "/api/v10", "/api/v1x", "/docs", "/hosted/token"]
    // A path that is spelled otherwise is another path.
    for (const path of [...others, "/API/V1/payments", "//api//v1/payments", "/%61pi/v1/payments"]) {
      assert.strictEqual(await (await fetch(`${url}${path}`)).text(), "the shop's")
    }
    assert.strictEqual(passed.length, 9)
    for (const path of ["/api/v1", "/api/v1/payments", "/api/v1//payments", "/api/v1/Payments", "/api/v1?x"]) {
      assert.include([401, 404], (await fetch(`${url}${path}`)).status)
    }
    assert.strictEqual(passed.length, 9)
  })

  it("a parser that ate the body charges nothing, and says what to do", async () => {
    const { lines, pointsman } = await open()
    const url = await listening(async (request, response) => {
      await buffer(request)
      pointsman.listener(request, response)
    })
    const answer = await fetch(`${url}/api/v1/payments`, await create(pointsman))
    assert.strictEqual(answer.status, 500)
    const { error } = await bodyOf(answer)
    assert.strictEqual(error?.code, "internal_error")
    assert.match(error?.message ?? "", /register `pointsman\.listener` before body parsers such as express\.json\(\)/u)
    assert.deepStrictEqual((await pointsman.payments()).data, [])
    assert.deepStrictEqual(
      lines.filter(({ message }) => message !== "audit").map(({ level, message }) => [level, message]),
      [["error", error?.message]]
    )
  })

  it("a Request whose body was read charges nothing, and says what to do", async () => {
    const { lines, pointsman } = await open()
    const request = new Request("http://shop.example/api/v1/payments", await create(pointsman))
    await request.text()
    const answer = await pointsman.handler(request)
    assert.strictEqual(answer.status, 500)
    const { error } = await bodyOf(answer)
    assert.match(error?.message ?? "", /pass it to `pointsman\.handler` first, or read a `request\.clone\(\)`/u)
    assert.deepStrictEqual((await pointsman.payments()).data, [])
    assert.deepStrictEqual(
      lines.filter(({ message }) => message !== "audit").map(({ level, message }) => [level, message]),
      [["error", error?.message]]
    )
  })

  it("a payment is made from the bytes that a parser kept", async () => {
    const { pointsman } = await open()
    const url = await listening(async (request, response) => {
      Object.assign(request, { rawBody: await buffer(request) })
      pointsman.listener(request, response)
    })
    const init = await create(pointsman)
    assert.strictEqual((await fetch(`${url}/api/v1/payments`, init)).status, 201)
    const again = await fetch(`${url}/api/v1/payments`, init)
    assert.strictEqual(again.headers.get("idempotent-replay"), "true")
  })
})

describe("a server whose only listener is ours", () => {
  const serverOf = async (pointsman: Pointsman, keepAliveTimeout?: number) => {
    const server = createServer(keepAliveTimeout === undefined ? {} : { keepAliveTimeout }, pointsman.listener)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/docs`)
    return server
  }

  it("idle connections are kept for the setting, or for a server's longer time", async () => {
    const [{ pointsman }, { pointsman: other }] = [await open(), await open({ keepAliveMillis: 90_000 })]
    const server = await serverOf(pointsman)
    assert.strictEqual(server.keepAliveTimeout, 75_000)
    assert.isAtLeast(server.headersTimeout, 80_000)
    assert.strictEqual((await serverOf(other)).keepAliveTimeout, 90_000)
    assert.strictEqual((await serverOf(pointsman, 120_000)).keepAliveTimeout, 120_000)
  })
})

describe("a key for networks", () => {
  it("Node's request has a network's key accepted there, and refused from elsewhere", async () => {
    const { pointsman } = await open()
    const url = await listening(pointsman.listener)
    const [here, elsewhere] = [
      await pointsman.createApiKey({ networks: ["127.0.0.0/8", "::1"], name: "shop" }),
      await pointsman.createApiKey({ networks: ["203.0.113.0/24"] })
    ]
    assert.deepInclude(here, { name: "shop", expires: null, networks: ["127.0.0.0/8", "::1"] })
    const headersOf = (secret: string) => ({ headers: { authorization: `Bearer ${secret}` } })
    assert.strictEqual((await fetch(`${url}/api/v1/payments`, headersOf(here.secret))).status, 200)
    assert.strictEqual((await fetch(`${url}/api/v1/payments`, headersOf(elsewhere.secret))).status, 401)
    const unknown = new Request("http://shop.example/api/v1/payments", headersOf(here.secret))
    assert.strictEqual((await pointsman.handler(unknown)).status, 401)
  })
})

describe("an idempotency key that is sent twice", () => {
  const twice = async (pointsman: Pointsman, second = "order-1001") => {
    const { headers, ...rest } = await create(pointsman)
    const repeated = new Headers(headers)
    repeated.append("idempotency-key", second)
    return { ...rest, headers: repeated }
  }

  it("a Request with the same key joined with itself is refused", async () => {
    const { pointsman } = await open()
    const answer = await pointsman.handler(new Request("http://shop.example/api/v1/payments", await twice(pointsman)))
    assert.strictEqual((await bodyOf(answer)).error?.code, "invalid_idempotency_key")
  })

  it.each(["before", "after"])("any second key of Node's request %s a body parser is refused", async (place) => {
    const { pointsman } = await open()
    const url = await listening(async (request, response) => {
      if (place === "after") Object.assign(request, { rawBody: await buffer(request) })
      pointsman.listener(request, response)
    })
    for (const second of ["order-1001", "order-1002"]) {
      const { body, headers, method } = await twice(pointsman, second)
      const asked = requestTo(`${url}/api/v1/payments`, {
        method,
        headers: { ...Object.fromEntries(headers), "idempotency-key": ["order-1001", second] }
      })
      asked.end(body)
      const [answer] = (await once(asked, "response")) as [IncomingMessage]
      assert.include(await text(answer), "invalid_idempotency_key")
    }
    assert.deepStrictEqual((await pointsman.payments()).data, [])
  })
})
