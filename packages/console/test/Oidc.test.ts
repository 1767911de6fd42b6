/** Signing in by OpenID Connect, with an issuer that is asked over HTTP. */
import { generateKeyPairSync } from "node:crypto"
import type { ConsoleOptions, OidcOptions } from "@pointsman/console"
import { Redacted } from "effect"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { client, type Issuer, startIssuer } from "./support/Issuer.ts"
import { everywhere } from "./support/Responses.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { bodyOf, cookieOf, mount, origin } from "./support/World.ts"

let issuer: Issuer
const here = usedWorld()
const open = (options: Partial<OidcOptions> = {}, more: Partial<ConsoleOptions> = {}) => {
  const oidc = { issuer: issuer.issuer, ...client, clientSecret: Redacted.make(client.clientSecret), ...options }
  return here.reopen({ oidc, ...more })
}
beforeEach(async () => {
  issuer = await startIssuer()
  await open()
})
afterEach(() => issuer.close())

const add = async (login: string, grants = everywhere("viewer")) =>
  here.run((await here.operators).add({ login, displayName: login, grants }))

interface Begun {
  readonly cookie: string
  readonly asked: URLSearchParams
}
const begin = async (path = "/sign-in/oidc"): Promise<Begun> => {
  const response = await here.send(path)
  assert.strictEqual(response.status, 303)
  return { cookie: cookieOf(response), asked: new URL(response.headers.get("location") ?? "").searchParams }
}
/** The browser comes back from the issuer. */
const finish = (callback: string, cookie?: string) =>
  here.send(callback.replace(`${origin}${mount}`, ""), { cookie, headers: { "sec-fetch-site": "cross-site" } })

const signIn = async (): Promise<Response> => {
  const { asked, cookie } = await begin()
  return finish(issuer.authorize(asked), cookie)
}
const refused = async (response: Response, status: number, text: string) => {
  assert.strictEqual(response.status, status)
  assert.isNull(response.headers.get("set-cookie"))
  const page = await response.text()
  assert.include(page, text)
  assert.include(page, 'action="/console/sign-in"')
}
const meOf = async (response: Response) => {
  assert.strictEqual(response.status, 303)
  return (await bodyOf(await here.send("/api/me", { cookie: cookieOf(response) }))).data
}
const auditTrail = async () => (await here.audited(/./u)).map(({ action, actor }) => `${actor} ${action}`)

describe("an act that takes a recent sign-in", () => {
  it("the page leads an issuer's operator there in another tab, to be asked again", async () => {
    // Nothing is recent in this world.
    await open({}, { recentSignIn: { minutes: 0 } })
    await add("jo@example.com", everywhere("admin"))
    const cookie = cookieOf(await signIn())
    const asked = await here.send("/operators/new", { cookie, form: { login: "kim", name: "Kim" } })
    assert.strictEqual(asked.status, 403)
    const page = await asked.text()
    assert.include(page, '<a href="/console/sign-in/oidc?again=yes" target="_blank">Sign in with single sign-on')
    assert.notInclude(page, "confirm_password")
    assert.strictEqual((await begin("/sign-in/oidc?again=yes")).asked.get("prompt"), "login")
    assert.isNull((await begin()).asked.get("prompt"))
  })
})

describe("an operator who exists", () => {
  it("a verified e-mail signs in with a session of its own, to what was asked for", async () => {
    await add("Jo@Example.com", everywhere("support"))
    const page = await (await here.send("/sign-in?next=/payments/acme/sandbox")).text()
    assert.include(page, "Sign in with single sign-on")
    assert.include(page, "/console/sign-in/oidc?next=%2Fpayments%2Facme%2Fsandbox")
    const { asked, cookie } = await begin("/sign-in/oidc?next=%2Fpayments%2Facme%2Fsandbox")
    assert.strictEqual(asked.get("redirect_uri"), `${origin}${mount}/sign-in/oidc/callback`)
    assert.strictEqual(asked.get("scope"), "openid email profile")
    assert.deepStrictEqual([asked.get("code_challenge_method"), asked.get("response_type")], ["S256", "code"])
    const response = await finish(issuer.authorize(asked), cookie)
    assert.strictEqual(response.headers.get("location"), `${mount}/payments/acme/sandbox`)
    assert.match(response.headers.get("set-cookie") ?? "", /^pointsman_console=.*HttpOnly; SameSite=Lax$/u)
    const { login, roles } = await meOf(response)
    assert.deepStrictEqual([login, roles], ["Jo@Example.com", [{ workspace_id: null, role: "support" }]])
    assert.include(await auditTrail(), "Jo@Example.com operator.signed_in")
    assert.include(here.log.join("\n"), String.raw`\"method\":\"oidc\"`)
  })

  it("the issuer's document is read once for several sign-ins", async () => {
    await add("jo@example.com")
    await signIn()
    await signIn()
    assert.strictEqual(issuer.requested.filter((path) => path.startsWith("/.well-known/")).length, 1)
  })

  it("a sign-in with a next page elsewhere leads to the start", async () => {
    await add("jo@example.com")
    const { asked, cookie } = await begin("/sign-in/oidc?next=https%3A%2F%2Fevil.test%2F")
    const response = await finish(issuer.authorize(asked), cookie)
    assert.strictEqual(response.headers.get("location"), `${mount}/day`)
  })
})

describe("what is refused", () => {
  beforeEach(() => add("jo@example.com"))

  it("a callback with no, another state's or another browser's cookie asks no issuer", async () => {
    const { asked, cookie } = await begin()
    const callback = issuer.authorize(asked)
    await refused(await finish(callback), 401, "began in another browser")
    await refused(await finish(callback, "pointsman_console_oidc=e30"), 401, "began in another browser")
    await refused(await finish(callback.replace(/state=[^&]+/u, "state=other"), cookie), 401, "is invalid")
    await refused(await finish(callback, (await begin()).cookie), 401, "is invalid")
    assert.notInclude(issuer.requested, "/token")
  })

  it("the second callback with one code is refused", async () => {
    const { asked, cookie } = await begin()
    const callback = issuer.authorize(asked)
    assert.strictEqual((await finish(callback, cookie)).status, 303)
    await refused(await finish(callback, cookie), 401, "is invalid")
  })

  it("the verifier of another browser's code is not right", async () => {
    const { asked } = await begin()
    const mine = await begin()
    const stolen = issuer.authorize(asked).replace(/state=[^&]+/u, `state=${mine.asked.get("state")}`)
    await refused(await finish(stolen, mine.cookie), 401, "is invalid")
  })

  const now = () => Math.floor(Date.now() / 1000)
  for (const [what, falsified] of [
    ["another nonce", () => ({ nonce: "other" })],
    ["no nonce", () => ({ nonce: undefined })],
    ["an end in the past", () => ({ exp: now() - 3_600 })],
    ["another audience", () => ({ aud: "other" })],
    ["another issuer", () => ({ iss: "https://evil.test" })]
  ] as const) {
    it(`a token with ${what} is refused, and the log has no token`, async () => {
      issuer.settings.falsified = falsified()
      await refused(await signIn(), 401, "is invalid")
      assert.include(here.log.join("\n"), "OAUTH_")
      assert.notInclude(here.log.join("\n"), "eyJ")
    })
  }

  it("a token that another key signed is refused", async () => {
    issuer.settings.privateKey = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey
    await refused(await signIn(), 401, "is invalid")
  })

  it("another client secret is refused, and is on no page or line", async () => {
    await open({ clientSecret: Redacted.make("a wrong secret") })
    await add("jo@example.com")
    const response = await signIn()
    await refused(response, 401, "is invalid")
    assert.include(here.log.join("\n"), "invalid_client")
    assert.notInclude(here.log.join("\n"), "a wrong secret")
  })

  it("an e-mail that is not verified, or none, is refused", async () => {
    for (const email_verified of [false, undefined, "true"]) {
      issuer.settings.claims = { sub: "1", email: "jo@example.com", email_verified }
      await refused(await signIn(), 401, "not verified")
    }
    // The last one reads like the operator's, and is another address.
    for (const email of [undefined, "", 1, "\uff4ao@example.com"]) {
      issuer.settings.claims = { sub: "1", email, email_verified: true }
      await refused(await signIn(), 401, "did not say who you are")
    }
  })

  it("an unknown person, and an operator that was removed, are refused", async () => {
    issuer.settings.claims = { sub: "1", email: "ann@example.com", email_verified: true }
    await refused(await signIn(), 403, "may not use this console")
    issuer.settings.claims = { sub: "1", email: "jo@example.com", email_verified: true }
    await here.run((await here.operators).remove("jo@example.com"))
    await refused(await signIn(), 403, "may not use this console")
  })

  it("the page says that the person cancelled, without what the issuer wrote", async () => {
    const { asked, cookie } = await begin()
    const callback = `/sign-in/oidc/callback?state=${asked.get("state")}&error=access_denied&error_description=<b>no</b>`
    const response = await finish(callback, cookie)
    await refused(response, 401, "it was cancelled there")
    const other = await finish(callback.replace("access_denied", "%0Aforged"), cookie)
    await refused(other, 401, "is invalid")
    assert.notInclude(here.log.join("\n"), "forged")
  })

  it("the page says that the issuer is down, before and after", async () => {
    const { asked, cookie } = await begin()
    issuer.settings.isDown = true
    await refused(await finish(issuer.authorize(asked), cookie), 502, "could not be reached")
    await open()
    await refused(await here.send("/sign-in/oidc"), 502, "could not be reached")
    issuer.close()
    await open()
    await refused(await here.send("/sign-in/oidc"), 502, "could not be reached")
  })

  it("the issuer's pages do not exist in a console without one", async () => {
    await here.reopen()
    for (const path of ["/sign-in/oidc", "/sign-in/oidc/callback?code=x&state=y"]) {
      assert.strictEqual((await here.send(path)).status, 404)
    }
    assert.notInclude(await (await here.send("/sign-in")).text(), "/sign-in/oidc")
  })
})

describe("roles by a claim", () => {
  const roles = {
    payments: { workspace: "acme", role: "viewer" },
    refunds: { workspace: "acme", role: "support" },
    admins: { role: "admin" }
  } as const
  const person = (groups: unknown) => ({
    sub: "1",
    email: "ann@example.com",
    email_verified: true,
    name: "Ann",
    groups
  })
  beforeEach(() => open({ rolesClaim: "groups", roles, name: "Example <ID>", scopes: ["email", "groups"] }))

  it("an unknown person with mapped groups is added with the greatest role of each", async () => {
    assert.include(await (await here.send("/sign-in")).text(), "Sign in with Example &lt;ID&gt;")
    issuer.settings.claims = person(["refunds", "payments", "other", 7])
    const { login, name, roles } = await meOf(await signIn())
    assert.deepStrictEqual([login, name], ["ann@example.com", "Ann"])
    assert.deepStrictEqual(roles, [{ workspace_id: "acme", role: "support" }])
    assert.deepStrictEqual(await auditTrail(), [
      `${issuer.issuer} operator.added`,
      "ann@example.com operator.signed_in"
    ])
  })

  it("a person without a mapped group is refused, operator or not", async () => {
    for (const groups of [undefined, [], ["other"], "__proto__", { payments: true }]) {
      issuer.settings.claims = person(groups)
      await refused(await signIn(), 403, "may not use this console")
    }
    await add("ann@example.com", everywhere("admin"))
    await refused(await signIn(), 403, "may not use this console")
  })

  it("claims that demote the last admin are refused, and the log says why", async () => {
    issuer.settings.claims = person("admins")
    await signIn()
    issuer.settings.claims = person("payments")
    await refused(await signIn(), 403, "may not use this console")
    assert.include(here.log.join("\n"), "from the last operator who has it")
  })

  it("mapped groups do not add a removed operator again", async () => {
    issuer.settings.claims = person("admins")
    const session = await signIn()
    await add("the-other-admin@example.com", everywhere("admin"))
    await here.run((await here.operators).remove("ann@example.com"))
    assert.strictEqual((await here.send("/api/me", { cookie: cookieOf(session) })).status, 401)
    await refused(await signIn(), 403, "may not use this console")
  })

  it("a role in an unknown workspace is refused, and the log says why", async () => {
    await open({ rolesClaim: "groups", roles: { payments: { workspace: "nowhere", role: "viewer" } } })
    issuer.settings.claims = person("payments")
    await refused(await signIn(), 403, "may not use this console")
    assert.include(here.log.join("\n"), "ids of workspaces of this installation")
  })

  it("another claim for the login counts as it is, without a verified e-mail", async () => {
    await open({ loginClaim: "upn" })
    await add("ann@corp")
    issuer.settings.claims = { sub: "1", upn: "ann@corp" }
    assert.strictEqual((await meOf(await signIn())).login, "ann@corp")
  })
})
