/** Webhooks by the API and by the pages: endpoints, deliveries, and sending one again. */
import { assert, describe, it } from "vitest"
import { codeOf, everywhere, leadsTo, pageAt, pageOf } from "./support/Responses.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { addEndpoint, deliver } from "./support/Webhooks.ts"
import { bodyOf } from "./support/World.ts"

const here = usedWorld()

const at = "/webhooks/acme/sandbox"
const api = "/api/workspaces/acme/sandbox"

/** A payment whose webhooks the receiver refused, newest first. */
const refused = async (cookie: string) => {
  await addEndpoint(here)
  const { id } = await here.pay("acme", "sandbox", "automatic")
  await deliver(here, 410)
  const { data } = await bodyOf(await here.send(`${api}/deliveries`, { cookie }))
  return { payment: id, deliveries: data }
}

describe("deliveries", () => {
  it("deliveries are listed in pages, narrowed by state, endpoint and payment", async () => {
    const cookie = await here.signIn("jo", everywhere("viewer"))
    await addEndpoint(here)
    const first = await here.pay("acme", "sandbox", "automatic")
    await deliver(here, 200)
    await addEndpoint(here, { id: "whe_books", events: ["payment.captured"] })
    const second = await here.pay("acme", "sandbox", "automatic")
    const list = async (query: string) => bodyOf(await here.send(`${api}/deliveries${query}`, { cookie }))
    const all = await list("")
    assert.lengthOf(all.data, 5)
    assert.deepInclude(all.data.at(-1), {
      state: "delivered",
      event_type: "payment.created",
      payment_id: first.id,
      endpoint_id: "whe_shop",
      url: "https://shop.example/hooks/whe_shop?…",
      attempts: 1,
      next_attempt: null
    })
    const start = await list("?limit=2")
    assert.deepStrictEqual([start.has_more, start.data], [true, all.data.slice(0, 2)])
    const rest = await list(`?before=${start.next_cursor}`)
    assert.deepStrictEqual([rest.has_more, rest.next_cursor, rest.data], [false, null, all.data.slice(2)])
    const counts = async (query: string) => (await list(query)).data.length
    assert.deepStrictEqual(
      [
        await counts("?state=due"),
        await counts("?state=delivered"),
        await counts("?state=given_up"),
        await counts("?endpoint=whe_books"),
        await counts("?endpoint=whe_shop&state=due"),
        await counts(`?payment=${second.id}`),
        await counts(`?payment=${first.id}&endpoint=whe_books`),
        await counts("?payment=none")
      ],
      [3, 2, 0, 1, 2, 3, 0, 0]
    )
    const page = await pageAt(here, `${at}?state=due&endpoint=whe_books`, cookie)
    assert.include(page, `<option value="due" selected>Due</option>`)
    assert.include(page, "payment.captured")
    assert.notInclude(page, "<secret>")
    assert.notInclude(page, "token=")
    assert.include(await pageAt(here, `${at}?payment=none`, cookie), "No deliveries found.")
  })

  it("a delivery has its body and attempts, and the payment's page leads to it", async () => {
    const cookie = await here.signIn("jo", everywhere("viewer"))
    await addEndpoint(here)
    const { id } = await here.pay("acme", "sandbox", "automatic")
    const sent = await deliver(here, 410)
    const { data } = await bodyOf(await here.send(`${api}/deliveries?payment=${id}`, { cookie }))
    const bodies = sent.map(({ body }) => new TextDecoder().decode(body))
    const [{ id: delivery }] = data
    const file = (await bodyOf(await here.send(`${api}/deliveries/${delivery}`, { cookie }))).data
    assert.include(bodies, file.body)
    assert.deepInclude(file.attempts[0], { number: 1, response_status: 410, failure: null })
    const page = await pageAt(here, `${at}/deliveries/${delivery}`, cookie)
    assert.include(page, "HTTP 410")
    assert.include(page, "order &lt;automatic&gt;")
    assert.notInclude(page, "Send again")
    const payment = await pageAt(here, `/payments/acme/sandbox/${id}`, cookie)
    assert.include(payment, `href="/console${at}/deliveries/${delivery}"`)
    assert.include(payment, "Refused")
  })

  it("bad fields are each named by 422 with what was expected", async () => {
    const cookie = await here.signIn("jo", everywhere("support"))
    const messageOf = async (path: string, body?: unknown) => {
      const response = await here.send(`${api}${path}`, { cookie, body })
      return [response.status, (await bodyOf(response)).error.message]
    }
    assert.deepStrictEqual(await messageOf("/deliveries?state=lost"), [
      422,
      "`state` must be due, sending, delivered, refused or given_up."
    ])
    assert.deepStrictEqual((await messageOf("/deliveries?before=7"))[0], 422)
    assert.deepStrictEqual(await messageOf("/deliveries/dlv_1/redeliver", { attempts: "1" }), [
      422,
      "`attempts` must be the number of attempts that the delivery had when it was read."
    ])
    const form = await here.send(`${at}/deliveries/dlv_1/redeliver`, { cookie, form: { attempts: "x" } })
    assert.include(await pageOf(form, 422), "`attempts`")
  })
})

describe("sending again", () => {
  it("a refused delivery is sent once by a form sent twice, and once more later", async () => {
    const cookie = await here.signIn("jo@example.com", everywhere("support"))
    const { deliveries } = await refused(cookie)
    const [{ id }] = deliveries
    const page = await pageAt(here, `${at}/deliveries/${id}`, cookie)
    assert.include(page, "Send again")
    assert.include(page, `name="attempts" value="1"`)
    const post = () => here.send(`${at}/deliveries/${id}/redeliver`, { cookie, form: { attempts: "1" } })
    const both = (await Promise.all([post(), post()])).map(leadsTo)
    assert.sameMembers(both, [`${at}/deliveries/${id}?notice=scheduled`, `${at}/deliveries/${id}?notice=already`])
    assert.lengthOf(await deliver(here, 410), 1)
    assert.strictEqual(leadsTo(await post()), `${at}/deliveries/${id}?notice=already`)
    assert.lengthOf(await deliver(here, 410), 0)
    const again = await here.send(`${api}/deliveries/${id}/redeliver`, { cookie, body: { attempts: 2 } })
    assert.deepInclude((await bodyOf(again)).data, { id, state: "due", attempts: 2 })
    assert.lengthOf(await deliver(here, 200), 1)
    const lost = await pageAt(here, `${at}/deliveries/${id}`, cookie)
    assert.include(lost, "Delivered")
    assert.include(lost, "Send again")
    const arrived = () => here.send(`${api}/deliveries/${id}/redeliver`, { cookie, body: { attempts: 3 } })
    assert.deepInclude((await bodyOf(await arrived())).data, { id, state: "due", attempts: 3 })
    assert.lengthOf(await deliver(here, 200), 1)
    assert.deepStrictEqual(await codeOf(await arrived()), [409, "not_redeliverable"])
    assert.lengthOf(await deliver(here, 200), 0)
    const entry = here.log.find((line) => line.includes("webhook.redelivering")) ?? ""
    assert.include(entry, "jo@example.com")
  })

  it("the page says that an endpoint is not active, and nothing is sent again", async () => {
    const cookie = await here.signIn("jo", everywhere("support"))
    const { deliveries } = await refused(cookie)
    await addEndpoint(here, { active: false })
    const page = await pageAt(here, `${at}/deliveries/${deliveries[0].id}`, cookie)
    assert.include(page, "The endpoint is not active")
    assert.notInclude(page, "Send again")
    const response = await here.send(`${api}/deliveries/${deliveries[0].id}/redeliver`, {
      cookie,
      body: { attempts: 1 }
    })
    assert.deepStrictEqual(await codeOf(response), [409, "not_redeliverable"])
  })
})
