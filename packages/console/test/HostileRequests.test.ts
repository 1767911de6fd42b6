/** What other sites and hostile clients send: every request that changes something, in every form that must not. */
import { maxBodyBytes } from "@pointsman/console"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { checked } from "./fuzz/Answers.ts"
import { type Planted, plantedWorld } from "./fuzz/PlantedWorld.ts"
import { paramsOf, type Target, targetsOf, urlOf } from "./fuzz/Targets.ts"
import { mount, origin } from "./support/World.ts"

let planted: Planted
let targets: ReadonlyArray<Target>
let changing: ReadonlyArray<Target>
beforeAll(async () => {
  planted = await plantedWorld()
  targets = await targetsOf(planted)
  changing = targets.filter(({ method }) => method !== "GET")
})
afterAll(() => planted.here.close())

const headersOf = ({ form }: Target, cookie: string) => ({
  cookie,
  "content-type": form === undefined ? "application/json" : "application/x-www-form-urlencoded",
  "idempotency-key": "a-key-of-another-site"
})

const bodyOf = ({ form, json }: Target): string =>
  form === undefined ? (json === undefined ? "" : JSON.stringify(json)) : paramsOf(form)

const send = (target: Target, init: RequestInit) =>
  planted.here.handler(new Request(`${origin}${mount}${urlOf(target)}`, init), { source: "198.51.100.1" })

/** What a request that changes something leaves behind. */
const traces = async () => {
  const { here } = planted
  const { items } = await here.ask(({ auditEntries }) => auditEntries({ limit: 1 }))
  const { captures, charges, refunds, voids } = here.provider
  return { calls: [charges, captures, voids, refunds].map(({ length }) => length), entries: items[0]?.number }
}

describe("requests of other sites", () => {
  it("every change that another site sends is refused and changes nothing", async () => {
    const cookie = await planted.admin()
    const before = await traces()
    assert.isAbove(changing.length, 50)
    const sites: ReadonlyArray<Readonly<Record<string, string>>> = [
      { "sec-fetch-site": "cross-site", origin },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "none" },
      { "sec-fetch-site": "" },
      { origin: "http://evil.test" },
      { origin: "null" },
      { origin: `${origin}.evil.test` },
      { origin: `${origin}:8080` },
      { origin: "http://console.test@evil.test" },
      {}
    ]
    for (const target of changing) {
      for (const site of sites) {
        const response = await send(target, {
          method: target.method,
          headers: { ...headersOf(target, cookie), ...site },
          body: bodyOf(target)
        })
        assert.strictEqual(response.status, 403, `${target.method} ${target.path} ${JSON.stringify(site)}`)
      }
    }
    assert.deepStrictEqual(await traces(), before)
  })

  it("every change that is sent by a method that reads changes nothing", async () => {
    const cookie = await planted.admin()
    const before = await traces()
    for (const target of changing) {
      for (const method of ["GET", "HEAD"]) {
        const query = [...target.query, ...(target.form ?? [])]
        const response = await send(
          { ...target, query },
          { method, headers: { ...headersOf(target, cookie), "x-http-method-override": "POST" } }
        )
        await checked(response, method, planted.secrets)
      }
    }
    assert.deepStrictEqual(await traces(), before)
  })
})

describe("sizes", () => {
  it("little of a body without an end is read at any route, and it is refused", async () => {
    for (const session of [true, false]) {
      for (const target of changing) {
        const cookie = session ? await planted.admin() : ""
        let read = 0
        const endless = new ReadableStream<Uint8Array>({
          pull: (controller) => {
            read += 4_096
            if (read > 10_000_000) controller.close()
            else controller.enqueue(new Uint8Array(4_096).fill(97))
          }
        })
        const response = await send(target, {
          method: target.method,
          headers: { ...headersOf(target, cookie), "sec-fetch-site": "same-origin" },
          body: endless,
          duplex: "half"
        } as RequestInit)
        await checked(response, target.method, planted.secrets)
        assert.isBelow(read, 3 * maxBodyBytes, `${target.method} ${target.path} ${response.status}`)
      }
    }
  })
})

/** The response, and the milliseconds of the processor that it took. */
const measured = async (send: () => Promise<Response>) => {
  const before = process.threadCpuUsage()
  const response = await send()
  const { system, user } = process.threadCpuUsage(before)
  return { response, millis: (system + user) / 1_000 }
}

/** 250, or more where a request without anything special takes a slow machine long. */
const quickMillis = async () => {
  const ordinary = await measured(() => planted.here.send("/nowhere"))
  return Math.max(250, 50 * ordinary.millis)
}

describe("paths", () => {
  it("paths that are no URLs, or long and escaped, are quickly not found", async () => {
    const cookie = await planted.admin()
    for (const path of [
      "//[",
      "//evil.test:x/payments",
      "/%",
      "/%ff",
      `/link/${"%25".repeat(20_000)}`,
      "/a".repeat(30_000)
    ]) {
      for (const session of [cookie, undefined]) {
        const { millis, response } = await measured(() => planted.here.send(path, { cookie: session }))
        await checked(response, "GET", planted.secrets)
        assert.strictEqual(response.status, 404, path.slice(0, 40))
        assert.isBelow(millis, await quickMillis(), path.slice(0, 40))
      }
    }
  })

  it("a form with a version that is no number is refused", async () => {
    const { here } = planted
    const cookie = await planted.admin()
    const { data } = JSON.parse(await (await here.send("/api/me", { cookie })).text())
    const form = { name: "Admin", workspace: "*", role: "admin", version: "x" }
    const response = await here.send(`/operators/${data.id}`, { cookie, form })
    assert.strictEqual(response.status, 422)
    assert.include(await checked(response, "POST", planted.secrets), "`version` must be the number of the form.")
  })
})

describe("where a sign-in leads", () => {
  it("every kind of next page is a path of the console, or the start", async () => {
    const { here } = planted
    const cookie = await here.signIn("next", [{ workspaceId: null, role: "viewer" }])
    await here.send("/api/password", { method: "PUT", cookie, body: { password: "another horse battery" } })
    for (const next of [
      "https://evil.test/",
      "/payments/../../..//evil.test",
      "//evil.test/",
      "/\\evil.test/",
      "/sign-out",
      "/paymentsx",
      "javascript:alert(1)",
      "/payments/\r\nset-cookie: pointsman_console=planted",
      "/payments/acme/sandbox?search=日本 é",
      "/payments\t",
      "/audit?actor=\u0000",
      "/payments/\ud800"
    ]) {
      const response = await here.send("/sign-in", {
        form: { next, login: "next", password: "another horse battery" },
        source: next
      })
      await checked(response, "POST", planted.secrets)
      assert.strictEqual(response.status, 303, JSON.stringify(next))
      const location = response.headers.get("location") ?? ""
      assert.match(location, /^[!-~]+$/u)
      assert.match(new URL(location, origin).href, /^http:\/\/console\.test\/console\//u)
      assert.strictEqual(response.headers.getSetCookie().length, 1)
    }
  })
})

describe("streams of changes", () => {
  it("no request for only the headers holds a stream", async () => {
    const cookie = await planted.admin()
    for (let nth = 0; nth < 10; nth++) await planted.here.send("/live/acme/sandbox", { method: "HEAD", cookie })
    const response = await planted.here.send("/live/acme/sandbox", { cookie })
    assert.strictEqual(response.status, 200)
    await response.body?.cancel()
  })
})

describe("sessions", () => {
  it("a copied cookie has no more than its operator after a lost role or password", async () => {
    const { here } = planted
    const operators = await here.operators
    const grants = [{ workspaceId: "acme", role: "admin" }] as const
    const copy = await here.signIn("robbed", grants)
    const keys = () => here.send("/api/workspaces/acme/sandbox/keys", { cookie: copy })
    assert.strictEqual((await keys()).status, 200)
    const viewer = {
      login: "robbed",
      displayName: "robbed",
      grants: [{ workspaceId: "acme", role: "viewer" }]
    } as const
    await here.run(operators.edit({ ...viewer, version: null }))
    assert.strictEqual((await keys()).status, 403)
    const own = await here.signInAgain("robbed")
    await here.send("/api/password", { method: "PUT", cookie: own, body: { password: "another horse battery" } })
    for (const cookie of [copy, own]) assert.strictEqual((await here.send("/api/me", { cookie })).status, 401)
    const later = await here.signInAgain("robbed")
    const stream = await here.send("/live/acme/sandbox", { cookie: later })
    await here.run(operators.remove("robbed"))
    assert.strictEqual((await here.send("/api/me", { cookie: later })).status, 401)
    // An open stream ends too.
    await stream.text()
  })

  it("a flood of cookies, and two sessions in one header, quickly give no session", async () => {
    const cookie = await planted.admin()
    for (const header of [
      `${cookie}; ${cookie}`,
      `${cookie}; pointsman_console=x`,
      `pointsman_console=; ${cookie}`,
      "a=b; ".repeat(12_000)
    ]) {
      const { millis, response } = await measured(() => planted.here.send("/api/me", { cookie: header }))
      assert.strictEqual(response.status, 401)
      assert.isBelow(millis, await quickMillis())
    }
  })
})

describe("the host that a request names", () => {
  it("a link leads to a host other than the console's without markup of it", async () => {
    const cookie = await planted.admin()
    const { data } = JSON.parse(await (await planted.here.send("/api/me", { cookie })).text())
    for (const host of ["evil.test/path?", "evil.test@console.test", 'a"><x-planted>', "evil.test:99999"]) {
      const response = await planted.here.send(`/operators/${data.id}/link`, {
        method: "POST",
        cookie,
        headers: { host }
      })
      const text = await checked(response, "POST", planted.secrets)
      const [, link = ""] = /<code class="secret">([^<]*)</u.exec(text) ?? []
      assert.match(link, /^http:\/\/(?:console|evil)\.test\/console\/link\/[\w-]{43}$/u, host)
    }
  })
})
