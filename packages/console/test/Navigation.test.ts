/** From area to area: the links of the header, and from one record to another. */
import { assert, describe, it } from "vitest"
import { areas } from "../src/frame/Navigation.ts"
import { everywhere, keyedForm, leadsTo, pageAt, pageOf } from "./support/Responses.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { addEndpoint, deliver } from "./support/Webhooks.ts"
import { silence, workspaceOf } from "./support/World.ts"

const here = usedWorld()

const linkTo = (path: string) => `href="/console${path}"`

describe("areas", () => {
  it("the first page of each area has its name as title and current link for an admin", async () => {
    const cookie = await here.signIn("ann", everywhere("admin"))
    for (const [area, { isOfEnvironment, name }] of Object.entries(areas)) {
      const first = isOfEnvironment ? leadsTo(await here.send(`/${area}`, { cookie })) : `/${area}`
      const text = await pageAt(here, first, cookie)
      assert.include(text, `<h1>${name}</h1>`)
      const [header = ""] = /<header>.*<\/header>/su.exec(text) ?? []
      assert.deepStrictEqual(
        [...header.matchAll(/aria-current="page">([^<]+)</gu)].map(([, one]) => one),
        [name]
      )
    }
  })

  it("a viewer's link to an area without a role is not shown, and its page refused", async () => {
    const cookie = await here.signIn("ann", [{ workspaceId: "globex", role: "viewer" }])
    for (const [area, { access, isOfEnvironment, name }] of Object.entries(areas)) {
      const response = await here.send(`/${area}`, { cookie })
      if (access === "payment.read") {
        assert.strictEqual(leadsTo(response), `/${area}/globex/sandbox`)
      } else {
        const isSaid = isOfEnvironment || area === "audit"
        const text = await pageOf(response, isSaid ? 200 : 403)
        assert.include(text, isSaid ? "Your roles allow this in no workspace of this installation." : "Not allowed")
        assert.notInclude(text, `>${name}</a>`)
      }
    }
  })
})

describe("workspaces", () => {
  it("a page offers to type a workspace, and leads there, if a list cannot have all", async () => {
    const cookie = await here.signIn("ann", everywhere("admin"))
    const workspaces = Array.from({ length: 300 }, (_, number) => workspaceOf(`shop-${number}`))
    await here.write({ workspaces })
    const text = await pageAt(here, "/payments/acme/sandbox", cookie)
    assert.include(text, `name="to" aria-label="Id of a workspace, and environment" value="acme sandbox"`)
    assert.notInclude(text, "shop-299")
    const to = "/payments/shop-299/production"
    assert.strictEqual(leadsTo(await here.send("/go?area=payments&to=shop-299+production", { cookie })), to)
  })
})

describe("records", () => {
  it("a payment under review links to connection, review and deliveries, and back", async () => {
    const cookie = await here.signIn("ann", everywhere("admin"))
    await addEndpoint(here)
    here.provider.onCharge = () => silence
    const { id } = await here.pay("acme", "sandbox", "automatic")
    const payment = `/payments/acme/sandbox/${id}`
    const text = await pageAt(here, payment, cookie)
    const connection = "/connections/acme/sandbox/acme-sandbox"
    const review = `/reviews/acme/sandbox/${id}`
    const [, delivery = ""] = /href="\/console(\/webhooks\/acme\/sandbox\/deliveries\/[^"]+)"/u.exec(text) ?? []
    assert.include(text, `<a ${linkTo(connection)}><code>acme-sandbox</code></a>`)
    assert.include(text, linkTo(review))
    for (const path of [review, delivery]) assert.include(await pageAt(here, path, cookie), linkTo(payment), path)
    assert.include(await pageAt(here, review, cookie), linkTo(connection))
    assert.include(await pageAt(here, connection, cookie), linkTo("/payments/acme/sandbox?connection=acme-sandbox"))
    const viewer = await here.signIn("kim", everywhere("viewer"))
    const shown = await pageAt(here, payment, viewer)
    assert.include(shown, "<code>acme-sandbox</code>")
    assert.include(shown, linkTo(delivery))
    for (const path of [connection, review]) assert.notInclude(shown, linkTo(path))
  })

  it("an entry's subject is a link if it has a page that the operator may open", async () => {
    const cookie = await here.signIn("ann", everywhere("admin"))
    await addEndpoint(here)
    const { id } = await here.pay("acme", "sandbox", "manual")
    await deliver(here, 410)
    await here.send(`/payments/acme/sandbox/${id}/void`, { cookie, form: { key: "key-of-a-void" } })
    const text = await pageAt(here, `/payments/acme/sandbox/${id}`, cookie)
    const deliveries = [...text.matchAll(/href="\/console(\/webhooks\/acme\/sandbox\/deliveries\/[^"]+)"/gu)]
    const delivery = deliveries.at(-1)?.[1] ?? ""
    await here.send(`${delivery}/redeliver`, { cookie, form: { attempts: "1" } })
    const secret = "/webhooks/acme/sandbox/endpoints/whe_shop/secret"
    const { fields } = await keyedForm(here, secret, cookie)
    await here.send(secret, { cookie, form: { ...fields, overlap: "0" } })
    await here.signIn("kim@acme.test", [{ workspaceId: "acme", role: "admin" }])
    const all = await pageAt(here, "/audit", cookie)
    const [, operator = ""] = /href="\/console(\/operators\/[^"]+)"/u.exec(all) ?? []
    const ofAcme = await pageAt(here, "/audit/acme", await here.signInAgain("kim@acme.test"))
    for (const path of [`/payments/acme/sandbox/${id}`, delivery, "/webhooks/acme/sandbox/endpoints/whe_shop"]) {
      assert.include(all, linkTo(path))
      assert.include(ofAcme, linkTo(path))
    }
    assert.include(await pageAt(here, operator, cookie), linkTo("/audit?actor=kim%40acme.test"))
    assert.notInclude(ofAcme, "/console/operators")
  })
})
