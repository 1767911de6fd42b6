/**
 * Refunds at Mollie, from its dashboard and from the API, as Mollie's webhooks and its answers state them, in front of a whole
 * server.
 */
import { assert, describe, it } from "vitest"
import { makeFormCustomer } from "./support/journeys/Customer.ts"
import { goToProvider } from "./support/journeys/Journeys.ts"
import { openMollie } from "./support/journeys/MollieStandIn.ts"
import { openShop } from "./support/journeys/Shop.ts"

/** A payment of 100.00 that its customer made. */
const openPaid = async (isSigned: boolean) => {
  const opened: { mollie?: Awaited<ReturnType<typeof openMollie>> } = {}
  const shop = await openShop({
    method: "card",
    open: async (now) => {
      opened.mollie = await openMollie(now, isSigned)
      return opened.mollie
    }
  })
  const { mollie } = opened
  if (mollie === undefined) throw new Error("Mollie was not opened")
  const customer = makeFormCustomer()
  const created = await goToProvider({ shop, customer }, { amount: 10_000 })
  await customer.press("Pay")
  await customer.choose("paid")
  await customer.press("Continue")
  await shop.deliver()
  return { shop, mollie, created }
}

const byHand = ["provider", 4000] as const

describe.each([
  ["unsigned webhooks", false],
  ["signed webhooks", true]
])("a payment at Mollie, with %s", (_name, isSigned) => {
  it("refunds in the dashboard and by the API each count once", async () => {
    const { created, mollie, shop } = await openPaid(isSigned)
    const before = { status: "PARTIALLY_REFUNDED", refunded: 4000, pending: 0, told: [byHand] }
    mollie.refundByHand("40.00")
    mollie.payRefunds()
    await shop.deliver()
    assert.deepStrictEqual(await shop.refundsOf(created), before)
    // Mollie accepted it, and has not paid it out.
    assert.strictEqual(await shop.refund(created, { amount: 1000 }), 409)
    assert.deepStrictEqual(await shop.refundsOf(created), { ...before, pending: 1000 })
    mollie.payRefunds()
    await shop.deliver()
    mollie.tellAgain()
    await shop.deliver()
    assert.deepStrictEqual(await shop.refundsOf(created), { ...before, refunded: 5000, told: [byHand, ["api", 1000]] })
  })

  it("the daily lookup frees a refund that Mollie canceled without a word", async () => {
    const { created, mollie, shop } = await openPaid(isSigned)
    const before = { status: "CAPTURED", refunded: 0, pending: 0, told: [] }
    mollie.refundByHand("40.00")
    mollie.tellAgain()
    await shop.deliver()
    assert.deepStrictEqual(await shop.refundsOf(created), { ...before, pending: 4000 })
    mollie.cancelRefunds()
    await shop.pass(26)
    assert.deepStrictEqual(await shop.refundsOf(created), before)
    assert.strictEqual(await shop.refund(created, {}), 409)
    assert.deepStrictEqual(await shop.refundsOf(created), { ...before, pending: 10_000 })
  })
})
