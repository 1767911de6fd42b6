/**
 * Customers who pay on a provider's own page, in front of a whole server: by forms and redirects alone.
 * `browser/Journeys.browser.test.ts` plays all of them in Chromium.
 */
import { assert, describe, expect, it } from "vitest"
import { makeFormCustomer } from "./support/journeys/Customer.ts"
import { goToProvider, playJourney, variations } from "./support/journeys/Journeys.ts"
import { openMollie } from "./support/journeys/MollieStandIn.ts"
import { type Provider, providers } from "./support/journeys/Providers.ts"
import { openShop } from "./support/journeys/Shop.ts"
import { isLong } from "./support/LongRuns.ts"

/** The others take some seconds more: `POINTSMAN_LONG=all` plays them here too. */
const played = variations.filter(({ isForBrowser = false }) => isLong || !isForBrowser)

describe.each(providers)("a customer who pays at $name", (provider) => {
  it.each(played)("$name", (variation) => playJourney(provider, variation, makeFormCustomer()))
})

const providerOf = (name: string): Provider => {
  const found = providers.find((one) => one.name.startsWith(name))
  if (found === undefined) throw new Error(`no provider ${name}`)
  return found
}

describe.each(providers)("a sandbox workspace with `hostedPage: provider` and a test key of $name", (provider) => {
  it.each(variations.filter(({ isOfSandbox = false }) => isOfSandbox))("$name", (variation) =>
    playJourney(provider, variation, makeFormCustomer(), "test")
  )
})

it("a sandbox workspace with `hostedPage: provider` refuses a create with `simulate`", async () => {
  const shop = await openShop(providerOf("Stripe"), "test")
  await expect(shop.create({ simulate: { charge: "approve" } })).rejects.toThrow(
    "`simulate` cannot be combined with `return_url`"
  )
})

describe.each(["Stripe", "Adyen"])("a payment that is held at %s, with a test key", (name) => {
  it("a payment is authorized by its customer, and nothing is taken", async () => {
    const provider = providerOf(name)
    const shop = await openShop(provider, "test")
    const customer = makeFormCustomer()
    const created = await goToProvider({ shop, customer }, { capture_method: "manual" })
    shop.standIn.beforeReturn = shop.deliver
    await provider.pay(customer)
    await customer.isAt(shop.backAt(created, "AUTHORIZED"))
    assert.deepStrictEqual(await shop.accountOf(created), {
      ...{ status: "AUTHORIZED", captured: 0, events: ["payment.requires_action", "payment.authorized"] },
      booked: [{ taken: 0, charges: 0 }]
    })
  })
})

describe("a payment that is held at Mollie", () => {
  it.each([
    [false, "AUTHORIZED", "payment.authorized", 0],
    // Mollie took the money, because a bank's payment cannot be held.
    [true, "CAPTURED", "payment.captured", 1999]
  ] as const)("a change from the card to a bank: %s is %s", async (changes, status, event, captured) => {
    const shop = await openShop({ method: "card", open: (now) => openMollie(now, false) })
    const customer = makeFormCustomer()
    const created = await goToProvider({ shop, customer }, { capture_method: "manual" })
    await customer.press("Pay")
    if (changes) {
      await customer.choose("canceled")
      for (const button of ["Continue", "iDEAL", "Continue"]) await customer.press(button)
    }
    await customer.choose("paid")
    await customer.press("Continue")
    await customer.isAt(shop.backAt(created, status))
    await shop.deliver()
    assert.deepStrictEqual(await shop.accountOf(created), {
      ...{ status, captured, events: ["payment.requires_action", event] },
      booked: [{ taken: captured, charges: captured > 0 ? 1 : 0 }]
    })
  })
})
