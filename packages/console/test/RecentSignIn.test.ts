/** What takes a recent sign-in: the pages ask for the password again and go on, the API refuses. */

import type { OperatorGrant } from "@pointsman/core"
import { assert, describe, it } from "vitest"
import { addPasskey, newAuthenticator, signInBy } from "./support/Authenticator.ts"
import { codeOf, dataOf, everywhere, hiddenIn, leadsTo, pageAt, pageOf } from "./support/Responses.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { bodyOf, cookieOf, origin, password } from "./support/World.ts"

const here = usedWorld({}, { clock: "test" })

const pass = (minutes: number) => here.pass(minutes * 60_000)

/** Signed in by a password. */
const signIn = async (login: string, grants: ReadonlyArray<OperatorGrant>) => {
  const cookie = await here.signIn(login, grants)
  return cookieOf(await here.send("/api/password", { method: "PUT", cookie, body: { password } }))
}

const keysAt = "/keys/acme/sandbox"
const refundsAt = (id: string) => `/payments/acme/sandbox/${id}/refund`

const keyForm = async (cookie: string) => {
  const { draft = "" } = hiddenIn(await pageAt(here, `${keysAt}/new`, cookie))
  return { draft, name: "shop <1>", scopes: "all" }
}

describe("a page whose sign-in is older", () => {
  it("a password creates a new key from the form that was sent, in a new session", async () => {
    const cookie = await signIn("root", everywhere("admin"))
    const form = await keyForm(cookie)
    await pass(10)
    const asked = await pageOf(await here.send(`${keysAt}/new`, { cookie, form }), 403)
    assert.include(asked, "This takes a sign-in within the last 10 minutes. Nothing was done yet.")
    assert.include(asked, 'action="/console/keys/acme/sandbox/new"')
    assert.include(asked, "Password of root")
    const held = hiddenIn(asked)
    assert.deepInclude(held, { draft: form.draft, name: "shop <1>", scopes: "all" })
    const again = { ...form, confirm_operator: held["confirm_operator"] ?? "" }
    const wrong = await here.send(`${keysAt}/new`, { cookie, form: { ...again, confirm_password: "wrong" } })
    const refused = await pageOf(wrong, 401)
    assert.include(refused, "The password is wrong. Nothing was done yet.")
    assert.deepInclude(hiddenIn(refused), { draft: form.draft })
    assert.isUndefined(hiddenIn(refused)["confirm_password"])
    const right = await here.send(`${keysAt}/new`, { cookie, form: { ...again, confirm_password: password } })
    assert.include(await pageOf(right), "Copy the key now.")
    const next = cookieOf(right)
    assert.match(await pageAt(here, keysAt, next), /shop &lt;1&gt;/u)
    assert.strictEqual(leadsTo(await here.send(keysAt, { cookie })), "/sign-in?next=%2Fkeys%2Facme%2Fsandbox")
    await pass(9)
    assert.include(
      await pageOf(await here.send(`${keysAt}/new`, { cookie: next, form: await keyForm(next) })),
      "Copy the key now."
    )
  })

  it("wrong passwords count toward the limit of sign-ins", async () => {
    const cookie = await signIn("root", everywhere("admin"))
    const form = { ...(await keyForm(cookie)), confirm_password: "wrong" }
    await pass(10)
    for (let count = 0; count < 10; count++) {
      assert.strictEqual((await here.send(`${keysAt}/new`, { cookie, form })).status, 401)
    }
    const limited = await here.send(`${keysAt}/new`, { cookie, form: { ...form, confirm_password: password } })
    assert.include(await pageOf(limited, 429), "Too many sign-ins were tried.")
    assert.strictEqual((await here.send("/api/session", { body: { login: "root", password } })).status, 429)
  })

  it("changes of operators, links and a passkey each ask, and reading does not", async () => {
    const cookie = await signIn("root", everywhere("admin"))
    await here.signIn("kim", everywhere("viewer"))
    const { id } = (await here.run((await here.operators).list)).find(({ login }) => login === "kim") ?? { id: "" }
    await pass(10)
    await pageAt(here, `/operators/${id}`, cookie)
    for (const [path, form] of [
      ["/operators/new", { login: "jo", name: "Jo", workspace: "*", role: "admin" }],
      [`/operators/${id}`, { version: "1", name: "Kim", workspace: "*", role: "admin" }],
      [`/operators/${id}/link`, {}],
      [`/operators/${id}/remove`, {}],
      ["/account/passkeys/some/remove", {}]
    ] as const) {
      assert.include(await pageOf(await here.send(path, { cookie, form }), 403), "Sign in again", path)
    }
    const all = await here.run((await here.operators).list)
    assert.deepStrictEqual(
      all.map(({ active, grants, login }) => [login, active, grants[0]?.role]),
      [
        ["root", true, "admin"],
        ["kim", true, "viewer"]
      ]
    )
  })

  it("a refund above its limit asks, and one below it does not", async () => {
    await here.reopen({ recentSignIn: { minutes: 5, refunds: { EUR: 1000 } } }, { clock: "test" })
    const cookie = await signIn("sam", everywhere("support"))
    const { id } = await here.pay("acme", "sandbox", "automatic")
    await pass(5)
    const small = { key: "a-key-of-the-first", amount: "10.00", reason: "" }
    assert.strictEqual(
      leadsTo(await here.send(refundsAt(id), { cookie, form: small })),
      `/payments/acme/sandbox/${id}?notice=refunded`
    )
    const more = { key: "a-key-of-the-second", amount: "0.01", reason: "late" }
    const asked = await pageOf(await here.send(refundsAt(id), { cookie, form: more }), 403)
    assert.include(asked, "within the last 5 minutes")
    assert.lengthOf(here.provider.refunds, 1)
    const form = { ...more, confirm_password: password }
    const sent = await here.send(refundsAt(id), { cookie, form })
    assert.strictEqual(leadsTo(sent), `/payments/acme/sandbox/${id}?notice=refunded`)
    assert.strictEqual(here.provider.refunds.at(-1)?.reason, "late")
    await pageAt(here, `/payments/acme/sandbox/${id}`, cookieOf(sent))
  })

  it("a new sign-in in the browser suffices without a password, but not another's", async () => {
    const cookie = await here.signIn("root", everywhere("admin"))
    const form = await keyForm(cookie)
    await pass(10)
    const asked = await pageOf(await here.send(`${keysAt}/new`, { cookie, form }), 403)
    assert.include(asked, "Sign in by a new link in another tab")
    assert.notInclude(asked, "confirm_password")
    const again = { ...form, confirm_operator: hiddenIn(asked)["confirm_operator"] ?? "" }
    const other = await here.signIn("other", everywhere("admin"))
    assert.include(
      await pageOf(await here.send(`${keysAt}/new`, { cookie: other, form: again }), 403),
      "Another operator signed in"
    )
    const next = await here.signInAgain("root")
    assert.include(await pageOf(await here.send(`${keysAt}/new`, { cookie: next, form: again })), "Copy the key now.")
  })

  it("a role that takes a passkey is offered it, and its password not taken", async () => {
    await here.reopen({ requirePasskey: ["admin"] }, { clock: "test" })
    const viewer = await signIn("root", everywhere("viewer"))
    const passkey = newAuthenticator(origin)
    await dataOf(await addPasskey(here, viewer, passkey))
    await here.run(
      (await here.operators).edit({ login: "root", displayName: "root", grants: everywhere("admin"), version: null })
    )
    const cookie = await signInBy(here, passkey)
    const form = await keyForm(cookie)
    await pass(10)
    const asked = await pageOf(
      await here.send(`${keysAt}/new`, { cookie, form: { ...form, confirm_password: password } }),
      403
    )
    assert.notInclude(asked, "Password of root")
    assert.include(asked, 'data-then="confirm"')
    const again = { ...form, confirm_operator: hiddenIn(asked)["confirm_operator"] ?? "" }
    assert.include(
      await pageOf(await here.send(`${keysAt}/new`, { cookie: await signInBy(here, passkey), form: again })),
      "Copy the key now."
    )
  })
})

describe("the API", () => {
  it("an older sign-in refuses keys, operators, passkeys and approvals until a new one", async () => {
    const cookie = await signIn("root", everywhere("admin"))
    const at = "/api/workspaces/acme/sandbox"
    const { draft } = await dataOf(await here.send(`${at}/key-draft`, { cookie }))
    await pass(10)
    const key = { draft, scopes: null, name: "shop" }
    const roles = [{ workspace_id: null, role: "admin" }]
    for (const [method, path, body] of [
      ["POST", `${at}/keys`, key],
      ["POST", "/api/operators", { login: "jo", name: "Jo", roles }],
      ["PUT", "/api/operators/opr_1", { name: "Jo", roles, version: 1 }],
      ["DELETE", "/api/operators/opr_1", undefined],
      ["POST", "/api/operators/opr_1/link", undefined],
      ["DELETE", "/api/passkeys/some", undefined],
      ["POST", `${at}/reviews/some/corrections/cor_1/approve`, undefined]
    ] as const) {
      assert.deepStrictEqual(
        await codeOf(await here.send(path, { method, cookie, body })),
        [403, "sign_in_again"],
        path
      )
    }
    const next = cookieOf(await here.send("/api/session", { cookie, body: { login: "root", password } }))
    assert.strictEqual((await bodyOf(await here.send(`${at}/keys`, { cookie: next, body: key }))).data.name, "shop")
  })
})
