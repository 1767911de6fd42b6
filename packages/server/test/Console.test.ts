/** The console beside the API, and at the admin address. */
import { writeFileSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import { assert, describe, it, onTestFinished } from "vitest"
import { runHere, startHere } from "./support/CommandInProcess.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"

const start = async (...words: ReadonlyArray<string>) => {
  const server = startHere(temporaryFolder(), ["serve", "--port", "0", ...words])
  onTestFinished(async () => void (await server.stop()))
  const [, url = ""] = await server.printed(/^Pointsman listens on (\S+)$/mu)
  const [, link = ""] = /^ {2}Console {3}(\S+) \(once, within 15 minutes\)$/mu.exec(server.stdout()) ?? []
  return { server, url, link }
}

const signIn = (link: string) => {
  const { origin, pathname } = new URL(link)
  return fetch(`${origin}/console/api/session/link`, {
    method: "POST",
    headers: { "content-type": "application/json", origin },
    body: JSON.stringify({ token: pathname.split("/").at(-1) })
  })
}

const textOf = async (url: string, cookie: string) => (await fetch(url, { headers: { cookie } })).text()

describe("the console of a server", () => {
  it("a plain start's link signs in once, and lists the demo's payments", async () => {
    const { link, url } = await start()
    assert.isTrue(link.startsWith(`${url}/console/link/`))
    assert.include(await textOf(link, ""), "The link works once.")
    const signed = await signIn(link)
    assert.strictEqual(signed.status, 200)
    assert.strictEqual((await signIn(link)).status, 401)
    const cookie = (signed.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? ""
    assert.match(cookie, /^pointsman_console=/u)
    const read = async (path: string) => JSON.parse(await textOf(`${url}/console/api${path}`, cookie))
    assert.deepInclude((await read("/me")).data, { login: "demo", name: "Demo" })
    assert.deepStrictEqual(await read("/workspaces/demo/sandbox/payments"), {
      data: [],
      has_more: false,
      next_cursor: null
    })
    assert.include(await (await fetch(url)).text(), 'href="./console"')
    const unknown = await fetch(`${url}/console/nowhere`)
    assert.strictEqual(unknown.status, 404)
    assert.include(unknown.headers.get("content-security-policy") ?? "", "frame-ancestors 'none'")
  })

  it("the sign-in page leads to an issuer in the configuration file", async () => {
    const folder = temporaryFolder()
    const oidc = { issuer: "http://127.0.0.1:1", clientId: "console", clientSecret: { $env: "OIDC" }, name: "Example" }
    writeFileSync(`${folder}/pointsman.json`, JSON.stringify({ workspaces: [{ id: "acme" }], console: { oidc } }))
    const server = startHere(folder, ["serve", "--port", "0", "--config", "pointsman.json"], { OIDC: "a secret" })
    onTestFinished(async () => void (await server.stop()))
    const [, url = ""] = await server.printed(/^Pointsman listens on (\S+)$/mu)
    assert.include(await textOf(`${url}/console/sign-in`, ""), "Sign in with Example")
    assert.include(await textOf(`${url}/console/sign-in/oidc`, ""), "could not be reached")
    assert.notInclude(server.stdout() + server.stderr(), "a secret")
  })

  it("a link is not enough for a role that takes a passkey in the file", async () => {
    const folder = temporaryFolder()
    const file = { workspaces: [{ id: "acme" }], console: { requirePasskey: ["admin"] } }
    writeFileSync(`${folder}/pointsman.json`, JSON.stringify(file))
    const server = startHere(folder, ["serve", "--port", "0", "--config", "pointsman.json"])
    onTestFinished(async () => void (await server.stop()))
    const [, url = ""] = await server.printed(/^Pointsman listens on (\S+)$/mu)
    for (const [role, status] of [
      ["admin", 403],
      ["operations", 200]
    ] as const) {
      await runHere(folder, ["operators", "add", role, "--role", role, "--by", "root"])
      const { stdout } = await runHere(folder, ["operators", "link", role, "--by", "root"])
      const signed = await signIn(`${url}${new URL(stdout.trim()).pathname}`)
      const cookie = (signed.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? ""
      assert.strictEqual((await fetch(`${url}/console/api/me`, { headers: { cookie } })).status, status)
    }
  })

  it("the console is at the admin address, and not where the API is", async () => {
    const { link, url } = await start("--admin-port", "0")
    assert.notStrictEqual(new URL(link).origin, url)
    assert.strictEqual((await signIn(link)).status, 200)
    for (const path of ["/console", "/console/api/me", "/console/"]) {
      const there = await fetch(`${new URL(link).origin}${path}`)
      const here = await fetch(`${url}${path}`)
      assert.deepStrictEqual([here.status, JSON.parse(await here.text()).error.message], [404, "Route not found."])
      assert.isNotNull(there.headers.get("content-security-policy"))
    }
  })

  it("a payment shows at once in a stream of changes, for which no stop waits", async () => {
    const { link, server, url } = await start()
    const cookie = ((await signIn(link)).headers.get("set-cookie") ?? "").split(";", 1)[0] ?? ""
    const stream = await fetch(`${url}/console/live/demo/sandbox`, { headers: { cookie } })
    assert.strictEqual(stream.headers.get("content-type"), "text/event-stream")
    const reader = (stream.body as ReadableStream<Uint8Array>).getReader()
    let text = ""
    const ended = (async () => {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        text += new TextDecoder().decode(value)
      }
    })()
    const [, key = ""] = /^ {2}API key {3}(\S+)$/mu.exec(server.stdout()) ?? []
    const body = JSON.stringify({ amount: 1999, currency: "EUR", country: "NL" })
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
    const created = await fetch(`${url}/api/v1/payments`, { method: "POST", headers, body })
    assert.strictEqual(created.status, 201)
    while (!text.includes("data: changed")) await setTimeout(20)
    const exported = await textOf(`${url}/console/payments/demo/sandbox/export.csv`, cookie)
    assert.include(exported, JSON.parse(await created.text()).data.id)
    await server.stop()
    await ended
    assert.notInclude(server.stderr(), "before 1 request")
  })
})
