/** Amounts for people: exact to the last minor unit, in the scale of ISO 4217. */
import { assert, it } from "@effect/vitest"
import { amountLimits, amountText, currencies, money, scaleOf } from "../src/money/Money.ts"

it.each([
  [1_999, "EUR", "€19.99"],
  [1_999, "JPY", "¥1,999"],
  [1_999, "KWD", "KWD\u00A01.999"],
  [7, "KWD", "KWD\u00A00.007"],
  [0, "USD", "$0.00"],
  [1_999, "CLF", "CLF\u00A00.1999"],
  [amountLimits.maximum, "EUR", "€1,000,000.00"],
  [Number.MAX_SAFE_INTEGER, "EUR", "€90,071,992,547,409.91"],
  [Number.MAX_SAFE_INTEGER - 1, "KWD", "KWD\u00A09,007,199,254,740.990"],
  [Number.MAX_SAFE_INTEGER, "JPY", "¥9,007,199,254,740,991"]
])("%d minor units of %s in English are %s", (minorUnits, currency, text) => {
  assert.strictEqual(amountText(money(minorUnits, currency), "en"), text)
})

it("a sign behind letters stays behind them in text from right to left", () => {
  assert.strictEqual(amountText(money(1_999, "JPY"), "ar"), "\u200F1,999\u00A0JP¥\u200E")
  assert.notInclude(amountText(money(1_999, "EUR"), "ar"), "\u200E")
})

it("the largest amount of any currency shows every digit of its minor units", () => {
  for (const currency of currencies) {
    for (const minorUnits of [99_999_999, amountLimits.maximum, Number.MAX_SAFE_INTEGER]) {
      const text = amountText(money(minorUnits, currency), "en")
      assert.strictEqual(text.replace(/\D/gu, ""), String(minorUnits), currency)
      assert.strictEqual(/\.(\d+)$/u.exec(text)?.[1]?.length ?? 0, scaleOf(currency), currency)
    }
  }
})

it("a code that is no currency is refused", () => {
  assert.throws(() => amountText(money(1, "XXX"), "en"), /unknown scale of the currency XXX/u)
})
