import { assert, describe, it } from "@effect/vitest"
import { PayPalConnector } from "@pointsman/connector-paypal"
import { itRuns } from "@pointsman/contracts/vitest"
import { money } from "@pointsman/core/connector"
import { Effect, Exit } from "effect"
import { attemptId, bodyOf, connected, sample } from "./Calls.ts"
import { amount, answer, capture, order, token } from "./PayPal.ts"

/** Literal: a formula would repeat the connector's. */
const written: ReadonlyArray<readonly [string, number, string]> = [
  ["EUR", 1, "0.01"],
  ["EUR", 1234, "12.34"],
  ["USD", 100_000_000, "1000000.00"],
  ["JPY", 500, "500"],
  ["HUF", 50_000, "500"],
  ["TWD", 100, "1"]
]

const unsayable: ReadonlyArray<readonly [string, number]> = [
  ["KWD", 1230],
  ["HUF", 50_001],
  ["TWD", 1234],
  ["EUR", 0],
  ["EUR", -1234],
  ["EUR", 12.5],
  ["ZZZ", 100]
]

const chargeOf = Effect.fnUntraced(function* (currency: string, minorUnits: number) {
  const { connector, requests } = connected([answer(200, token()), answer(500, "")])
  const failure = yield* Effect.flip(connector.charge({ ...sample.charge, money: money(minorUnits, currency) }))
  return { failure, requests }
})

describe("amounts", () => {
  for (const [currency, minorUnits, value] of written) {
    itRuns(`${minorUnits} minor units of ${currency} are ${value}`, function* () {
      const { requests } = yield* chargeOf(currency, minorUnits)
      const [unit] = bodyOf(requests[1])["purchase_units"] as ReadonlyArray<{ readonly amount: unknown }>
      assert.deepStrictEqual(unit?.amount, { currency_code: currency, value })
    })
  }
  for (const [currency, minorUnits] of unsayable) {
    itRuns(`${minorUnits} minor units of ${currency} are NotSent in words, without a token`, function* () {
      const { failure, requests } = yield* chargeOf(currency, minorUnits)
      assert.isEmpty(requests)
      assert.include(failure.reason, `PayPal cannot represent ${minorUnits} minor units of ${currency}`)
    })
  }
  it("names every currency of PayPal's page, and no other", () => {
    const { currencies = [] } = PayPalConnector.definition.supports
    assert.strictEqual(currencies.length, 25)
    assert.notInclude(currencies, "KWD")
  })

  const stated: ReadonlyArray<readonly [string, string, number | undefined]> = [
    ["12.34", "EUR", 1234],
    ["12.3", "EUR", 1230],
    ["12", "EUR", 1200],
    ["500", "JPY", 500],
    ["500.00", "JPY", 500],
    ["500.00", "HUF", 50_000],
    ["500.50", "JPY", undefined],
    ["12.345", "EUR", undefined],
    ["-12.34", "EUR", undefined],
    ["1e3", "EUR", undefined],
    ["012.34", "EUR", undefined],
    ["12,34", "EUR", undefined],
    ["99999999999999999", "EUR", undefined],
    ["1.230", "KWD", undefined]
  ]
  for (const [value, currency, minorUnits] of stated) {
    itRuns(`a capture of ${value} ${currency} is ${minorUnits ?? "nothing is known"}`, function* () {
      const body = order(attemptId, { captures: [capture({ amount: amount(value, currency) })] })
      const { connector } = connected([answer(200, token()), answer(201, body)])
      const exit = yield* Effect.exit(connector.charge(sample.charge))
      const state = Exit.isSuccess(exit) && "stated" in exit.value ? exit.value.stated : undefined
      assert.deepStrictEqual(state, minorUnits === undefined ? undefined : money(minorUnits, currency))
    })
  }
})
