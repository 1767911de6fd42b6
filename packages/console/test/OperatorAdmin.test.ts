/** Operators: adding, changing, removing, and the links that are shown once. */
import { assert, beforeEach, describe, it } from "vitest"
import { errorOf, everywhere, leadsTo, pageOf } from "./support/Responses.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { bodyOf, mount, origin, type World } from "./support/World.ts"

const here = usedWorld()
let cookie: string
beforeEach(async () => {
  cookie = await here.signIn("ann", everywhere("admin"))
})

const api = "/api/operators"
const linkShape = /http:\/\/console\.test\/console(\/link\/[A-Za-z0-9_-]{43})/u
const ofAcme = (role: string) => [{ workspace_id: "acme", role }]

const idOf = async (login: string): Promise<string> =>
  (await bodyOf(await here.send(api, { cookie }))).data.find((one: { readonly login: string }) => one.login === login)
    ?.id

/** As a browser sends it, with the host that it asked for. */
const send: World["send"] = (path, sent = {}) =>
  here.send(path, { ...sent, headers: { host: new URL(origin).host, ...sent.headers } })

describe("the API of operators", () => {
  it("adding, changing, linking and removing an operator are answered and audited", async () => {
    const added = await bodyOf(await send(api, { cookie, body: { login: "jo", name: "Jo", roles: ofAcme("viewer") } }))
    const { created, id, ...view } = added.data
    assert.deepStrictEqual(view, {
      login: "jo",
      name: "Jo",
      active: true,
      roles: ofAcme("viewer"),
      has_password: false,
      version: 1,
      sessions: []
    })
    assert.isString(created)
    const link = (await bodyOf(await send(`${api}/${id}/link`, { cookie, method: "POST" }))).data
    const [, path = ""] = linkShape.exec(link.url) ?? []
    assert.strictEqual(leadsTo(await send(path, { method: "POST" })), "/day")
    const edit = { name: "Joan", roles: [...ofAcme("support"), { workspace_id: "globex", role: "viewer" }], version: 1 }
    for (let turn = 0; turn < 2; turn++) {
      const edited = await bodyOf(await send(`${api}/${id}`, { cookie, method: "PUT", body: edit }))
      assert.deepInclude(edited.data, { name: "Joan", roles: edit.roles, version: 2 })
      assert.lengthOf(edited.data.sessions, 1)
    }
    for (let turn = 0; turn < 2; turn++) {
      const removed = await bodyOf(await send(`${api}/${id}`, { cookie, method: "DELETE" }))
      assert.deepInclude(removed.data, { active: false, sessions: [] })
    }
    const actions = here.log.filter((line) => line.includes(id)).map((line) => /operator\.\w+/u.exec(line)?.[0])
    assert.deepStrictEqual(actions, [
      "operator.added",
      "operator.linked",
      "operator.signed_in",
      "operator.changed",
      "operator.removed"
    ])
    assert.notInclude(here.log.join("\n"), path.slice(-43))
    const listed = (await bodyOf(await send(api, { cookie }))).data
    assert.deepStrictEqual(
      listed.map(({ active, login, sessions }: Record<string, unknown>) => [login, active, (sessions as []).length]),
      [
        ["ann", true, 1],
        ["jo", false, 0]
      ]
    )
  })

  it("wrong fields, older versions, taken logins and the last admin are refused", async () => {
    await here.signIn("jo", [{ workspaceId: "acme", role: "viewer" }])
    const id = await idOf("jo")
    const add = (body: unknown) => send(api, { cookie, body })
    const edit = (body: unknown, of = id) => send(`${api}/${of}`, { cookie, method: "PUT", body })
    const whole = { login: "kim", name: "Kim", roles: ofAcme("viewer"), version: 1 }
    for (const [fields, field] of [
      [{ login: "k m" }, "login"],
      [{ name: " " }, "name"],
      [{ roles: [] }, "roles"],
      [{ roles: [...ofAcme("viewer"), ...ofAcme("admin")] }, "roles"],
      [{ roles: [{ workspace_id: "nowhere", role: "viewer" }] }, "roles"],
      [{ roles: [{ workspace_id: "acme", role: "owner" }] }, "roles"]
    ] as const) {
      for (const answer of field === "login" ? [add] : [add, edit]) {
        const [status, code, message] = await errorOf(await answer({ ...whole, ...fields }))
        assert.deepStrictEqual([status, code], [422, "validation_error"])
        assert.include(message, `\`${field}`)
      }
    }
    assert.strictEqual((await errorOf(await add({ ...whole, login: "JO" })))[1], "login_taken")
    assert.strictEqual((await errorOf(await edit({ ...whole, version: 7 })))[1], "operator_changed")
    const self = await idOf("ann")
    const demoted = { name: "ann", roles: ofAcme("admin"), version: 1 }
    assert.deepStrictEqual((await errorOf(await edit(demoted, self))).slice(0, 2), [409, "last_admin"])
    const removed = await send(`${api}/${self}`, { cookie, method: "DELETE" })
    assert.deepStrictEqual((await errorOf(removed)).slice(0, 2), [409, "last_admin"])
    for (const answer of [
      await edit(whole, "opr_none"),
      await send(`${api}/opr_none`, { cookie, method: "DELETE" }),
      await send(`${api}/opr_none/link`, { cookie, method: "POST" })
    ]) {
      assert.deepStrictEqual((await errorOf(answer)).slice(0, 2), [404, "not_found"])
    }
    await edit({ name: "Jo", roles: [{ workspace_id: null, role: "admin" }], version: 1 })
    assert.strictEqual((await edit(demoted, self)).status, 200)
    assert.strictEqual((await send(api, { cookie })).status, 403)
  })
})

describe("the pages of operators", () => {
  const fields = { login: "jo", name: "Jo <b>", workspace: "acme", role: "support" }

  it("a form sent twice shows the link once, which signs in once", async () => {
    assert.include(await pageOf(await send("/operators/new", { cookie })), "All workspaces, also later ones")
    const added = await send("/operators/new", { cookie, form: fields })
    assert.strictEqual(added.headers.get("cache-control"), "no-store")
    const [, path = ""] = linkShape.exec(await pageOf(added)) ?? []
    const again = await pageOf(await send("/operators/new", { cookie, form: fields }), 409)
    assert.notMatch(again, linkShape)
    assert.include(again, "an operator has it already")
    assert.strictEqual(leadsTo(await send(path, { method: "POST" })), "/day")
    await pageOf(await send(path, { method: "POST" }), 401)
    const list = await pageOf(await send("/operators", { cookie }))
    assert.include(list, "Jo &lt;b&gt;")
    assert.include(list, "support (acme)")
    assert.notMatch(list, linkShape)
    const id = await idOf("jo")
    assert.match(await pageOf(await send(`/operators/${id}/link`, { cookie, method: "POST" })), linkShape)
    const one = await pageOf(await send(`/operators/${id}`, { cookie }))
    assert.include(one, "By link at")
  })

  it("roles changed on an operator's page are stored, and an older form is refused", async () => {
    await here.signIn("jo", [{ workspaceId: "acme", role: "support" }])
    const path = `/operators/${await idOf("jo")}`
    const form = (more: string) => new URLSearchParams(`version=1&name=Joan&workspace=acme&role=operations&${more}`)
    const post = (body: URLSearchParams) =>
      here.handler(
        new Request(`${origin}${mount}${path}`, {
          method: "POST",
          body,
          headers: { cookie, "sec-fetch-site": "same-origin" }
        })
      )
    const both = form("workspace=globex&role=viewer")
    for (let turn = 0; turn < 2; turn++) assert.strictEqual(leadsTo(await post(both)), `${path}?notice=saved`)
    const shown = await pageOf(await send(`${path}?notice=saved`, { cookie }))
    assert.include(shown, "Saved.")
    assert.include(shown, `<option value="operations" selected>`)
    assert.include(shown, "The globex &lt;shop&gt;")
    assert.include(await pageOf(await post(form("workspace=&role=viewer")), 409), "changed meanwhile")
    const none = new URLSearchParams("version=2&name=Joan&workspace=acme&role=&workspace=&role=viewer")
    assert.include(await pageOf(await post(none), 422), "`roles` must be")
    assert.include(
      await pageOf(await post(new URLSearchParams("version=2&name=&workspace=acme&role=viewer")), 422),
      "`name`"
    )
  })

  it("removing an operator on its page ends its session, and the last admin stays", async () => {
    const theirs = await here.signIn("jo", everywhere("viewer"))
    const path = `/operators/${await idOf("jo")}`
    assert.include(await pageOf(await send(`${path}/remove`, { cookie })), "signed out everywhere")
    for (let turn = 0; turn < 2; turn++) {
      const sent = await send(`${path}/remove`, { cookie, method: "POST" })
      assert.strictEqual(leadsTo(sent), "/operators?notice=removed")
    }
    assert.strictEqual((await send("/api/me", { cookie: theirs })).status, 401)
    assert.notInclude(await pageOf(await send("/operators", { cookie })), path)
    assert.include(await pageOf(await send("/operators?removed=yes", { cookie })), path)
    assert.include(await pageOf(await send(path, { cookie })), "Removed")
    await pageOf(await send(`${path}/link`, { cookie, method: "POST" }), 404)
    const self = `/operators/${await idOf("ann")}`
    assert.include(await pageOf(await send(`${self}/remove`, { cookie, method: "POST" }), 409), "the only operator")
    const form = { version: "1", name: "ann", workspace: "*", role: "viewer" }
    assert.include(await pageOf(await send(self, { cookie, form }), 409), "the only operator")
    await pageOf(await send("/operators/opr_none", { cookie }), 404)
  })
})
