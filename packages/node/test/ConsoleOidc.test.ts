/** The console's sign-in by OpenID Connect, with settings that are plain values. */
import { inspect } from "node:util"
import type * as Configuration from "@pointsman/configuration"
import { assert, describe, it, onTestFinished } from "vitest"
import { client, startIssuer } from "../../console/test/support/Issuer.ts"
import type { ConsoleOidc, ConsoleOptions } from "../src/index.ts"
import { listening } from "./support/Listening.ts"
import { failureOf, open } from "./support/Shop.ts"
import { visitor } from "./support/Visitor.ts"

const mount = "/admin/desk"

const withIssuer = async (change: Partial<ConsoleOidc> = {}, options: Partial<ConsoleOptions> = {}) => {
  const issuer = await startIssuer()
  onTestFinished(issuer.close)
  const shop = await open()
  const oidc = { issuer: issuer.issuer, ...client, ...change }
  const desk = await shop.pointsman.console({ mount, oidc, ...options })
  return { ...shop, issuer, desk, url: await listening(desk.listener) }
}

/** From the sign-in page to the issuer and back, as a browser goes. */
const signIn = async (url: string, path = mount, browser = visitor()) => {
  const begun = await browser.get(`${url}${path}/sign-in/oidc?next=%2Fpayments%2Fshop%2Fsandbox`)
  assert.strictEqual(begun.status, 303, begun.text)
  const atIssuer = await fetch(begun.location ?? "", { redirect: "manual" })
  return {
    browser,
    asked: new URL(begun.location ?? ""),
    page: await browser.get(atIssuer.headers.get("location") ?? "")
  }
}

describe("sign-in by OpenID Connect", () => {
  it("a listener's and a handler's console know an operator of the issuer", async () => {
    const { desk, issuer, pointsman, url } = await withIssuer({ name: "Example", scopes: ["email"] })
    await pointsman.operators.add({ login: "jo@example.com", name: "Jo", role: "viewer" })
    assert.include((await visitor().get(`${url}${mount}/sign-in`)).text, "Sign in with Example")
    const byHandler = visitor((address, init) => desk.handler(new Request(address, init)))
    for (const [at, browser] of [[url, visitor()] as const, ["http://shop.example", byHandler] as const]) {
      const { asked, page } = await signIn(at, mount, browser)
      assert.strictEqual(asked.origin, issuer.issuer)
      assert.deepStrictEqual(
        ["redirect_uri", "client_id", "scope", "code_challenge_method"].map((name) => asked.searchParams.get(name)),
        [`${at}${mount}/sign-in/oidc/callback`, client.clientId, "openid email", "S256"]
      )
      assert.deepStrictEqual([page.status, page.location], [303, `${mount}/payments/shop/sandbox`])
      assert.include((await browser.get(`${at}${mount}/payments/shop/sandbox`)).text, ">Jo</a>")
    }
  })

  it("the issuer leads back below a base path", async () => {
    const { desk } = await withIssuer({}, { mount: "/desk", basePath: "/shop" })
    const browser = visitor((address, init) => desk.handler(new Request(address, init)))
    const { location } = await browser.get("http://shop.example/desk/sign-in/oidc")
    assert.strictEqual(
      new URL(location ?? "").searchParams.get("redirect_uri"),
      "http://shop.example/shop/desk/sign-in/oidc/callback"
    )
  })

  it("a person with roles in a claim is an operator with these", async () => {
    const roles = { payments: { workspace: "shop", role: "support" } } as const
    const { issuer, pointsman, url } = await withIssuer({ rolesClaim: "groups", roles })
    assert.strictEqual((await signIn(url)).page.status, 403)
    assert.deepStrictEqual(await pointsman.operators.list(), [])
    issuer.settings.claims = { ...issuer.settings.claims, groups: ["payments"] }
    assert.strictEqual((await signIn(url)).page.status, 303)
    const [operator] = await pointsman.operators.list()
    assert.deepInclude(operator, { login: "jo@example.com", roles: [{ role: "support", workspace_id: "shop" }] })
  })

  it("a sign-in page without oidc does not offer it, and its path is not found", async () => {
    const { pointsman } = await open()
    const url = await listening((await pointsman.console({ mount })).listener)
    const browser = visitor()
    assert.notInclude((await browser.get(`${url}${mount}/sign-in`)).text, "/sign-in/oidc")
    assert.strictEqual((await browser.get(`${url}${mount}/sign-in/oidc`)).status, 404)
  })
})

const secret = "a secret that no error shows"
const good: ConsoleOidc = { issuer: "https://login.example.com", clientId: "console", clientSecret: secret }

describe("settings", () => {
  it.each([
    ["text", [/`oidc`: expected object/u]],
    [
      { ...good, issuer: "http://login.example.com" },
      [/`oidc\.issuer`: expected an https URL, or http on this machine/u]
    ],
    [{ ...good, issuer: undefined }, [/`oidc\.issuer`: expected an https URL/u]],
    [{ ...good, clientSecret: "" }, [/`oidc\.clientSecret`: expected a non-empty secret/u]],
    [{ ...good, clientSecret: [secret] }, [/`oidc\.clientSecret`: expected a non-empty secret/u]],
    [{ ...good, clientSecret: { $env: "SECRET" } }, [/`oidc\.clientSecret`: expected a non-empty secret/u]],
    [
      { issuer: good.issuer, clientID: secret },
      [/`oidc\.clientId`: required field is missing/u, /`oidc\.clientID`: unknown field; expected one of issuer, /u]
    ],
    [{ ...good, scopes: ["openid email"] }, [/`oidc\.scopes\[0\]`: expected a scope without spaces/u]],
    [{ ...good, scopes: [] }, [/`oidc\.scopes`: expected a list with at least one entry/u]],
    [{ ...good, rolesClaim: "groups" }, [/`oidc\.roles`: expected `rolesClaim` and `roles` together, or neither/u]],
    [{ ...good, roles: {} }, [/`oidc\.roles`: expected `rolesClaim` and `roles` together, or neither/u]],
    [
      { ...good, rolesClaim: "groups", roles: { a: { role: "owner" } } },
      [/`oidc\.roles\.a\.role`: expected "viewer" or/u]
    ],
    [
      { ...good, rolesClaim: "groups", roles: { a: { workspace: "castle", role: "viewer" } } },
      [/`oidc\.roles\.a\.workspace`: expected the id of a configured workspace/u]
    ],
    // A role in all workspaces must not come from a variable that is not set.
    [
      { ...good, rolesClaim: "groups", roles: { a: { workspace: undefined, role: "admin" } } },
      [/`oidc\.roles\.a\.workspace`: expected/u]
    ]
  ])("oidc %# is refused, and the error names the field and not the secret", async (oidc, messages) => {
    const { lines, pointsman } = await open()
    const failure = await failureOf(pointsman.console({ mount, oidc: oidc as ConsoleOidc }))
    assert.deepInclude(failure, { code: "validation_error" })
    for (const message of messages) assert.match(String(failure), message)
    assert.notInclude(inspect([failure, lines], { depth: 9 }), secret)
  })

  it("the configuration file's `console.oidc` has the same fields as these settings", () => {
    type Names<A> = { readonly [Name in keyof A]-?: true }
    type OidcFile = NonNullable<Configuration.ConsoleFile["oidc"]>
    const names = (oidc: Names<ConsoleOidc>): Names<OidcFile> => oidc
    const back = (oidc: Names<OidcFile>): Names<ConsoleOidc> => oidc
    for (const check of [names, back]) assert.isFunction(check)
  })
})
