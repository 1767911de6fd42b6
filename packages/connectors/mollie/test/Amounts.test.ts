/** Amounts as Mollie writes them: exact in both directions, and nothing else is an amount. */
import { money, scaleOf } from "@pointsman/core/connector"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { currencies, fromMollie, toMollie } from "../src/Amounts.ts"

/** https://docs.mollie.com/docs/multicurrency: two decimals, but for these. */
const withoutDecimals: ReadonlySet<string> = new Set(["ISK", "JPY"])

describe("amounts at Mollie", () => {
  it.each([
    [1234, "EUR", "12.34"],
    [1000, "EUR", "10.00"],
    [1, "EUR", "0.01"],
    [0, "EUR", "0.00"],
    [1000, "JPY", "1000"],
    [0, "JPY", "0"],
    [1230, "KWD", "1.230"],
    [1, "KWD", "0.001"],
    [100_000_000, "EUR", "1000000.00"]
  ])("%i minor units of %s are %s, and back", (minorUnits, currency, value) => {
    assert.deepStrictEqual(toMollie(money(minorUnits, currency)), { currency, value })
    assert.deepStrictEqual(fromMollie({ currency, value }), money(minorUnits, currency))
  })

  it("any amount of any currency of Mollie's is the same there and back", () => {
    fc.assert(
      fc.property(fc.constantFrom(...currencies), fc.integer({ min: 0, max: 1e12 }), (currency, minorUnits) => {
        const amount = toMollie(money(minorUnits, currency))
        if (amount === undefined) return assert.fail(`no amount of ${currency}`)
        assert.deepStrictEqual(fromMollie(amount), money(minorUnits, currency))
      })
    )
  })

  it("each currency of Mollie's page has as many decimals as here", () => {
    for (const currency of currencies) {
      assert.strictEqual(scaleOf(currency), withoutDecimals.has(currency) ? 0 : 2, currency)
    }
  })

  it("an invalid amount is none", () => {
    for (const value of "|1|1.2|1.234|01.00|-1.00|+1.00|1,00|1e2|NaN|1.00 | 1.00|१.००".split("|")) {
      assert.isUndefined(fromMollie({ currency: "EUR", value }), value)
    }
    assert.isUndefined(fromMollie({ currency: "XXX", value: "1.00" }))
    assert.isUndefined(fromMollie({ currency: "EUR", value: "100000000000000.00" }))
    for (const minorUnits of [-1, 0.5, Number.NaN, 2 ** 53]) assert.isUndefined(toMollie(money(minorUnits, "EUR")))
    assert.isUndefined(toMollie(money(1, "XXX")))
  })
})
