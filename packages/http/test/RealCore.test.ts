/** The handlers over the real core: metadata, and lists read from end to end. */
import { afterAll, describe, expect, test } from "vitest"
import { keys, realCore } from "./support/RealCore.ts"
import { serve } from "./support/Web.ts"

const web = serve(realCore)
afterAll(web.close)

let count = 0
const create = (fields: object = {}) =>
  web.send("/api/v1/payments", {
    key: keys.acme,
    body: { amount: 1999, currency: "EUR", country: "NL", reference: `order-${++count}`, ...fields }
  })
const get = (path: string) => web.send(`/api/v1${path}`, { key: keys.acme })

describe("metadata and what is bought", () => {
  const given = {
    metadata: { order: "1001", "name with ]": "text & more" },
    description: "Two tickets",
    locale: "de-AT",
    lines: [
      { name: "Ticket", quantity: 2, amount: 2499 },
      { name: "Voucher", quantity: 1, amount: -500 }
    ]
  }

  test("every answer repeats metadata and reference, and events the metadata", async () => {
    const { data } = (await create(given)).body
    expect(data).toMatchObject(given)
    expect((await get(`/payments/${data.id}`)).body.data).toMatchObject(given)
    const events = (await get(`/payments/${data.id}/events`)).body.data
    expect(events.map((event: { data: object }) => event.data)).toEqual(
      events.map(() => expect.objectContaining({ metadata: given.metadata }))
    )
    const { data: none } = (await create({ metadata: {} })).body
    for (const field of Object.keys(given)) expect(none).not.toHaveProperty(field)
    const [event] = (await get(`/payments/${none.id}/events`)).body.data
    expect(event.data).not.toHaveProperty("metadata")
  })

  test("lists filtered by metadata find the payments with all of it", async () => {
    const { data } = (await create({ metadata: { ...given.metadata, channel: "filtered" } })).body
    await create({ metadata: { channel: "filtered" } })
    const find = async (query: string) =>
      (await get(`/payments?${query}`)).body.data.map(({ id }: { id: string }) => id)
    expect(await find("metadata[channel]=filtered")).toHaveLength(2)
    expect(await find("metadata[channel]=filtered&metadata%5Border%5D=1001")).toEqual([data.id])
    expect(await find("metadata[name with ]]=text %26 more&metadata[channel]=filtered")).toEqual([data.id])
    expect(await find("metadata[channel]=filtered&status=declined")).toEqual([])
    expect(await find("metadata[__proto__]=filtered")).toEqual([])
  })
})

describe("walking the lists", () => {
  const walk = async (path: string, cursor: "before" | "after"): Promise<ReadonlyArray<string>> => {
    const ids: Array<string> = []
    let next: string | null = null
    do {
      const from: string = next === null ? "" : `&${cursor}=${next}`
      const page = (await get(`${path}${path.includes("?") ? "&" : "?"}limit=3${from}`)).body
      ids.push(...page.data.map((item: { id: string }) => item.id))
      expect(page.data.length).toBeLessThanOrEqual(3)
      expect(page.next_cursor === null).toBe(!page.has_more)
      next = page.next_cursor
    } while (next !== null)
    return ids
  }

  test("pages of many payments and events have each once, in order", async () => {
    for (let made = 0; made < 5; made++) await create()
    const payments = await walk("/payments", "before")
    expect(payments.length).toBeGreaterThan(7)
    expect(payments).toEqual([...new Set(payments)].sort().reverse())
    const newest = await walk("/events", "before")
    expect(newest).toEqual([...new Set(newest)].sort().reverse())
    const first = newest.at(-1) as string
    expect(await walk(`/payments/${payments[0]}/events`, "after")).toHaveLength(2)
    // A follower starts behind the first event and reads on, oldest first.
    const followed: Array<string> = []
    let after = first
    for (;;) {
      const page = (await get(`/events?limit=3&after=${after}`)).body
      followed.push(...page.data.map((item: { id: string }) => item.id))
      if (!page.has_more) break
      after = page.next_cursor
    }
    expect([first, ...followed]).toEqual([...newest].reverse())
  })

  test("only events of a type are read by it", async () => {
    await create({ simulate: { charge: "decline:expired_card" } })
    const { data } = (await get("/events?type=payment.declined")).body
    expect(data.length).toBeGreaterThan(0)
    expect(new Set(data.map((event: { type: string }) => event.type))).toEqual(new Set(["payment.declined"]))
    expect(data[0].data).toMatchObject({ payment_status: "DECLINED", decline_category: "expired_card" })
  })
})

test("no server failure was logged by all of the above", () => {
  expect(web.log).toEqual([])
})
