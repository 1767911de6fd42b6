/** The console beside the API, and at the admin address. */
import { setTimeout } from "node:timers/promises"
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { type ServerHereOptions, startServerHere } from "./support/ServerHere.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"

const start = async (options: ServerHereOptions = {}) => {
  const server = await startServerHere(options)
  const [, link = ""] = /^ {2}Console {3}(\S+) \(once, within 15 minutes\)$/mu.exec(server.stdout()) ?? []
  return { server, url: server.url, link }
}

/** The status and the session's cookie. */
const signIn = async (link: string) => {
  const { origin, pathname } = new URL(link)
  const { headers, status } = await fetch(`${origin}/console/api/session/link`, {
    method: "POST",
    headers: { "content-type": "application/json", origin },
    body: JSON.stringify({ token: pathname.split("/").at(-1) })
  })
  return { status, cookie: (headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "" }
}

const textOf = async (url: string, cookie = "") => (await fetch(url, { headers: { cookie } })).text()

describe("the console of a server", () => {
  it("a plain start's link signs in once, and lists the demo's payments", async () => {
    const { link, url } = await start()
    assert.isTrue(link.startsWith(`${url}/console/link/`))
    assert.include(await textOf(link), "The link works once.")
    const { cookie, status } = await signIn(link)
    assert.strictEqual(status, 200)
    assert.strictEqual((await signIn(link)).status, 401)
    assert.match(cookie, /^pointsman_console=/u)
    const read = async (path: string) => JSON.parse(await textOf(`${url}/console/api${path}`, cookie))
    assert.deepInclude((await read("/me")).data, { login: "demo", name: "Demo" })
    const none = { data: [], has_more: false, next_cursor: null }
    assert.deepStrictEqual(await read("/workspaces/demo/sandbox/payments"), none)
    assert.include(await textOf(url), 'href="./console"')
    const unknown = await fetch(`${url}/console/nowhere`)
    assert.strictEqual(unknown.status, 404)
    assert.include(unknown.headers.get("content-security-policy") ?? "", "frame-ancestors 'none'")
  })

  it("a file's issuer is on the sign-in page, and a role for a passkey needs one", async () => {
    const folder = temporaryFolder()
    const oidc = { issuer: "http://127.0.0.1:1", clientId: "console", clientSecret: { $env: "OIDC" }, name: "Example" }
    const { server, url } = await start({
      folder,
      configuration: { workspaces: [{ id: "acme" }], console: { oidc, requirePasskey: ["admin"] } },
      environment: { OIDC: "a secret" }
    })
    assert.include(await textOf(`${url}/console/sign-in`), "Sign in with Example")
    assert.include(await textOf(`${url}/console/sign-in/oidc`), "could not be reached")
    for (const [role, status] of [
      ["admin", 403],
      ["operations", 200]
    ] as const) {
      await runHere(folder, ["operators", "add", role, "--role", role, "--by", "root"])
      const { stdout } = await runHere(folder, ["operators", "link", role, "--by", "root"])
      const { cookie } = await signIn(`${url}${new URL(stdout.trim()).pathname}`)
      assert.strictEqual((await fetch(`${url}/console/api/me`, { headers: { cookie } })).status, status)
    }
    assert.notInclude(server.stdout() + server.stderr(), "a secret")
  })

  it("the console is at the admin address, and not where the API is", async () => {
    const { link, url } = await start({ flags: ["--admin-port", "0"] })
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
    const { cookie } = await signIn(link)
    const stream = await fetch(`${url}/console/live/demo/sandbox`, { headers: { cookie } })
    assert.strictEqual(stream.headers.get("content-type"), "text/event-stream")
    let text = ""
    const ended = (async () => {
      for await (const piece of stream.body ?? []) text += new TextDecoder().decode(piece)
    })()
    const body = { amount: 1999, currency: "EUR", country: "NL" }
    const created = await server.request("POST", "/api/v1/payments", { body })
    assert.strictEqual(created.status, 201)
    while (!text.includes("data: changed")) await setTimeout(20)
    assert.include(await textOf(`${url}/console/payments/demo/sandbox/export.csv`, cookie), created.body.data.id)
    await server.stop()
    await ended
    assert.notInclude(server.stderr(), "before 1 request")
  })
})
