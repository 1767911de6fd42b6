/**
 * Customers who pay on a provider's own page, in front of a whole server: by forms and redirects alone.
 * `browser/Journeys.browser.test.ts` plays all of them in Chromium.
 */
import { assert, describe, expect, it } from "vitest"
import { makeFormCustomer } from "./support/journeys/Customer.ts"
import { playJourney, providers, variations } from "./support/journeys/Journeys.ts"
import { openMollie } from "./support/journeys/MollieStandIn.ts"
import { openShop } from "./support/journeys/Shop.ts"
import { isLong } from "./support/LongRuns.ts"

/** The others take some seconds more: `POINTSMAN_LONG=all` plays them here too. */
const played = variations.filter(({ isForBrowser = false }) => isLong || !isForBrowser)

describe.each(providers)("a customer who pays at $name", (provider) => {
  it.each(played)("$name", (variation) => playJourney(provider, variation, makeFormCustomer()))
})

describe("a sandbox workspace that asks for the provider's page", () => {
  it("given a test key of Mollie, then its customer pays on Mollie's own test page", async () => {
    const shop = await openShop((now) => openMollie(now, false, "test"), "card", "sandbox")
    const customer = makeFormCustomer()
    const created = await shop.create()
    await customer.goTo(created.page)
    await customer.press("Continue to payment")
    await customer.fill("Card number", "4242424242424242")
    await customer.press("Pay")
    await customer.choose("paid")
    await customer.press("Continue")
    await customer.isAt(shop.backAt(created, "CAPTURED"))
    await shop.deliver()
    assert.deepInclude(await shop.accountOf(created), { status: "CAPTURED", captured: 1999 })
    await expect(shop.create({ simulate: { charge: "approve" } })).rejects.toThrow(
      "`simulate` cannot be combined with `return_url`"
    )
  })
})

describe("a payment that is held at Mollie", () => {
  it.each([
    [false, "AUTHORIZED", "payment.authorized", 0],
    // Mollie took the money, because a bank's payment cannot be held.
    [true, "CAPTURED", "payment.captured", 1999]
  ] as const)(
    "given the customer changes from the card to a bank: %s, then it is %s",
    async (changes, status, event, captured) => {
      const shop = await openShop((now) => openMollie(now, false), "card")
      const customer = makeFormCustomer()
      const created = await shop.create({ capture_method: "manual" })
      await customer.goTo(created.page)
      await customer.press("Continue to payment")
      if (changes) {
        await customer.press("Pay")
        await customer.choose("canceled")
        await customer.press("Continue")
        await customer.press("iDEAL")
        await customer.press("Continue")
      } else {
        await customer.press("Pay")
      }
      await customer.choose("paid")
      await customer.press("Continue")
      await customer.isAt(shop.backAt(created, status))
      await shop.deliver()
      assert.deepStrictEqual(await shop.accountOf(created), {
        ...{ status, captured, events: ["payment.requires_action", event] },
        booked: [{ taken: captured, charges: captured > 0 ? 1 : 0 }]
      })
    }
  )
})
