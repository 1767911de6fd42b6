/** The filters of the list of payments, in its address. */
import type { Tenant } from "@pointsman/core"
import { Ledger, type SearchQuery } from "@pointsman/core/ports"
import * as MemoryStorage from "@pointsman/storage-memory"
import { Effect, Layer } from "effect"
import { assert, beforeEach, describe, it } from "vitest"
import { leadsTo } from "./support/Responses.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { world } from "./support/World.ts"

const here = usedWorld()
let cookie: string
beforeEach(async () => {
  cookie = await here.signIn("ann", [{ workspaceId: "acme", role: "viewer" }])
})

const at = "/payments/acme/sandbox"
const list = async (query: string, status = 200): Promise<string> => {
  const response = await here.send(`${at}?${query}`, { cookie })
  assert.strictEqual(response.status, status)
  return response.text()
}

describe("the list of payments", () => {
  it("payments are shown that match all filters and the text", async () => {
    const captured = await here.pay("acme", "sandbox", "automatic", "order-1")
    const authorized = await here.pay("acme", "sandbox", "manual", "order-2")
    const day = new Date(captured.createdAt).toISOString().slice(0, 10)
    const tomorrow = new Date(captured.createdAt + 24 * 60 * 60_000).toISOString().slice(0, 10)
    for (const [query, found] of [
      ["connection=acme-sandbox", [captured, authorized]],
      ["connection=other", []],
      ["currency=eur", [captured, authorized]],
      ["currency=JPY", []],
      [`created_from=${day}&created_before=${tomorrow}`, [captured, authorized]],
      [`created_from=${tomorrow}`, []],
      [`created_before=${day}`, []],
      [`created_from=${new Date(captured.createdAt).toISOString()}`, [captured, authorized]],
      ["status=authorized&connection=acme-sandbox", [authorized]],
      ["search=order-1&status=AUTHORIZED", []],
      ["search=EUR 19.99&currency=JPY", []],
      ["search=19.99&currency=EUR", [captured, authorized]],
      ["search=&connection=&currency=&created_from=&created_before=&status=", [captured, authorized]]
    ] as const) {
      const text = await list(query)
      for (const payment of [captured, authorized]) {
        assert.strictEqual(
          text.includes(payment.id),
          found.some(({ id }) => id === payment.id),
          query
        )
      }
    }
  })

  it("a second meaning of a text is shown if its first one found nothing", async () => {
    const memory = MemoryStorage.layer()
    const fewRows = Layer.effect(
      Ledger,
      Effect.map(Ledger, (ledger) => ({
        ...ledger,
        search: (tenant: Tenant, query: SearchQuery) => ledger.search(tenant, { ...query, walkAtMost: 2 })
      }))
    )
    const few = world({}, { storage: Layer.provideMerge(fewRows, memory) })
    const operator = await few.signIn("ann", [{ workspaceId: "acme", role: "viewer" }])
    for (let count = 0; count < 2; count++) await few.pay("acme", "sandbox", "automatic", "manual")
    const authorized = await few.pay("acme", "sandbox", "manual", "order-1")
    const found = await few.send(`${at}?search=manual&status=AUTHORIZED`, { cookie: operator })
    assert.include(await found.text(), authorized.id)
    const none = await few.send(`${at}?search=manual&status=DECLINED`, { cookie: operator })
    const text = await none.text()
    assert.include(text, "No payments found so far: older ones may match.")
    assert.include(text, `before=${authorized.id.slice(0, 8)}`)
    await few.close()
  })

  it("a search with one result opens it; a filter or a later page lists it", async () => {
    const captured = await here.pay("acme", "sandbox", "automatic", "order-1")
    const authorized = await here.pay("acme", "sandbox", "manual", "order-2")
    for (const [query, { id }] of [
      ["search=order-1", captured],
      ["search=order-1&currency=EUR", captured],
      ["search=19.99&currency=EUR&status=CAPTURED", captured],
      ["search= manual ", authorized],
      [`search=${authorized.providerRef}`, authorized]
    ] as const) {
      assert.strictEqual(leadsTo(await here.send(`${at}?${query}`, { cookie })), `${at}/${id}`, query)
    }
    for (const query of ["status=CAPTURED", `search=19.99&before=${authorized.id}`]) {
      assert.include(await list(query), captured.id, query)
    }
  })

  it("payments show connection, method, country, reason and age, and what was compared", async () => {
    here.provider.onCharge = () =>
      Effect.succeed({ _tag: "Declined", providerRef: null, category: "insufficient_funds", code: "51", soft: false })
    const declined = await here.pay("acme", "sandbox", "automatic", "order-1")
    const text = await list("")
    const created = new Date(declined.createdAt).toISOString()
    const utc = `${created.slice(0, 19).replace("T", " ")} UTC`
    for (const expected of [
      `<a href="/console${at}/${declined.id}">order-1</a>`,
      `Declined</span><br><span class="soft">Insufficient funds (51)</span>`,
      "<td>card, NL</td><td>acme-sandbox</td>",
      `<time class="ago" datetime="${created}" title="${utc}">just now</time>`
    ]) {
      assert.include(text, expected)
    }
    assert.notInclude(text, "Searched:")
    assert.include(
      await list("search=nothing"),
      "Searched: payment id, reference, provider’s reference, texts of the metadata, beginnings of references."
    )
    await here.pay("acme", "sandbox", "automatic", "order-1")
    const found = await list("search=order-1")
    assert.include(found, "Searched: payment id, reference. A reference is also found by its beginning.")
  })

  it("filters are links to the list without them, kept by next page and export", async () => {
    for (let count = 0; count < 51; count++) await here.pay("acme", "sandbox", "automatic", "a & <b>")
    const text = await list("status=CAPTURED&currency=EUR&search=a %26 <b>")
    for (const [rest, label] of [
      ["currency=EUR&amp;search=a+%26+%3Cb%3E", "Status: Captured"],
      ["status=CAPTURED&amp;search=a+%26+%3Cb%3E", "Currency: EUR"],
      ["status=CAPTURED&amp;currency=EUR", "Search: a &amp; &lt;b&gt;"]
    ] as const) {
      assert.include(
        text,
        `<a class="chip" href="/console${at}?${rest}" aria-label="Remove the filter ${label}">${label} ×</a>`
      )
    }
    assert.match(
      text,
      /href="\/console\/payments\/acme\/sandbox\?status=CAPTURED&amp;currency=EUR&amp;search=[^"]*&amp;before=/u
    )
    assert.include(text, `href="/console${at}/export.csv?status=CAPTURED&amp;currency=EUR&amp;search=a+%26+%3Cb%3E"`)
    assert.include(text, "<details")
    assert.notInclude(await list(""), "chips")
  })

  it("invalid values are each named by the page, which keeps what was typed", async () => {
    await here.pay("acme", "sandbox", "automatic")
    const text = await list("status=PAID&currency=euros&created_from=2026-02-30&created_before=soon", 422)
    for (const expected of [
      "`status` must be one of CREATED",
      "`currency` must be an ISO 4217 currency code",
      "`created_from` must be a day such as 2026-11-01",
      "`created_before` must be a day"
    ]) {
      assert.include(text, expected)
    }
    assert.include(text, 'value="EUROS"')
    assert.notInclude(text, "<table")
    assert.notInclude(text, "data-live")
  })
})
