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
  it("each of more payments than a page holds comes once, newest first", async () => {
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

  it("a reader that stops reads no further page", async () => {
    const { client, direct, proxy } = await world()
    for (let count = 0; count < 3; count++) await direct.create(orderOf("stops"))
    for await (const { reference } of client.payments({ reference: "stops", limit: 1 })) {
      assert.strictEqual(reference, "stops")
      break
    }
    assert.strictEqual(proxy.asked.length, 1)
  })

  it("the next page continues a search that ended before its page was full", async () => {
    const { client, direct, proxy } = await world()
    const { payment } = await direct.create(orderOf("search"))
    const next_cursor = "ffffffff-ffff-7fff-bfff-ffffffffffff"
    const empty = { data: [], has_more: true, next_cursor, search_incomplete: true }
    proxy.faults.push({ status: 200, body: JSON.stringify(empty) })
    assert.deepStrictEqual(await idsOf(client.payments({ reference: "search" })), [payment.id])
    assert.strictEqual(proxy.asked[1]?.path, `/api/v1/payments?reference=search&before=${next_cursor}`)
  })

  it("a lost page is read again", async () => {
    const { client, direct, proxy } = await world()
    const made: Array<string> = []
    for (let count = 0; count < 2; count++) made.unshift((await direct.create(orderOf("lost"))).payment.id)
    proxy.faults.push("lost")
    assert.deepStrictEqual(await idsOf(client.payments({ reference: "lost", limit: 1 })), made)
  })

  it("metadata with a name that a URL writes differently is found", async () => {
    const { direct } = await world()
    const metadata = { "shop & cart": "ü=1&2" }
    const { payment } = await direct.create({ ...orderOf("metadata"), metadata })
    assert.deepStrictEqual(await idsOf(direct.payments({ metadata })), [payment.id])
  })

  it("a timeline and a follower of events come oldest first, over pages", async () => {
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

  it("a list without items is empty, and a wrong query an error", async () => {
    const { direct } = await world()
    assert.deepStrictEqual(await idsOf(direct.disputes()), [])
    assert.strictEqual((await failureOf(idsOf(direct.payments({ limit: 1000 })))).code, "validation_error")
  })
})
