/** Lists of a real server, page by page. */
import { assert, describe, it } from "vitest"
import type { CreatePayment } from "../src/index.ts"
import { failureOf } from "./support/ClientCases.ts"
import { serverOfFile } from "./support/World.ts"

const { world } = serverOfFile()

const orderOf = (reference: string): CreatePayment => ({ amount: 1999, currency: "EUR", country: "NL", reference })

const idsOf = async (items: AsyncIterable<{ readonly id: string }>): Promise<ReadonlyArray<string>> => {
  const ids: Array<string> = []
  for await (const { id } of items) ids.push(id)
  return ids
}

describe("pages", () => {
  it("given more payments than a page holds, when they are iterated, then each comes once, newest first", async () => {
    const { client, direct, proxy } = await world()
    const made: Array<string> = []
    for (let count = 0; count < 5; count++) made.unshift((await direct.create(orderOf("pages"))).payment.id)
    const payments = client.payments({ reference: "pages", limit: 2 })
    assert.strictEqual(proxy.asked.length, 0)
    assert.deepStrictEqual(await idsOf(payments), made)
    assert.deepStrictEqual(
      proxy.asked.map(({ path }) => path),
      [
        "/api/v1/payments?reference=pages&limit=2",
        `/api/v1/payments?reference=pages&limit=2&before=${made[1]}`,
        `/api/v1/payments?reference=pages&limit=2&before=${made[3]}`
      ]
    )
    // Each reading begins anew.
    assert.deepStrictEqual(await idsOf(payments), made)
    const page = await payments.page()
    assert.deepStrictEqual([page.data.length, page.has_more, page.next_cursor], [2, true, made[1]])
  })

  it("given a reader that stops, then no further page is read", async () => {
    const { client, direct, proxy } = await world()
    for (let count = 0; count < 3; count++) await direct.create(orderOf("stops"))
    for await (const { reference } of client.payments({ reference: "stops", limit: 1 })) {
      assert.strictEqual(reference, "stops")
      break
    }
    assert.strictEqual(proxy.asked.length, 1)
  })

  it("given a search that ends before its page is full, then the next page continues", async () => {
    const { client, direct, proxy } = await world()
    const { payment } = await direct.create(orderOf("search"))
    const next_cursor = "ffffffff-ffff-7fff-bfff-ffffffffffff"
    const empty = { data: [], has_more: true, next_cursor, search_incomplete: true }
    proxy.faults.push({ status: 200, body: JSON.stringify(empty) })
    assert.deepStrictEqual(await idsOf(client.payments({ reference: "search" })), [payment.id])
    assert.strictEqual(proxy.asked[1]?.path, `/api/v1/payments?reference=search&before=${next_cursor}`)
  })

  it("given a lost page, when payments are iterated, then that page is read again", async () => {
    const { client, direct, proxy } = await world()
    const made: Array<string> = []
    for (let count = 0; count < 2; count++) made.unshift((await direct.create(orderOf("lost"))).payment.id)
    proxy.faults.push("lost")
    assert.deepStrictEqual(await idsOf(client.payments({ reference: "lost", limit: 1 })), made)
  })

  it("given metadata with a name that a URL writes differently, then it is found", async () => {
    const { direct } = await world()
    const metadata = { "shop & cart": "ü=1&2" }
    const { payment } = await direct.create({ ...orderOf("metadata"), metadata })
    assert.deepStrictEqual(await idsOf(direct.payments({ metadata })), [payment.id])
  })

  it("given a timeline and a follower of events, then both come oldest first, over pages", async () => {
    const { direct } = await world()
    const first = await direct.create(orderOf("first"))
    const { data } = await direct.events({ limit: 1 }).page()
    const after = data[0]?.id ?? ""
    const { payment } = await direct.create({ ...orderOf("follower"), capture_method: "manual" })
    await direct.capture(payment.id)
    const timeline = await idsOf(direct.timeline(payment.id, { limit: 1 }))
    assert.strictEqual(timeline.length, 3)
    assert.deepStrictEqual(await idsOf(direct.events({ after, limit: 2 })), timeline)
    const newestFirst = await idsOf(direct.events({ limit: 2 }))
    assert.deepStrictEqual(newestFirst.slice(0, 3), timeline.toReversed())
    assert.include(newestFirst, after)
    assert.notStrictEqual(first.payment.id, payment.id)
  })

  it("given a list without items and a wrong query, then there is nothing, and the error", async () => {
    const { direct } = await world()
    assert.deepStrictEqual(await idsOf(direct.disputes()), [])
    assert.strictEqual((await failureOf(idsOf(direct.payments({ limit: 1000 })))).code, "validation_error")
  })
})
