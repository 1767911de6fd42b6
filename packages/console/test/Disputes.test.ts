/** Disputes on the pages: the list by deadline, evidence, submission and acceptance, and who may answer. */
import { Pointsman } from "@pointsman/core"
import { Unanswered } from "@pointsman/core/connector"
import { Effect } from "effect"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { stateDispute } from "./support/Reports.ts"
import { everywhere, leadsTo, pageAt, pageOf } from "./support/Responses.ts"
import { type World, world } from "./support/World.ts"

let here: World
beforeEach(() => {
  here = world()
})
afterEach(() => here.close())

const at = "/disputes/acme/sandbox"
const day = 86_400_000
const tenant = { workspaceId: "acme", environment: "sandbox" as const }

const disputed = async (disputeId = "du_1", dueBy: number | null = Date.now() + 10.5 * day) => {
  const { id, providerRef } = await here.pay("acme", "sandbox", "automatic")
  const due = dueBy === null ? {} : { dueBy }
  const dispute = await stateDispute(here.run, "acme-sandbox", tenant, { providerRef, disputeId, ...due })
  return { payment: id, dispute, path: `${at}/${dispute.id}` }
}

const keep = (path: string, cookie: string) =>
  here.send(`${path}/evidence`, { cookie, form: { product_description: "A chair.\r\nBlue.", customer_name: " " } })

/** The form as a browser has it: its key is in the address. */
const formOf = async (path: string, cookie: string) => {
  const address = leadsTo(await here.send(path, { cookie }))
  await pageAt(here, address, cookie)
  return { key: new URL(address, "http://console").searchParams.get("key") ?? "" }
}

describe("the list", () => {
  it("given open disputes, then the next deadline comes first, and those without one come last", async () => {
    const cookie = await here.signIn("jo", everywhere("viewer"))
    await disputed("du_<late>", Date.now() + 9.5 * day)
    await disputed("du_none", null)
    await disputed("du_soon", Date.now() + 2.5 * day)
    await disputed("du_passed", Date.now() - day)
    const text = await pageAt(here, at, cookie)
    const shown = [...text.matchAll(/<a href="\/console\/disputes\/acme\/sandbox\/dp_[^"]+">([^<]+)</gu)]
    assert.deepStrictEqual(
      shown.map(([, name]) => name),
      ["du_passed", "du_soon", "du_&lt;late&gt;", "du_none"]
    )
    for (const left of ["Deadline passed", "2 d left", "9 d left", "No deadline stated"]) assert.include(text, left)
    assert.include(await pageAt(here, `${at}?status=won`, cookie), "No disputes found.")
    assert.include(await pageAt(here, `${at}?status=needs_response`, cookie), "du_soon")
    assert.notInclude(await pageAt(here, "/disputes/acme/production", cookie), "du_soon")
  })
})

describe("one dispute", () => {
  it("given kept evidence, when it is submitted by a double click, then the provider gets it once", async () => {
    const cookie = await here.signIn("jo", everywhere("operations"))
    const { path, payment } = await disputed()
    assert.include(await pageAt(here, `/payments/acme/sandbox/${payment}`, cookie), `href="/console${path}"`)
    assert.notInclude(await pageAt(here, path, cookie), "Submit evidence…")
    const kept = await keep(path, cookie)
    assert.strictEqual(leadsTo(kept), `${path}?notice=kept`)
    const shown = await pageAt(here, `${path}?notice=kept`, cookie)
    assert.include(shown, "<code>product_description</code>")
    assert.notInclude(shown, "A chair.")
    assert.notInclude(shown, "<code>customer_name</code>")
    assert.include(await pageAt(here, `${path}/evidence`, cookie), "This takes the place of everything")
    const form = await formOf(`${path}/submit`, cookie)
    const both = await Promise.all([1, 2].map(() => here.send(`${path}/submit`, { cookie, form })))
    for (const response of both) assert.match(leadsTo(response), /notice=(?:done|in_progress)$/u)
    assert.deepStrictEqual(
      here.provider.submissions.map(({ disputeId, texts }) => [disputeId, texts]),
      [["du_1", { product_description: "A chair.\nBlue." }]]
    )
    const after = await pageAt(here, path, cookie)
    assert.include(after, "Done: the provider has it")
    for (const act of ["evidence", "submit", "accept"]) assert.notInclude(after, `href="/console${path}/${act}"`)
    const { items } = await here.run(Effect.flatMap(Pointsman, ({ auditEntries }) => auditEntries({ limit: 10 })))
    const entries = items.filter(({ action }) => action.startsWith("dispute."))
    assert.sameMembers(
      entries.map(({ action, actor }) => `${action} ${actor}`),
      ["dispute.keeping_evidence jo", "dispute.submitting jo", "dispute.submitting jo"]
    )
    assert.notInclude(JSON.stringify(entries), "A chair")
  })

  it("given a provider that does not respond, when evidence is submitted, then the page says that the result is unknown, and offers nothing", async () => {
    const cookie = await here.signIn("jo", everywhere("operations"))
    const { path } = await disputed()
    await keep(path, cookie)
    here.provider.onSubmitDispute = () => Effect.fail(new Unanswered({ reason: "timeout" }))
    const sent = await here.send(`${path}/submit`, { cookie, form: await formOf(`${path}/submit`, cookie) })
    assert.strictEqual(leadsTo(sent), `${path}?notice=unknown`)
    const text = await pageAt(here, `${path}?notice=unknown`, cookie)
    assert.include(text, "Do not send it again.")
    assert.include(text, "Unknown: the provider did not respond, and may have it")
    assert.notInclude(text, `href="/console${path}/accept"`)
    const again = await here.send(`${path}/accept`, { cookie, form: await formOf(`${path}/accept`, cookie) })
    assert.strictEqual(leadsTo(again), `${path}?notice=in_progress`)
    assert.strictEqual(here.provider.acceptances.length, 0)
  })

  it("given an acceptance, then the form names the amount, and the dispute is accepted", async () => {
    const cookie = await here.signIn("jo", everywhere("operations"))
    const { path } = await disputed()
    const form = await formOf(`${path}/accept`, cookie)
    assert.include(await pageAt(here, `${path}/accept?key=${form.key}`, cookie), "You give up €9.00, for good.")
    assert.strictEqual(leadsTo(await here.send(`${path}/accept`, { cookie, form })), `${path}?notice=done`)
    assert.include(await pageAt(here, path, cookie), "Accepted")
    // The same form again is the same request.
    assert.strictEqual(leadsTo(await here.send(`${path}/accept`, { cookie, form })), `${path}?notice=done`)
    assert.strictEqual(here.provider.acceptances.length, 1)
  })

  it("given a wrong form, then the page says what is wrong, keeps what was typed, and nothing is sent", async () => {
    const cookie = await here.signIn("jo", everywhere("operations"))
    const { path } = await disputed()
    const empty = await pageOf(await here.send(`${path}/evidence`, { cookie, form: { customer_name: " " } }), 422)
    assert.include(empty, "expected at least one text or file")
    const card = { uncategorized_text: "card <4242 4242 4242 4242>", customer_name: "Kim" }
    const refused = await pageOf(await here.send(`${path}/evidence`, { cookie, form: card }), 422)
    assert.include(refused, 'value="Kim"')
    const nothing = await here.send(`${path}/submit`, { cookie, form: await formOf(`${path}/submit`, cookie) })
    await pageOf(nothing, 422)
    await pageOf(await here.send(`${path}/submit`, { cookie, form: { key: "short" } }), 422)
    assert.strictEqual(here.provider.submissions.length, 0)
  })
})

describe("who may answer", () => {
  it("given another role, workspace or environment, then it is refused, and no button is shown", async () => {
    const { path } = await disputed()
    const support = await here.signIn("sam", everywhere("support"))
    const shown = await pageAt(here, path, support)
    assert.include(shown, "The provider waits for evidence.")
    const form = { key: "key-of-a-form", product_description: "x" }
    for (const act of ["evidence", "submit", "accept"]) {
      assert.notInclude(shown, `href="/console${path}/${act}"`)
      await pageAt(here, `${path}/${act}`, support, 403)
      await pageOf(await here.send(`${path}/${act}`, { cookie: support, form }), 403)
    }
    const stranger = await here.signIn("lee", [{ workspaceId: "globex", role: "admin" }])
    await pageAt(here, path, stranger, 403)
    const admin = await here.signIn("ann", everywhere("admin"))
    for (const elsewhere of ["acme/production", "globex/sandbox"]) {
      const other = path.replace("acme/sandbox", elsewhere)
      await pageAt(here, other, admin, 404)
      for (const act of ["evidence", "submit", "accept"]) {
        await pageOf(await here.send(`${other}/${act}`, { cookie: admin, form }), 404)
      }
    }
    assert.deepStrictEqual([here.provider.submissions.length, here.provider.acceptances.length], [0, 0])
  })
})
