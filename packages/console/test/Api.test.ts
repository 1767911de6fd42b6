/** The console's API: who gets in, and payments. What each role may do is in `Roles.test.ts`. */
import { assert, describe, it } from "vitest"
import { assertFields, codeOf, everywhere } from "./support/Responses.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { bodyOf, cookieOf, mount, origin, password, world } from "./support/World.ts"

const here = usedWorld()

describe("roles", () => {
  it("an operator with a role in one workspace sees that and its actions", async () => {
    const cookie = await here.signIn("jo", [{ workspaceId: "acme", role: "support" }])
    const { data } = await bodyOf(await here.send("/api/me", { cookie }))
    assert.deepStrictEqual(data.roles, [{ workspace_id: "acme", role: "support" }])
    const actions = ["payment.read", "payment.capture", "payment.void", "payment.refund", "webhook.redeliver"]
    assert.deepStrictEqual(data.workspaces, [
      { id: "acme", name: "The acme <shop>", environments: ["sandbox", "production"], actions }
    ])
  })
})

describe("sessions", () => {
  it("a link's cookie is only the session's, and the link works once", async () => {
    await here.run((await here.operators).add({ login: "jo", displayName: "Jo", grants: everywhere("viewer") }))
    const token = await here.linkOf("jo")
    const response = await here.send("/api/session/link", { body: { token } })
    assert.match(
      response.headers.get("set-cookie") ?? "",
      /^pointsman_console=[A-Za-z0-9_-]{43}; Path=\/console; HttpOnly; SameSite=Lax$/u
    )
    assert.deepStrictEqual(await bodyOf(response), { data: { login: "jo", method: "link" } })
    const again = await here.send("/api/session/link", { body: { token } })
    assert.deepStrictEqual(await codeOf(again), [401, "sign_in_refused"])
    assert.isNull(again.headers.get("set-cookie"))
  })

  it("the cookie is bound to the host and to https", async () => {
    const secure = world({ isSecure: true })
    await secure.run((await secure.operators).add({ login: "jo", displayName: "Jo", grants: everywhere("viewer") }))
    const response = await secure.send("/api/session/link", { body: { token: await secure.linkOf("jo") } })
    assert.match(
      response.headers.get("set-cookie") ?? "",
      /^__Host-pointsman_console=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/u
    )
    const cookie = cookieOf(response)
    assert.strictEqual((await secure.send("/api/me", { cookie })).status, 200)
    // The name that another host of the domain could set.
    assert.strictEqual((await secure.send("/api/me", { cookie: cookie.replace("__Host-", "") })).status, 401)
    await secure.close()
  })

  it("a copy of a signed-out session's cookie is refused; everywhere ends all", async () => {
    const first = await here.signIn("jo", everywhere("viewer"))
    const second = await here.signInAgain("jo")
    const out = await here.send("/api/session", { method: "DELETE", cookie: first })
    assert.strictEqual(out.status, 204)
    assert.strictEqual(
      out.headers.get("set-cookie"),
      "pointsman_console=; Max-Age=0; Path=/console; HttpOnly; SameSite=Lax"
    )
    assert.strictEqual((await here.send("/api/me", { cookie: first })).status, 401)
    const third = await here.signInAgain("jo")
    assert.strictEqual((await here.send("/api/sessions", { method: "DELETE", cookie: third })).status, 204)
    for (const cookie of [second, third]) assert.strictEqual((await here.send("/api/me", { cookie })).status, 401)
  })

  it("a sign-in gives another token than a cookie that was set before", async () => {
    const planted = `pointsman_console=${"A".repeat(43)}`
    await here.run((await here.operators).add({ login: "jo", displayName: "Jo", grants: everywhere("viewer") }))
    const body = { token: await here.linkOf("jo") }
    const cookie = cookieOf(await here.send("/api/session/link", { body, cookie: planted }))
    assert.notStrictEqual(cookie, planted)
    assert.strictEqual((await here.send("/api/me", { cookie: planted })).status, 401)
    assert.strictEqual((await here.send("/api/me", { cookie })).status, 200)
    // One that is sent twice may be somebody else's.
    assert.strictEqual((await here.send("/api/me", { cookie: `${planted}; ${cookie}` })).status, 401)
    // A session that is replaced ends.
    await here.send("/api/session/link", { body: { token: await here.linkOf("jo") }, cookie })
    assert.strictEqual((await here.send("/api/me", { cookie })).status, 401)
  })

  it("a password signs in once set, and guesses are refused and slowed down", async () => {
    const cookie = await here.signIn("jo", everywhere("viewer"))
    const short = await here.send("/api/password", { method: "PUT", cookie, body: { password: "short" } })
    assert.strictEqual(short.status, 422)
    assert.strictEqual((await bodyOf(short)).error.message, "`password` must be 12 to 256 characters.")
    const set = await here.send("/api/password", { method: "PUT", cookie, body: { password } })
    assert.strictEqual(set.status, 200)
    assert.strictEqual((await here.send("/api/me", { cookie })).status, 401)
    assert.strictEqual((await here.send("/api/me", { cookie: cookieOf(set) })).status, 200)
    const signed = await here.send("/api/session", { body: { login: "JO", password } })
    assert.deepStrictEqual(await bodyOf(signed), { data: { login: "jo", method: "password" } })
    const guess = (login: string) => here.send("/api/session", { body: { login, password: "a wrong password" } })
    for (const login of ["nobody", "jo"])
      assert.deepStrictEqual(await codeOf(await guess(login)), [401, "sign_in_refused"])
    for (let count = 0; count < 9; count++) await guess("jo")
    const slowed = await guess("jo")
    assert.match(slowed.headers.get("retry-after") ?? "", /^\d+$/u)
    assert.deepStrictEqual(await codeOf(slowed), [429, "too_many_sign_ins"])
    assert.notInclude(here.log.join("\n"), password)
    assert.notInclude(here.log.join("\n"), "a wrong password")
  })
})

describe("requests of other sites", () => {
  it("a browser that names no site is judged by its origin", async () => {
    const cookie = await here.signIn("jo", everywhere("admin"))
    const init = { method: "DELETE", headers: { cookie, origin } }
    assert.strictEqual((await here.handler(new Request(`${origin}${mount}/api/session`, init))).status, 204)
  })

  it("no answer may be framed, kept, sniffed, or load anything of others", async () => {
    const cookie = await here.signIn("jo", everywhere("viewer"))
    const forbidden = await here.send("/api/me", { method: "POST", headers: { "sec-fetch-site": "cross-site" } })
    for (const response of [
      await here.send("/api/me", { cookie }),
      await here.send("/api/me"),
      await here.send("/api/nowhere"),
      forbidden
    ]) {
      const { headers } = response
      assert.include(headers.get("content-security-policy") ?? "", "default-src 'none'; script-src 'self'")
      assert.include(headers.get("content-security-policy") ?? "", "frame-ancestors 'none'")
      assert.notInclude(headers.get("content-security-policy") ?? "", "unsafe")
      assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
      assert.strictEqual(headers.get("cache-control"), "no-store")
      assert.strictEqual(headers.get("referrer-policy"), "same-origin")
    }
  })
})

describe("payments", () => {
  it("payments are listed in successive pages, and each has all that is recorded", async () => {
    const cookie = await here.signIn("jo", everywhere("viewer"))
    const ids = []
    for (const method of ["automatic", "manual", "automatic"] as const)
      ids.push((await here.pay("acme", "sandbox", method)).id)
    const list = async (query: string) =>
      bodyOf(await here.send(`/api/workspaces/acme/sandbox/payments${query}`, { cookie }))
    const first = await list("?limit=2")
    assertFields(first.data, "id", ids[2], ids[1])
    assert.isTrue(first.has_more)
    const second = await list(`?limit=2&before=${first.next_cursor}`)
    assert.deepStrictEqual([second.data[0].id, second.has_more, second.next_cursor], [ids[0], false, null])
    assert.deepStrictEqual((await list("?status=authorized")).data[0].id, ids[1])

    const { data } = await bodyOf(await here.send(`/api/workspaces/acme/sandbox/payments/${ids[1]}`, { cookie }))
    assert.deepInclude(data.payment, { id: ids[1], status: "AUTHORIZED", amount: 1999, currency: "EUR" })
    assert.deepInclude(data.attempts[0], { number: 1, connection_id: "acme-sandbox", outcome: "Authorized" })
    assertFields(data.events, "type", "payment.created", "payment.authorized")
    assert.deepStrictEqual(data.routing.candidates, [
      { connection_id: "acme-sandbox", name: "The acme-sandbox acquirer", score: null }
    ])
  })

  it("bad fields are each named by 422, and nothing is sent to a provider", async () => {
    const cookie = await here.signIn("jo", everywhere("support"))
    const { id } = await here.pay("acme", "sandbox", "automatic")
    const refund = (
      body: unknown,
      headers: Readonly<Record<string, string>> = { "idempotency-key": "refund-once-1" }
    ) => here.send(`/api/workspaces/acme/sandbox/payments/${id}/refunds`, { cookie, body, headers })
    const messageOf = async (response: Response) => [response.status, (await bodyOf(response)).error.message]
    assert.deepStrictEqual(await messageOf(await refund({ amount: 1.5 })), [
      422,
      "`amount` must be an integer of at least 1, in the minor unit of the payment's currency."
    ])
    assert.deepStrictEqual(await messageOf(await refund({}, {})), [
      422,
      "`idempotency-key` must be 8 to 200 printable ASCII characters, in one header."
    ])
    const [status, said] = await messageOf(await refund({ reason: "card 4111 1111 1111 1111" }))
    assert.strictEqual(status, 422)
    assert.include(said, "`reason`")
    const list = await here.send("/api/workspaces/acme/sandbox/payments?limit=1000", { cookie })
    assert.deepStrictEqual(await messageOf(list), [422, "`limit` must be an integer from 1 to 100."])
    for (const list of ["payments", "payments/export.csv"]) {
      const searched = await here.send(`/api/workspaces/acme/sandbox/${list}?search=order-1`, { cookie })
      const [refused, expected] = await messageOf(searched)
      assert.strictEqual(refused, 422)
      assert.match(expected, /^`search` is not a parameter: expected `status`, /u)
    }
    const elsewhere = await here.send("/api/workspaces/acme/staging/payments", { cookie })
    assert.deepStrictEqual(await messageOf(elsewhere), [422, "`environment` must be sandbox or production."])
    const login = await here.send("/api/session", { body: { login: 7 } })
    assert.deepStrictEqual(await messageOf(login), [422, "`login` must be the text of a login."])
    const broken = await here.send("/api/session", { method: "POST", headers: { "content-type": "application/json" } })
    assert.deepStrictEqual(await codeOf(broken), [400, "invalid_json"])
    assert.lengthOf(here.provider.refunds, 0)
  })
})
