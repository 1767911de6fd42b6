/** A role that takes a passkey: what a session can do that began without one. */
import type { OperatorGrant, OperatorRole } from "@pointsman/core"
import { Effect, Redacted } from "effect"
import { assert, describe, it } from "vitest"
import { addPasskey, newAuthenticator, signInBy } from "./support/Authenticator.ts"
import { codeOf, dataOf, errorOf, leadsTo, pageAt, pageOf } from "./support/Responses.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { bodyOf, cookieOf, origin, password } from "./support/World.ts"

const requirePasskey: ReadonlyArray<OperatorRole> = ["operations", "admin"]
/** A role counts in whichever workspace it is. */
const admin: ReadonlyArray<OperatorGrant> = [
  { workspaceId: "acme", role: "viewer" },
  { workspaceId: "globex", role: "admin" }
]
const viewer: ReadonlyArray<OperatorGrant> = [{ workspaceId: null, role: "viewer" }]

const here = usedWorld({ requirePasskey })

const signInByPassword = async (login: string) =>
  cookieOf(await here.send("/api/session", { body: { login, password } }))

/** With a password, which a role that takes a passkey could not set. */
const withPassword = async (login: string, grants: ReadonlyArray<OperatorGrant>) => {
  const cookie = await here.signIn(login, viewer)
  await dataOf(await here.send("/api/password", { method: "PUT", cookie, body: { password } }))
  await here.run((await here.operators).edit({ login, displayName: login, grants, version: null }))
}

const optionsFor = (cookie: string) => here.send("/api/passkeys/options", { method: "POST", cookie })
const add = (cookie: string, passkey = newAuthenticator(origin)) => addPasskey(here, cookie, passkey)

const expected = "Your role takes a passkey: sign in with one, or add one to your account first."

describe("a session without the passkey that a role takes", () => {
  for (const method of ["link", "password"] as const) {
    it(`a session by ${method} may only add a passkey and sign out at the API`, async () => {
      await withPassword("jo", admin)
      const cookie = await (method === "link" ? here.signInAgain("jo") : signInByPassword("jo"))
      const document = await bodyOf(await here.send("/api/openapi.json"))
      const answered: Array<string> = []
      for (const [path, methods] of Object.entries<Record<string, { operationId: string }>>(document.paths)) {
        for (const [verb, { operationId }] of Object.entries(methods)) {
          if (operationId.startsWith("entry.")) continue
          const place = path
            .replace("{workspace}", "globex")
            .replace("{environment}", "sandbox")
            .replaceAll(/\{\w+\}/gu, "01a1fe08-9226-7266-a33a-e3e7f1609a4e")
          const headers = { "idempotency-key": "a-key-of-nothing" }
          const response = await here.send(place, { method: verb.toUpperCase(), cookie, headers })
          if (response.status !== 403) answered.push(operationId)
          else assert.deepStrictEqual(await errorOf(response), [403, "passkey_required", expected])
        }
      }
      assert.sameMembers(answered, ["passkeys.passkeys", "passkeys.beginPasskey", "passkeys.addPasskey"])
      await dataOf(await add(cookie))
      assert.strictEqual((await here.send("/api/session", { method: "DELETE", cookie })).status, 204)
      assert.deepStrictEqual(await codeOf(await optionsFor(cookie)), [401, "not_signed_in"])
    })
  }

  it("a page is refused with a way to the account, which only adds a passkey", async () => {
    const cookie = await here.signIn("jo", admin)
    const { id } = await here.pay("globex", "sandbox", "automatic")
    const at = "globex/sandbox"
    for (const path of [
      "/",
      "/go",
      "/password",
      "/operators",
      "/partners",
      "/audit",
      "/audit/globex",
      "/payments"
    ].concat(
      [`/payments/${at}`, `/payments/${at}/${id}`, `/payments/${at}/export.csv`, `/payments/${at}/${id}/refund`],
      [`/live/${at}`, `/keys/${at}/new`, `/connections/${at}`, "/payments/acme/sandbox"]
    )) {
      const page = await pageAt(here, path, cookie, 403)
      assert.include(page, expected)
      assert.include(page, 'href="/console/account">Add a passkey<')
      assert.notInclude(page, 'href="/console/payments')
      assert.notInclude(page, 'href="/console/audit')
    }
    for (const path of ["/password", "/operators/new", `/payments/${at}/${id}/refund`, "/account/passkeys/x/remove"]) {
      const form = { password, key: "a-key-of-nothing", amount: "1.00", reason: "none" }
      assert.include(await pageOf(await here.send(path, { cookie, form }), 403), expected)
    }
    const account = await pageAt(here, "/account", cookie)
    assert.include(account, "Your role takes a passkey. Add one, then sign out, and in with it.")
    assert.include(account, 'data-add="/console/account?notice=added"')
    assert.notInclude(account, "/console/password")
    assert.strictEqual(leadsTo(await here.send("/sign-out", { method: "POST", cookie })), "/sign-in")
    assert.strictEqual(leadsTo(await here.send("/account", { cookie })), "/sign-in?next=%2Faccount")
  })

  it("another passkey after a password is added only by a link", async () => {
    await withPassword("jo", admin)
    const cookie = await signInByPassword("jo")
    const before = await dataOf(await optionsFor(cookie))
    const link = await here.signInAgain("jo")
    await dataOf(await add(link))
    const message = "Your role takes a passkey, and you have one: sign in with it. If you lost it, ask an administrator"
    const [status, code, text] = await errorOf(await optionsFor(cookie))
    assert.deepStrictEqual([status, code, text.startsWith(message)], [409, "passkey_refused", true])
    const late = await addPasskey(here, cookie, newAuthenticator(origin), "Laptop", before)
    assert.deepStrictEqual(await codeOf(late), [409, "passkey_refused"])
    const account = await pageAt(here, "/account", cookie)
    assert.include(account, message)
    assert.notInclude(account, "data-add")
    await dataOf(await add(link))
    assert.lengthOf(await dataOf(await here.send("/api/passkeys", { cookie })), 2)
  })
})

describe("a session that no rule limits", () => {
  it("a passkey or an issuer allows what the role allows", async () => {
    const passkey = newAuthenticator(origin)
    await dataOf(await add(await here.signIn("jo", admin), passkey))
    const identity = { issuer: "https://login.example.com", subject: "1", login: "jo", displayName: "Jo", grants: null }
    const { token } = await here.run((await here.operators).signInWithOidc(Effect.succeed(identity), "203.0.113.9"))
    for (const cookie of [await signInBy(here, passkey), `pointsman_console=${Redacted.value(token)}`]) {
      await dataOf(await here.send("/api/workspaces/globex/sandbox/keys", { cookie }))
      assert.include(await pageAt(here, "/payments/globex/sandbox", cookie), 'href="/console/keys/globex/sandbox"')
      assert.include(await pageAt(here, "/account", cookie), "/console/password")
    }
  })

  it("a password is enough for a role without passkeys, until another role", async () => {
    await withPassword("jo", [{ workspaceId: null, role: "support" }])
    const cookie = await signInByPassword("jo")
    const read = () => here.send("/api/me", { cookie })
    await dataOf(await read())
    const operators = await here.operators
    const edit = (grants: ReadonlyArray<OperatorGrant>) =>
      here.run(operators.edit({ login: "jo", displayName: "Jo", grants, version: null }))
    await edit(admin)
    assert.deepStrictEqual(await codeOf(await read()), [403, "passkey_required"])
    await edit(viewer)
    await dataOf(await read())
  })

  it("a stream ends within seconds once its operator gets such a role", async () => {
    await here.reopen({ requirePasskey }, { clock: "test" })
    const cookie = await here.signIn("jo", viewer)
    const reader = (await here.send("/live/globex/sandbox", { cookie })).body?.getReader()
    assert.isFalse((await reader?.read())?.done)
    await here.run((await here.operators).edit({ login: "jo", displayName: "Jo", grants: admin, version: null }))
    await here.pass("3 seconds")
    let isOpen = true
    while (isOpen) isOpen = (await reader?.read())?.done === false
  })
})
