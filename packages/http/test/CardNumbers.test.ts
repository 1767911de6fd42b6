/** Card numbers in texts that are not for them: core refuses them, and the API says in which field. */
import { describe, expect, test } from "vitest"
import { inMemory } from "./support/Stores.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import type { Web } from "./support/Web.ts"
import { keys, openWorld } from "./support/World.ts"

const baseUrl = "https://pay.example"
const warning = usedWorld(inMemory, { cardNumbers: "warn", baseUrl })
const refusing = usedWorld(inMemory, { cardNumbers: "refuse", baseUrl })

const good = { amount: 1999, currency: "EUR", country: "NL" }
const create = (fields: object, world = warning) =>
  world.send("/api/v1/payments", { key: keys.acme, body: { ...good, ...fields } })
const refund = async (reason: string, world = warning) => {
  const { body } = await create({}, world)
  return world.send(`/api/v1/payments/${body.data.payment_id}/refunds`, {
    key: keys.acme,
    headers: { "idempotency-key": "refund-of-the-test" },
    body: { reason }
  })
}

/** Test numbers that the networks publish. */
const bare = [
  "4111111111111111",
  "5555555555554444",
  "2223003122003222",
  "378282246310005",
  "6011111111111117",
  "3056930009020004",
  "3530111333300000",
  "6304000000000000"
]

/** Of the script whose zero has that code. */
const inDigits = (zero: string): string =>
  "4111 1111 1111 1111".replaceAll(/[0-9]/gu, (digit) =>
    String.fromCodePoint(Number.parseInt(zero, 16) + Number(digit))
  )

const written = [
  "4111 1111 1111 1111",
  "4111-1111-1111-1111",
  "paid by 4111 1111  1111 1111, thanks",
  "4111\u00a01111\u20131111 1111",
  "\uff14\uff11\uff11\uff11 \uff11\uff11\uff11\uff11 \uff11\uff11\uff11\uff11 \uff11\uff11\uff11\uff11",
  ...["0660", "06f0", "0966", "09e6", "0e50", "17e0", "1a80", "1a90"].map((zero) => inDigits(zero)),
  "\u{1d7d2}\u{1d7cf}\u{1d7cf}\u{1d7cf} 1111 1111 1111",
  "4111.1111.1111.1111",
  "4111/1111/1111/1111",
  "4111_1111_1111_1111",
  "4111, 1111, 1111, 1111",
  "4\u200b111 11\u2060\u200d11 1111\ufeff 1111",
  "3782 822463 10005",
  "3056 930902 5904",
  "4111111111111111 12/27",
  "4111111111111111 exp 2027-12",
  "4111111111111111 CVC 123",
  "4111111111111111 123",
  "4111111111111111/123",
  "253e3642-7753-4504-88b4-6edebcb14a76 4111 1111 1111 1111"
]

const noCard = [
  "4111111111111112",
  "4111 1111 1111 1112",
  "41111111111111111111111",
  "9999999999999995",
  "order 1234567890123",
  "2026-11-23 12:30 invoice 20261123",
  "019a8c3e-7b1d-7c64-8f5e-2f6d9f1f0a01",
  // UUIDs with groups as on a card, and with the twelve digits of one.
  "253e3642-7753-4504-88b4-6edebcb14a76",
  "order_11DB3696-1972-4907-9770-D382C2FE496D",
  "019a8c3e-7b1d-7c64-8f5e-630400000000",
  "+31 20 123 4567 890 1234"
]

describe("a card number in a text", () => {
  test.each(written)("the reference %j is 422 and not repeated", async (text) => {
    const reply = await create({ reference: text })
    expect([reply.status, reply.body.error.code]).toEqual([422, "validation_error"])
    expect(reply.body.error.message).toBe("`reference` must not contain a card number.")
    expect(warning.provider.charges).toEqual([])
  })

  test.each([
    { card_brand: "4111 1111 1111 1111" },
    { return_url: "https://shop.test/?q=4111%201111%201111%201111" },
    { return_url: "https://shop.test/?q=4111+1111+1111+1111" },
    { description: "paid by 4111 1111 1111 1111" },
    { metadata: { order: "1", card: "4111 1111 1111 1111" } },
    { metadata: { "4111 1111 1111 1111": "card" } },
    {
      lines: [
        { name: "Book", quantity: 1, amount: 1 },
        { name: "4111-1111-1111-1111", quantity: 1, amount: 1998 }
      ]
    },
    { return_url: "https://shop.test/", cancel_url: "https://shop.test/4111-1111-1111-1111" }
  ])("the field of %j in a create is named", async (fields) => {
    const reply = await create(fields)
    const [name] = Object.entries(fields).at(-1) ?? []
    expect(reply.body.error?.message).toBe(`\`${name}\` must not contain a card number.`)
  })

  test("a refund's reason with a card number is 422", async () => {
    const reply = await refund("card 4111-1111-1111-1111 was stolen")
    expect([reply.status, reply.body.error.message]).toEqual([422, "`reason` must not contain a card number."])
  })

  test.each(noCard)("%j is accepted in a create, also where bare numbers are refused", async (text) => {
    expect((await create({ reference: text }, refusing)).status).toBe(201)
  })

  test.each(bare)("the bare digits %s are taken, or refused where that is set", async (digits) => {
    expect((await create({ reference: digits })).status).toBe(201)
    const refused = await create({ reference: digits }, refusing)
    expect([refused.status, refused.body.error?.message]).toEqual([422, "`reference` must not contain a card number."])
    expect((await refund(digits)).status).toBe(200)
    expect((await refund(digits, refusing)).status).toBe(422)
  })

  test("the log has one warning of many digits, with the field and without the digits", async () => {
    const world = await openWorld(inMemory, { cardNumbers: "warn", baseUrl })
    for (const reference of bare) await create({ reference }, world)
    const { log } = world.servers[0] as Web
    expect(log).toHaveLength(1)
    expect(log[0]).toContain('"fields":["reference"]')
    // An id may have twelve digits, too.
    expect(log.join().replaceAll(/req_[\w-]+/gu, "")).not.toMatch(/\d{12}/u)
    await world.close()
  })

  test("17 bare digits in a text are no order number", async () => {
    const return_url = `https://shop.example/?${"4111111111111111,".repeat(17)}`
    expect((await create({ return_url })).body.error?.message).toBe("`return_url` must not contain a card number.")
    expect((await create({ return_url: return_url.slice(0, -17) })).status).toBe(201)
  })
})
