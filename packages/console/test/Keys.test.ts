/** API keys: what is listed, and that a key is created once, shown once and revoked for good. */
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { errorOf, everywhere, leadsTo, pageAt, pageOf } from "./support/Responses.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { bodyOf } from "./support/World.ts"

const here = usedWorld()

const api = "/api/workspaces/acme/production"
const at = "/keys/acme/production"
const shape = /ps_live_[0-9A-Za-z]{38}/u

const stored = async () => (await here.contents()).apiKeys
const works = (key: string) => here.ask(({ authenticate }) => Effect.isSuccess(authenticate(key)))

const configured = () =>
  here.write({
    apiKeys: [
      {
        hash: "c0ffee".padEnd(64, "0"),
        workspaceId: "acme",
        environment: "production",
        scopes: null,
        name: "from <the file>",
        expiresAt: null,
        networks: null,
        revokedAt: null,
        source: "configuration",
        createdAt: 0
      }
    ]
  })

const draftOf = async (cookie: string, path = api): Promise<string> =>
  (await bodyOf(await here.send(`${path}/key-draft`, { cookie }))).data.draft

describe("the API of keys", () => {
  it("a draft that is sent twice creates one key, shown once", async () => {
    const cookie = await here.signIn("ann", everywhere("admin"))
    const draft = await draftOf(cookie)
    assert.lengthOf(await stored(), 0)
    const expires = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
    const body = { draft, name: "shop", scopes: ["payments:read"], expires, networks: ["203.0.113.0/24"] }
    const created = await here.send(`${api}/keys`, { cookie, body })
    assert.strictEqual(created.headers.get("cache-control"), "no-store")
    const { key, ...view } = (await bodyOf(created)).data
    assert.match(key, shape)
    assert.deepInclude(view, {
      name: "shop",
      scopes: ["payments:read"],
      networks: ["203.0.113.0/24"],
      source: "operator",
      expires: `${expires}T00:00:00.000Z`,
      last_used: null,
      revoked: null
    })
    const [status, code, message] = await errorOf(await here.send(`${api}/keys`, { cookie, body }))
    assert.deepStrictEqual([status, code], [409, "key_created"])
    assert.include(message, view.id)
    assert.lengthOf(await stored(), 1)
    const listed = await bodyOf(await here.send(`${api}/keys`, { cookie }))
    assert.deepStrictEqual(listed.data, [view])
    assert.deepStrictEqual((await bodyOf(await here.send("/api/workspaces/acme/sandbox/keys", { cookie }))).data, [])
    const entry = here.log.find((line) => line.includes("key.created")) ?? ""
    assert.include(entry, `"actor":"ann"`)
    assert.notInclude(here.log.join("\n"), key)
  })

  it("wrong fields are each named, and no key is created", async () => {
    const cookie = await here.signIn("ann", everywhere("admin"))
    const draft = await draftOf(cookie)
    for (const [fields, field] of [
      [{ draft: "no draft" }, "draft"],
      [{ draft: await draftOf(cookie, "/api/workspaces/acme/sandbox") }, "draft"],
      [{ draft: await draftOf(cookie, "/api/workspaces/globex/production") }, "draft"],
      [{ scopes: [] }, "scopes"],
      [{ scopes: ["everything"] }, "scopes"],
      [{ name: " " }, "name"],
      [{ name: "x".repeat(121) }, "name"],
      [{ expires: "2020-01-31" }, "expires"],
      [{ expires: "2027-02-30" }, "expires"],
      [{ expires: "tomorrow" }, "expires"],
      [{ networks: [] }, "networks"],
      [{ networks: ["203.0.113.0/33"] }, "networks"]
    ] as const) {
      const sent = await here.send(`${api}/keys`, { cookie, body: { draft, scopes: null, ...fields } })
      const [status, code, message] = await errorOf(sent)
      assert.deepStrictEqual([status, code], [422, "validation_error"])
      assert.include(message, `\`${field}`)
    }
    assert.lengthOf(await stored(), 0)
    assert.deepStrictEqual(
      (await errorOf(await here.send("/api/workspaces/none/sandbox/key-draft", { cookie })))[0],
      404
    )
  })

  it("servers refuse revoked keys for good, and the file's keys stay", async () => {
    const cookie = await here.signIn("ann", everywhere("admin"))
    await configured()
    const body = { draft: await draftOf(cookie), scopes: null }
    const { id, key } = (await bodyOf(await here.send(`${api}/keys`, { cookie, body }))).data
    assert.isTrue(await works(key))
    const revoke = (path: string) => here.send(`${path}/revoke`, { cookie, method: "POST" })
    const first = await bodyOf(await revoke(`${api}/keys/${id}`))
    assert.isString(first.data.revoked)
    assert.deepStrictEqual(await bodyOf(await revoke(`${api}/keys/${id}`)), first)
    assert.isFalse(await works(key))
    assert.strictEqual((await errorOf(await revoke(`${api}/keys/c0ffee000000`)))[1], "key_in_configuration")
    assert.strictEqual((await errorOf(await revoke(`${api}/keys/nothing`)))[1], "not_found")
    // Of another workspace or environment.
    assert.strictEqual((await revoke(`/api/workspaces/globex/production/keys/${id}`)).status, 404)
    assert.strictEqual((await revoke(`/api/workspaces/acme/sandbox/keys/${id}`)).status, 404)
    assert.isNull((await stored()).find(({ source }) => source === "configuration")?.revokedAt)
  })
})

describe("the pages of keys", () => {
  it("a second answer to the form names the key and does not show it", async () => {
    const cookie = await here.signIn("ann", [{ workspaceId: "acme", role: "admin" }])
    assert.strictEqual(leadsTo(await here.send("/keys", { cookie })), "/keys/acme/sandbox")
    const form = await pageAt(here, `${at}/new`, cookie)
    const [, draft = ""] = /name="draft" value="([^"]+)"/u.exec(form) ?? []
    const fields = {
      draft: draft.replaceAll("&quot;", '"'),
      name: "shop <1>",
      scopes: "payments:read",
      expires: "",
      networks: ""
    }
    const created = await here.send(`${at}/new`, { cookie, form: fields })
    assert.strictEqual(created.headers.get("cache-control"), "no-store")
    const text = await pageOf(created)
    const [key = ""] = shape.exec(text) ?? []
    assert.isTrue(await works(key))
    const again = await pageOf(await here.send(`${at}/new`, { cookie, form: fields }), 409)
    assert.notMatch(again, shape)
    assert.include(again, "created the key")
    const list = await pageAt(here, at, cookie)
    assert.notMatch(list, shape)
    assert.include(list, "shop &lt;1&gt;")
    assert.lengthOf(await stored(), 1)
  })

  it("wrong fields are named by the form, which keeps its draft and what was typed", async () => {
    const cookie = await here.signIn("ann", everywhere("admin"))
    const draft = await draftOf(cookie)
    const whole = { draft, name: "shop", scopes: "all", expires: "", networks: "" }
    for (const [fields, field] of [
      [{ scopes: "" }, "scopes"],
      [{ expires: "2020-01-31" }, "expires"],
      [{ expires: "soon" }, "expires"],
      [{ networks: "203.0.113.0/24, here" }, "networks"]
    ] as const) {
      const text = await pageOf(await here.send(`${at}/new`, { cookie, form: { ...whole, ...fields } }), 422)
      assert.include(text, `\`${field}\` must be`)
      assert.include(text, 'value="shop"')
      assert.include(text, `name="draft" value="${draft.replaceAll('"', "&quot;")}"`)
    }
    assert.lengthOf(await stored(), 0)
    const created = await here.send(`${at}/new`, { cookie, form: { ...whole, networks: "203.0.113.7, 10.0.0.0/8" } })
    await pageOf(created)
    assert.deepInclude((await stored())[0], { scopes: null, networks: ["203.0.113.7", "10.0.0.0/8"] })
  })

  it("a key revoked on its page is hidden in the list until asked for", async () => {
    const cookie = await here.signIn("ann", everywhere("admin"))
    await configured()
    const body = { draft: await draftOf(cookie), scopes: null, name: "old shop" }
    const { id } = (await bodyOf(await here.send(`${api}/keys`, { cookie, body }))).data
    const list = await pageAt(here, at, cookie)
    assert.include(list, "from &lt;the file&gt;")
    assert.notInclude(list, `${at}/c0ffee000000/revoke`)
    assert.include(list, `${at}/${id}/revoke`)
    assert.include(await pageAt(here, `${at}/${id}/revoke`, cookie), "It cannot be undone.")
    for (let turn = 0; turn < 2; turn++) {
      const sent = await here.send(`${at}/${id}/revoke`, { cookie, method: "POST" })
      assert.strictEqual(leadsTo(sent), `${at}?notice=revoked`)
    }
    const after = await pageAt(here, `${at}?notice=revoked`, cookie)
    assert.include(after, "The key is revoked.")
    assert.notInclude(after, "old shop")
    assert.include(await pageAt(here, `${at}?revoked=yes`, cookie), "old shop")
    await pageOf(await here.send(`${at}/c0ffee000000/revoke`, { cookie, method: "POST" }), 409)
    await pageAt(here, `${at}/nothing/revoke`, cookie, 404)
  })
})
