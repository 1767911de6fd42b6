/** The audit trail: who sees which entries, and how they are found. */
import { assert, beforeEach, describe, it } from "vitest"
import { errorOf, everywhere, leadsTo, pageAt, pageOf } from "./support/Responses.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { bodyOf } from "./support/World.ts"

const here = usedWorld()
let ann: string
let ofAcme: string
beforeEach(async () => {
  ann = await here.signIn("ann", everywhere("admin"))
  ofAcme = await here.signIn("jo", [{ workspaceId: "acme", role: "admin" }])
  for (const workspace of ["acme", "globex"]) {
    const { id } = await here.pay(workspace, "sandbox", "manual")
    const headers = { "idempotency-key": `key-of-${workspace}` }
    const path = `/api/workspaces/${workspace}/sandbox/payments/${id}/void`
    await here.send(path, { method: "POST", cookie: ann, headers })
  }
})

interface Entry {
  readonly number: number
  readonly actor: string
  readonly via: string
  readonly action: string
  readonly details: { readonly workspace_id?: string }
}

const entriesAt = async (path: string, cookie = ann): Promise<ReadonlyArray<Entry>> =>
  (await bodyOf(await here.send(path, { cookie }))).data

describe("the API of the audit trail", () => {
  it("entries are found newest first, by page, actor, action and time", async () => {
    const all = await entriesAt("/api/audit")
    assert.deepStrictEqual(
      all.map(({ action, actor, via }) => [actor, via, action]),
      [
        ["ann", "console", "payment.voiding"],
        ["ann", "console", "payment.voiding"],
        ["jo", "console", "operator.signed_in"],
        ["library", "library", "operator.linked"],
        ["library", "library", "operator.added"],
        ["ann", "console", "operator.signed_in"],
        ["library", "library", "operator.linked"],
        ["library", "library", "operator.added"]
      ]
    )
    const first = await bodyOf(await here.send("/api/audit?limit=3", { cookie: ann }))
    assert.deepStrictEqual([first.data.length, first.has_more, first.next_cursor], [3, true, "6"])
    assert.deepStrictEqual(await entriesAt("/api/audit?limit=100&before=6"), all.slice(3))
    assert.deepStrictEqual(await entriesAt("/api/audit?actor=jo"), all.slice(2, 3))
    assert.lengthOf(await entriesAt("/api/audit?action=operator.linked"), 2)
    assert.lengthOf(await entriesAt("/api/audit?from=2020-01-01"), 8)
    assert.lengthOf(await entriesAt("/api/audit?until=2020-01-01T00:00:00Z"), 0)
    for (const field of ["from=soon", "until=2026-02-30", "action=nothing", "before=x", "limit=0"]) {
      const [status, code, message] = await errorOf(await here.send(`/api/audit?${field}`, { cookie: ann }))
      assert.deepStrictEqual([status, code], [422, "validation_error"])
      assert.include(message, `\`${field.split("=")[0]}\``)
    }
  })

  it("a role in one workspace gets only entries about it", async () => {
    for (const cookie of [ann, ofAcme]) {
      const entries = await entriesAt("/api/workspaces/acme/audit", cookie)
      assert.deepStrictEqual(
        entries.map(({ action, details }) => [action, details.workspace_id]),
        [["payment.voiding", "acme"]]
      )
    }
    for (const path of ["/api/audit", "/api/workspaces/globex/audit"]) {
      assert.strictEqual((await here.send(path, { cookie: ofAcme })).status, 403)
    }
  })
})

describe("the pages of the audit trail", () => {
  it("filters in the address count, and the pages follow one another", async () => {
    const text = await pageAt(here, "/audit", ann)
    for (const action of ["payment.voiding", "operator.signed_in"])
      assert.include(text, `<td class="word">${action}</td>`)
    assert.include(text, "&quot;workspace_id&quot;: &quot;acme&quot;")
    assert.include(text, "The acme &lt;shop&gt;")
    const found = await pageAt(here, "/audit?actor=jo&action=operator.signed_in&from=2020-01-01", ann)
    assert.notInclude(found, `<td class="word">payment.voiding</td>`)
    assert.include(found, `<td class="word">operator.signed_in</td>`)
    assert.include(found, `name="actor" value="jo"`)
    assert.include(await pageAt(here, "/audit?until=2020-01-01", ann), "No entries found.")
    assert.include(await pageAt(here, "/audit?from=soon", ann, 422), "`from` must be")
    for (let turn = 0; turn < 45; turn++) await here.linkOf("jo")
    const newest = await pageAt(here, "/audit?action=operator.linked&workspace=", ann)
    assert.notInclude(newest, "Older entries")
    const full = await pageAt(here, "/audit?actor=&action=", ann)
    const [, older = ""] = /href="\/console(\/audit\?[^"]+)">Older/u.exec(full) ?? []
    const last = await pageAt(here, older.replaceAll("&amp;", "&"), ann)
    assert.include(last, `<td class="word">operator.added</td>`)
    assert.notInclude(last, "Older entries")
  })

  it("an operator comes back to the trail after the sign-in", async () => {
    const asked = leadsTo(await here.send("/audit?actor=jo"))
    assert.include(await pageOf(await here.send(asked)), `name="next" value="/audit?actor=jo"`)
    for (const next of ["/auditor", "/audit@evil.test", "//audit"]) {
      assert.include(await pageOf(await here.send(`/sign-in?next=${next}`)), `name="next" value="/day"`)
    }
  })

  it("the area leads a role in one workspace only to its entries", async () => {
    assert.include(await pageAt(here, "/payments/acme/sandbox", ofAcme), ">Audit</a>")
    assert.strictEqual(leadsTo(await here.send("/audit?actor=ann", { cookie: ofAcme })), "/audit/acme?actor=ann")
    const text = await pageAt(here, "/audit/acme", ofAcme)
    assert.include(text, `<td class="word">payment.voiding</td>`)
    assert.notInclude(text, "globex")
    assert.notInclude(text, `<td class="word">operator.added</td>`)
    assert.strictEqual(leadsTo(await here.send("/audit?workspace=globex", { cookie: ofAcme })), "/audit/globex")
    await pageAt(here, "/audit/globex", ofAcme, 403)
    await pageAt(here, "/audit/nowhere", ann, 404)
    const viewer = await here.signIn("kim", everywhere("operations"))
    await pageAt(here, "/audit/acme", viewer, 403)
    const none = await pageAt(here, "/audit", viewer)
    assert.include(none, "in no workspace")
    assert.notInclude(none, "payment.voiding")
  })
})
