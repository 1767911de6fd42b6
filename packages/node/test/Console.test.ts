/** The console inside of a program, by a `Request` and by Node's own requests. */
import { once } from "node:events"
import { type IncomingMessage, request as requestTo, type ServerResponse } from "node:http"
import { connect, createServer as createHttp2Server, type IncomingHttpHeaders } from "node:http2"
import type { AddressInfo } from "node:net"
import { buffer, text } from "node:stream/consumers"
import { assert, describe, it, onTestFinished } from "vitest"
import type { ConsoleOptions, MountedConsole, Pointsman } from "../src/index.ts"
import { listening } from "./support/Listening.ts"
import { failureOf, open, order } from "./support/Shop.ts"
import { type Ask, visitor } from "./support/Visitor.ts"

const mount = "/admin/desk"

const withOperator = async (options: Partial<ConsoleOptions> = {}) => {
  const shop = await open()
  const { payment } = await shop.pointsman.create(order)
  await shop.pointsman.operators.add({ login: "jo@shop.example", name: "Jo", role: "support" })
  return { ...shop, payment, desk: await shop.pointsman.console({ mount, ...options }) }
}

const linkFor = async (pointsman: Pointsman, url: string, path = mount) =>
  (await pointsman.operators.createLink("jo@shop.example", { consoleUrl: `${url}${path}` })).url

type Listener = (request: IncomingMessage, response: ServerResponse) => unknown

/** Signs in, and refunds the payment by its form. */
const tryConsole = async (
  { payment, pointsman }: Awaited<ReturnType<typeof withOperator>>,
  url: string,
  ask?: Ask,
  path = mount
) => {
  const browser = visitor(ask)
  const page = await browser.signIn(await linkFor(pointsman, url, path))
  assert.strictEqual(page.status, 200)
  assert.include(page.text, ">Jo</a>")
  assert.include(page.text, "€19.99")
  const refundUrl = `${url}${path}/payments/shop/sandbox/${payment.id}/refund`
  const asked = await browser.get(refundUrl)
  // The form's key is in its address.
  const key = new URL(asked.location ?? "", url).searchParams.get("key") ?? ""
  const done = await browser.post(refundUrl, { key, amount: "5.00", reason: "a dent & a scratch + more" })
  assert.deepStrictEqual([done.status, /notice=refunded/u.test(done.location ?? "")], [303, true])
  const refunded = await pointsman.payment(payment.id)
  assert.strictEqual(refunded.refunded_amount, 500)
  const shown = await browser.get(new URL(done.location ?? "", url).href)
  assert.include(shown.text, "<td>a dent &amp; a scratch + more</td>")
  return browser
}

describe("ways in", () => {
  it("a handler's console shows the payments and takes a form after a link", async () => {
    const here = await withOperator()
    await tryConsole(here, "http://shop.example", (url, init) => here.desk.handler(new Request(url, init)))
  })

  it("a weak password is refused with what was expected, and a strong one is set", async () => {
    const { desk, pointsman } = await withOperator()
    const url = "http://shop.example"
    const browser = visitor((path, init) => desk.handler(new Request(path, init)))
    await browser.signIn(await linkFor(pointsman, url))
    const page = `${url}${mount}/password`
    for (const password of ["Password1234!", "jo@shop.example"]) {
      const weak = await browser.post(page, { password })
      assert.strictEqual(weak.status, 422)
      assert.include(weak.text, "New password: expected a password that is harder to guess")
    }
    assert.strictEqual((await browser.post(page, { password: "kangaroo-violin" })).status, 303)
    const form = { login: "jo@shop.example", password: "kangaroo-violin", next: "/payments" }
    assert.strictEqual((await browser.post(`${url}${mount}/sign-in`, form)).status, 303)
  })

  it("a page says that a role takes a passkey, and an unknown role is refused", async () => {
    const { desk, pointsman } = await withOperator({ requirePasskey: ["support"] })
    const browser = visitor((path, init) => desk.handler(new Request(path, init)))
    const page = await browser.signIn(await linkFor(pointsman, "http://shop.example"))
    assert.strictEqual(page.status, 403)
    assert.include(page.text, "Your role takes a passkey")
    const wrong = { mount, requirePasskey: ["owner"] } as unknown as ConsoleOptions
    const failure = await failureOf(pointsman.console(wrong))
    assert.deepInclude(failure, { code: "validation_error" })
    assert.include(String(failure), "`requirePasskey[0]`: expected")
    const noLimit = await failureOf(pointsman.console({ mount, refundLimits: { euro: 1 } }))
    assert.include(String(noLimit), "`refundLimits.euro`: expected")
  })

  it("a listener's console shows the payments and takes a form after a link", async () => {
    const here = await withOperator()
    await tryConsole(here, await listening(here.desk.listener))
  })

  it("the `originalUrl` counts in a framework that takes the mount off the URL", async () => {
    const here = await withOperator()
    const url = await listening((request, response) => {
      const { url = "" } = request
      Object.assign(request, { originalUrl: url, url: url.slice(mount.length) })
      here.desk.listener(request, response)
    })
    await tryConsole(here, url)
  })

  it.each(["/", "/desk/", "/büro/a b", "/b%C3%BCro"])("links and cookies lead to the mount %s", async (path) => {
    const here = await withOperator({ mount: path })
    const url = await listening(here.desk.listener)
    await tryConsole(here, url, undefined, new URL(path, url).pathname.replace(/\/$/u, ""))
  })

  it("browsers are led to a base path, and requests come without it", async () => {
    const here = await withOperator({ mount: "/desk", basePath: "/shop/" })
    const url = await listening((request, response) => {
      const { url = "" } = request
      assert.isTrue(url.startsWith("/shop/"))
      Object.assign(request, { url: url.slice("/shop".length) })
      here.desk.listener(request, response)
    })
    const browser = await tryConsole(here, url, undefined, "/shop/desk")
    assert.include((await browser.get(`${url}/shop/desk/payments/shop/sandbox`)).text, 'href="/shop/desk/style.css"')
  })

  it("a slash at the end of a path is the same page", async () => {
    const here = await withOperator()
    const url = await listening(here.desk.listener)
    const browser = await tryConsole(here, url)
    assert.include((await browser.get(`${url}${mount}/payments/shop/sandbox/`)).text, "€19.99")
  })

  it("the console shows the payments over HTTP/2 after a link", async () => {
    const { desk, pointsman } = await withOperator()
    const server = createHttp2Server((request, response) =>
      // As Fastify hands them over.
      desk.listener(request as unknown as IncomingMessage, response as unknown as ServerResponse)
    )
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const client = connect(url)
    onTestFinished(() => {
      client.destroy()
      server.close()
    })
    const ask: Ask = async (path, init) => {
      const sent = Object.fromEntries(new Headers(init.headers))
      if (init.method === "POST") sent["content-type"] = "application/x-www-form-urlencoded"
      const stream = client.request({ ...sent, ":path": path.slice(url.length), ":method": init.method ?? "GET" })
      stream.end(init.method === "POST" ? String(init.body) : undefined)
      const [{ ":status": status, ...received }] = (await once(stream, "response")) as [IncomingHttpHeaders]
      const headers = new Headers()
      for (const [name, value] of Object.entries(received)) {
        for (const one of [value].flat()) headers.append(name, String(one))
      }
      return new Response(await text(stream), { status: Number(status), headers })
    }
    const page = await visitor(ask).signIn(await linkFor(pointsman, url))
    assert.include(page.text, ">Jo</a>")
  })

  it("paths outside of the mount, and other spellings of it, go to next", async () => {
    const { desk } = await withOperator()
    const url = await listening((request, response) =>
      desk.listener(request, response, () => response.end("the shop's"))
    )
    const raw = async (path: string) => {
      const { hostname, port } = new URL(url)
      const answer = await new Promise<IncomingMessage>((resolve) => {
        requestTo({ hostname, port, path }, resolve).end()
      })
      return text(answer)
    }
    for (const path of [
      "/",
      "/admin",
      "/admin/desks",
      "/x?/admin/desk",
      "/admin/%64esk",
      "/x/../admin/desk",
      "//admin/desk"
    ]) {
      assert.strictEqual(await raw(path), "the shop's")
    }
    for (const path of ["/admin/desk", "/admin/desk/", "/admin/desk?x", "/admin/desk/payments", "/admin/desk/../x"]) {
      assert.notInclude(await raw(path), "the shop's")
    }
  })

  it("a path outside of the mount is not found without a next", async () => {
    const { desk } = await withOperator()
    const url = await listening(desk.listener)
    assert.strictEqual((await fetch(`${url}/admin`)).status, 404)
    assert.strictEqual((await desk.handler(new Request("http://shop.example/admin/desks"))).status, 404)
  })

  it("a malformed URL or Host is 400", async () => {
    const { desk } = await withOperator()
    const { hostname, port } = new URL(await listening(desk.listener))
    for (const [path, host] of [
      ["*", "shop.example"],
      ["/admin/desk", "shop example"]
    ] as const) {
      const answer = await new Promise<IncomingMessage>((resolve) => {
        requestTo({ hostname, port, path, headers: { host }, method: "OPTIONS" }, resolve).end()
      })
      assert.strictEqual(answer.statusCode, 400)
    }
  })
})

const urlencoded = async (request: IncomingMessage) => Object.fromEntries(new URLSearchParams(await text(request)))

/** Body parsers that come first, and what they leave. */
const parsers: Readonly<Record<string, (request: IncomingMessage) => Promise<object>>> = {
  "the fields as body": async (request) => ({ body: await urlencoded(request) }),
  "the text as body": async (request) => ({ body: await text(request) }),
  "the bytes as body": async (request) => ({ body: await buffer(request) }),
  "the bytes as rawBody": async (request) => ({ rawBody: await buffer(request), body: {} })
}

describe("after a body parser", () => {
  for (const [kept, parse] of Object.entries(parsers)) {
    it(`forms work with a parser that keeps ${kept}`, async () => {
      const here = await withOperator()
      const url = await listening(async (request, response) => {
        if (request.method === "POST") Object.assign(request, await parse(request))
        here.desk.listener(request, response)
      })
      await tryConsole(here, url)
    })
  }

  it("the console's API works with a parser that keeps JSON as body", async () => {
    const { desk, payment, pointsman } = await withOperator()
    const url = await listening(async (request, response) => {
      const isJson = request.headers["content-type"]?.startsWith("application/json") === true
      if (isJson) Object.assign(request, { body: JSON.parse(await text(request)) })
      desk.listener(request, response)
    })
    const browser = visitor()
    await browser.signIn(await linkFor(pointsman, url))
    const path = `${url}${mount}/api/workspaces/shop/sandbox/payments/${payment.id}/refunds`
    const answer = await browser.send(path, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": "refund-0001" },
      body: JSON.stringify({ amount: 500, reason: "damaged" })
    })
    assert.match(String(answer.status), /^20[01]$/u)
    assert.strictEqual((await pointsman.payment(payment.id)).refunded_amount, 500)
  })

  it.each([
    ["nothing", undefined],
    ["nested fields", { amount: { value: "5.00" } }]
  ])("a parser that leaves %s changes nothing and says what to do", async (_, body) => {
    const { desk, lines, payment, pointsman } = await withOperator()
    const listener: Listener = async (request, response) => {
      if (request.url?.includes("/refund") === true)
        Object.assign(request, { body }, await buffer(request).then(() => ({})))
      desk.listener(request, response)
    }
    const url = await listening(listener)
    const browser = visitor()
    await browser.signIn(await linkFor(pointsman, url))
    const answer = await browser.post(`${url}${mount}/payments/shop/sandbox/${payment.id}/refund`, { amount: "5.00" })
    assert.strictEqual(answer.status, 500)
    assert.match(answer.text, /register the console's `listener` before this body parser/u)
    assert.strictEqual((await pointsman.payment(payment.id)).refunded_amount, 0)
    assert.isTrue(lines.some(({ level, message }) => level === "error" && message.includes("body parser")))
  })

  it("a Request whose body was read says what to do", async () => {
    const { desk } = await withOperator()
    const request = new Request(`http://shop.example${mount}/sign-in`, {
      method: "POST",
      body: new URLSearchParams({})
    })
    await request.text()
    const answer = await desk.handler(request)
    assert.strictEqual(answer.status, 500)
    assert.match(await answer.text(), /pass it to the console's `handler` first/u)
  })
})

describe("what a browser cannot be made to do", () => {
  it("a body that is too long is 413, and the connection ends", async () => {
    const { desk } = await withOperator()
    const url = await listening(desk.listener)
    const answer = await fetch(`${url}${mount}/api/session`, {
      method: "POST",
      headers: { origin: url, "content-type": "application/json" },
      body: JSON.stringify({ login: "x".repeat(1_000_000), password: "" })
    })
    assert.deepStrictEqual([answer.status, answer.headers.get("connection")], [413, "close"])
  })
})

describe("https", () => {
  const cookieOf = async (options: Partial<ConsoleOptions>, baseUrl?: string) => {
    const { pointsman } = await open(baseUrl === undefined ? {} : { baseUrl })
    await pointsman.operators.add({ login: "jo@shop.example", role: "viewer" })
    const desk = await pointsman.console({ mount, ...options })
    const url = await listening(desk.listener)
    const link = await linkFor(pointsman, url)
    const answer = await fetch(link, { method: "POST", headers: { origin: url }, redirect: "manual" })
    return answer.headers.getSetCookie()[0] ?? ""
  }

  it("the cookie is bound to https by isSecure or an https base URL", async () => {
    assert.match(await cookieOf({}), /^pointsman_console=\S+; Path=\/admin\/desk; HttpOnly; SameSite=Lax$/u)
    const secure = /^__Host-pointsman_console=\S+; Path=\/; HttpOnly; SameSite=Lax; Secure$/u
    assert.match(await cookieOf({ isSecure: true }), secure)
    assert.match(await cookieOf({}, "https://shop.example"), secure)
    assert.match(await cookieOf({ isSecure: false }, "https://shop.example"), /^pointsman_console=/u)
  })
})

describe("whom a sign-in comes from", () => {
  const begin = "/api/session/passkey/options"
  const often = async (send: () => Promise<Response>): Promise<number> => {
    let status = 0
    for (let count = 0; count < 62; count++) status = (await send()).status
    return status
  }
  const init = (url: string, address: string): RequestInit => ({
    method: "POST",
    headers: { origin: url, "x-client": address }
  })

  it("each client has its own limit by sourceOf, and else by its address", async () => {
    const { pointsman } = await withOperator()
    const wayOf = async (desk: MountedConsole) => {
      const url = await listening(desk.listener)
      return (address: string) => () => fetch(`${url}${mount}${begin}`, init(url, address))
    }
    const byClient = await wayOf(
      await pointsman.console({ mount, sourceOf: ({ headers }) => String(headers["x-client"]) })
    )
    assert.strictEqual(await often(byClient("203.0.113.1")), 429)
    assert.strictEqual((await byClient("203.0.113.2")()).status, 200)
    const byConnection = await wayOf(await pointsman.console({ mount }))
    assert.strictEqual(await often(byConnection("203.0.113.3")), 429)
    assert.strictEqual((await byConnection("203.0.113.4")()).status, 429)
  })

  it("a source beside a Request has its own limit", async () => {
    const { desk } = await withOperator()
    const url = "http://shop.example"
    const from = (source?: string) => () =>
      desk.handler(new Request(`${url}${mount}${begin}`, init(url, "")), { source })
    assert.strictEqual(await often(from("203.0.113.1")), 429)
    assert.strictEqual((await from("203.0.113.2")()).status, 200)
    assert.strictEqual((await from()()).status, 200)
  })

  it("a sourceOf that throws is 500, and the log says so without the contents", async () => {
    const { desk, lines } = await withOperator({
      sourceOf: () => {
        throw new Error("no address")
      }
    })
    const url = await listening(desk.listener)
    assert.strictEqual((await fetch(`${url}${mount}/sign-in`)).status, 500)
    assert.isTrue(lines.some(({ message }) => message === "A request to the console failed: no address"))
  })
})

describe("settings and closing", () => {
  it.each([
    [{}, /`mount` must be a path/u],
    [{ mount, basePath: "shop" }, /`basePath` must be a path/u],
    [{ mount: ["/desk"] }, /`mount` must be a path/u],
    [{ mount: "desk" }, /`mount` must be a path/u],
    [{ mount: "//evil.example" }, /`mount` must be a path/u],
    [{ mount: "/desk?x" }, /`mount` must be a path/u],
    [{ mount: "/desk;Domain=evil.example" }, /`mount` must be a path/u],
    [{ mount: "/desk\n" }, /`mount` must be a path/u],
    [{ mount, isSecure: "yes" }, /`isSecure` must be true or false/u],
    [{ mount, sourceOf: "ip" }, /`sourceOf` must be a function/u],
    [{ mount, secure: true }, /`secure` is not a field of `options`/u]
  ])("%o is refused and the field named", async (options, message) => {
    const { pointsman } = await open()
    const failure = await failureOf(pointsman.console(options as ConsoleOptions))
    assert.deepInclude(failure, { code: "validation_error" })
    assert.match(String(failure), message)
  })

  it("the console of a closed Pointsman answers 503, and none is made", async () => {
    const { desk, pointsman } = await withOperator()
    const url = await listening(desk.listener)
    await pointsman.close()
    const answer = await fetch(`${url}${mount}/sign-in`)
    assert.deepStrictEqual([answer.status, answer.headers.get("retry-after")], [503, "1"])
    assert.deepInclude(await failureOf(pointsman.console({ mount })), { code: "closed" })
  })
})

describe("files of evidence", () => {
  const pdf = (size: number): Uint8Array<ArrayBuffer> => {
    const bytes = new Uint8Array(size)
    bytes.set(new TextEncoder().encode("%PDF-1.7\n"))
    return bytes
  }

  const formWith = (size: number): FormData => {
    const form = new FormData()
    form.set("product_description", "A chair")
    form.set("receipt", new File([pdf(size)], "receipt.pdf"))
    return form
  }

  /** A dispute, as a report states it, and the page of its evidence. */
  const withDispute = async () => {
    const here = await withOperator()
    await here.pointsman.operators.edit("jo@shop.example", { roles: [{ role: "operations", workspace_id: null }] })
    const [attempt] = (await here.pointsman.paymentFile(here.payment.id)).attempts
    const columns = "row_id,kind,gross,currency,occurred_at,attempt_id,dispute_id"
    const row = `txn_d,dispute,-1999,EUR,${new Date().toISOString()},${attempt?.id},dp_1`
    const report = (async function* () {
      yield new TextEncoder().encode(`${columns}\n${row}\n`)
    })()
    await here.pointsman.reconciliation.run({ connection: attempt?.connection_id ?? "", report })
    const [dispute] = (await here.pointsman.disputes()).data
    const id = dispute?.id ?? ""
    return { ...here, id, path: `${mount}/disputes/shop/sandbox/${id}/evidence` }
  }

  const ways = {
    "a Request": async (desk: MountedConsole) => ({
      url: "http://shop.example",
      ask: async (url: string, init: RequestInit) => {
        // As a server has it: its bytes, and no form of this process.
        const body = init.body instanceof FormData ? new Response(init.body) : undefined
        const headers = new Headers(init.headers)
        if (body !== undefined) headers.set("content-type", body.headers.get("content-type") ?? "")
        const sent = body === undefined ? init : { ...init, headers, body: await body.arrayBuffer() }
        return desk.handler(new Request(url, sent))
      }
    }),
    "Node's requests": async (desk: MountedConsole) => ({ url: await listening(desk.listener), ask: undefined })
  }

  it.each(Object.entries(ways))("%s keeps files, and refuses too large ones in words", async (_, way) => {
    const { desk, id, path, pointsman } = await withDispute()
    const { ask, url } = await way(desk)
    const browser = visitor(ask)
    await browser.signIn(await linkFor(pointsman, url))
    const send = (size: number) => browser.send(`${url}${path}`, { method: "POST", body: formWith(size) })
    assert.strictEqual((await send(5_000_000)).status, 303)
    const kept = {
      texts: ["product_description"],
      files: [{ name: "receipt", type: "application/pdf", bytes: 5_000_000 } as const]
    }
    assert.deepStrictEqual((await pointsman.dispute(id)).evidence, kept)
    const refused = await send(9_000_000)
    assert.strictEqual(refused.status, 413)
    assert.include(refused.text, "Files may have 5,000,000 bytes together.")
    // The same connection or another one goes on.
    assert.strictEqual((await browser.get(`${url}${path}`)).status, 200)
    assert.deepStrictEqual((await pointsman.dispute(id)).evidence, kept)
  })

  it("a large form of unknown length is refused past the limit, and the rest dropped", async () => {
    const { desk, id, path, pointsman } = await withDispute()
    const url = await listening(desk.listener)
    const browser = visitor()
    await browser.signIn(await linkFor(pointsman, url))
    const head = '--b\r\ncontent-disposition: form-data; name="receipt"; filename="a"\r\n\r\n'
    let sent = 0
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        controller.enqueue(sent === 0 ? new TextEncoder().encode(head) : pdf(65_536))
        sent += 65_536
        if (sent > 12_000_000) controller.close()
      }
    })
    const init: RequestInit & { readonly duplex: "half" } = {
      method: "POST",
      headers: { "content-type": "multipart/form-data; boundary=b" },
      body,
      duplex: "half"
    }
    const refused = await browser.send(`${url}${path}`, init)
    assert.strictEqual(refused.status, 413)
    assert.isNull((await pointsman.dispute(id)).evidence)
  })
})
