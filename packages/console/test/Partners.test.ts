/** Partners with their merchants, invitations, and usage. */
import { assert, beforeEach, describe, it } from "vitest"
import { addPartner } from "./support/Partner.ts"
import { errorOf, everywhere, pageAt, pageOf } from "./support/Responses.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { bodyOf } from "./support/World.ts"

const here = usedWorld()
let cookie: string
let merchant: string
beforeEach(async () => {
  cookie = await here.signIn("ann", everywhere("admin"))
  merchant = await addPartner(here)
  await here.pay("acme", "production", "automatic")
  await here.pay("acme", "sandbox", "automatic")
})

const api = "/api/partners"

describe("the API of partners", () => {
  it("a partner is listed with its merchants and the payments of the period", async () => {
    const { data } = await bodyOf(await here.send(api, { cookie }))
    const [{ usage, ...partner }] = data
    assert.lengthOf(data, 1)
    assert.deepStrictEqual(partner, { workspace_id: "acme", name: "The acme <shop>", allowance: 12, merchants: 1 })
    assert.deepInclude(usage, { workspace_id: "acme", payments: 1 })
    assert.match(usage.from, /-01T00:00:00\.000Z$/u)
    const page = await bodyOf(await here.send(`${api}/acme/merchants`, { cookie }))
    assert.deepInclude(page, { has_more: false, next_cursor: null })
    assert.deepInclude(page.data[0], {
      id: merchant,
      name: "Bakery <1>",
      email: "owner@bakery.test",
      status: "invited"
    })
    assert.deepInclude(page.data[0].usage, { workspace_id: merchant, payments: 0 })
    const before = await bodyOf(await here.send(`${api}?from=2020-01-01&until=2020-02-01T00:00:00Z`, { cookie }))
    assert.deepInclude(before.data[0].usage, { from: "2020-01-01T00:00:00.000Z", payments: 0 })
    const own = await bodyOf(await here.send("/api/workspaces/acme/usage", { cookie }))
    assert.strictEqual(own.data.payments, 1)
    assert.strictEqual((await bodyOf(await here.send("/api/workspaces/globex/usage", { cookie }))).data.payments, 0)
  })

  it("wrong periods and unknown partners, merchants and workspaces are refused", async () => {
    for (const period of ["from=soon", "until=2026-02-30", "from=2026-02-01&until=2026-01-01"]) {
      for (const path of [api, `${api}/acme/merchants`, "/api/workspaces/acme/usage"]) {
        const [status, code, message] = await errorOf(await here.send(`${path}?${period}`, { cookie }))
        assert.deepStrictEqual([status, code], [422, "validation_error"])
        assert.include(message, `\`${period.split("=")[0]}\``)
      }
    }
    for (const path of [`${api}/globex/merchants`, "/api/workspaces/nowhere/usage"]) {
      assert.strictEqual((await here.send(path, { cookie })).status, 404)
    }
    for (const path of [`${api}/globex/merchants/${merchant}`, `${api}/acme/merchants/mer_none`]) {
      assert.strictEqual((await here.send(`${path}/invitation`, { cookie, method: "POST" })).status, 404)
    }
  })

  it("a merchant invited again has its token answered once and audited without it", async () => {
    const response = await here.send(`${api}/acme/merchants/${merchant}/invitation`, { cookie, method: "POST" })
    assert.strictEqual(response.headers.get("cache-control"), "no-store")
    const { invitation_token, ...invitation } = (await bodyOf(response)).data
    assert.deepStrictEqual(invitation, { merchant_id: merchant, email: "owner@bakery.test" })
    assert.match(invitation_token, /^[A-Za-z0-9_-]{43}$/u)
    const entry = here.log.find((line) => line.includes("merchant.inviting")) ?? ""
    assert.include(entry, `"actor":"ann"`)
    assert.notInclude(here.log.join("\n"), invitation_token)
  })
})

describe("the pages of partners", () => {
  it("partners and merchants are shown with payments of the address's period", async () => {
    const list = await pageAt(here, "/partners", cookie)
    assert.include(list, "The acme &lt;shop&gt;")
    assert.include(list, `<td class="number">12</td><td class="number">1</td>`)
    for (const path of ["/partners", "/partners/acme"]) {
      const wrong = await pageAt(here, `${path}?from=2026-02-01&until=2026-01-01`, cookie, 422)
      assert.include(wrong, "`from` must be a time before the end of the period")
      assert.include(wrong, 'value="2026-02-01"')
      assert.notInclude(wrong, "<table")
    }
    const counted = await pageAt(here, "/partners?workspace=globex&from=2020-01-01", cookie)
    assert.include(counted, "<strong>globex</strong>: 0 payments")
    assert.include(counted, "/partners/acme?from=2020-01-01")
    const one = await pageAt(here, "/partners/acme", cookie)
    assert.include(one, "Bakery &lt;1&gt;")
    assert.include(one, "owner@bakery.test")
    await pageAt(here, "/partners/globex", cookie, 404)
    await pageAt(here, "/partners?workspace=nowhere", cookie, 404)
    assert.include(await pageAt(here, "/partners?from=soon", cookie, 422), "`from` must be")
  })

  it("the answer shows the token when a merchant is invited again on its page", async () => {
    const path = `/partners/acme/${merchant}/invite`
    assert.include(await pageAt(here, path, cookie), "The token before becomes invalid.")
    const sent = await pageOf(await here.send(path, { cookie, method: "POST" }))
    assert.match(sent, /<code class="secret">[A-Za-z0-9_-]{43}<\/code>/u)
    await pageOf(await here.send("/partners/acme/mer_none/invite", { cookie, method: "POST" }), 404)
  })
})
