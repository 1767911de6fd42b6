/** Stripe's amounts (https://docs.stripe.com/currencies): what goes out, what comes back, and what has no amount. */

import { assert, describe, it } from "@effect/vitest"
import { StripeConnector } from "@pointsman/connector-stripe"
import { itRuns } from "@pointsman/contracts/vitest"
import { NotSent, scaleOf } from "@pointsman/core/connector"
import { Effect } from "effect"
import { asks, connected, formOf, sample, unanswers } from "./Calls.ts"
import { answer, paymentIntent } from "./Stripe.ts"

/** Our minor units, and Stripe's. */
const same: ReadonlyArray<readonly [string, number, number]> = [
  ["EUR", 1234, 1234],
  ["USD", 50, 50],
  ["HUF", 1045, 1045],
  ["TWD", 80045, 80045],
  ["JPY", 500, 500],
  ["KRW", 500, 500],
  ["XOF", 500, 500],
  ["VND", 500, 500],
  ["KWD", 5120, 5120],
  ["BHD", 10, 10],
  // No decimals by now, and two at Stripe, which are always 00.
  ["ISK", 5, 500],
  ["UGX", 5, 500],
  // Two decimals in ISO 4217, and none at Stripe.
  ["MGA", 500, 5]
]

describe("amounts", () => {
  for (const [currency, minorUnits, amount] of same) {
    itRuns(`${minorUnits} minor units of ${currency} are ${amount}, and the same back`, function* () {
      const body = paymentIntent({ amount, amount_received: amount, currency: currency.toLowerCase() })
      const { connector, requests } = connected([answer(200, body)])
      const state = yield* connector.charge({ ...sample.charge, money: { minorUnits, currency } })
      assert.deepStrictEqual(state, { _tag: "Captured", providerRef: body.id, stated: { minorUnits, currency } })
      assert.strictEqual(formOf(requests[0]).get("amount"), String(amount))
      assert.strictEqual(formOf(requests[0]).get("currency"), currency.toLowerCase())
    })
  }

  // Stripe takes the first three in larger steps, and the others not at all. The suite shows it of each operation.
  for (const [currency, minorUnits] of [
    ["KWD", 5124],
    ["TND", 1],
    ["MGA", 505],
    ["IQD", 1000],
    ["CLF", 10000],
    ["KPW", 1000],
    ["???", 1000]
  ] as const) {
    itRuns(`${minorUnits} minor units of ${currency} are NotSent, and nothing is sent`, function* () {
      const { connector, requests } = connected([])
      const failure = yield* Effect.flip(connector.charge({ ...sample.charge, money: { minorUnits, currency } }))
      assert.instanceOf(failure, NotSent)
      const reason = `nothing was sent: Stripe cannot represent ${minorUnits} minor units of ${currency}`
      assert.strictEqual(failure.reason, reason)
      assert.isEmpty(requests)
    })
  }

  const unreadable: ReadonlyArray<readonly [string, number]> = [
    ["isk", 505],
    ["ugx", 1],
    ["iqd", 1000],
    ["zzz", 1000],
    ["mga", 9_007_199_254_740_991]
  ]
  for (const [currency, amount] of unreadable) {
    itRuns(`an answer of ${amount} ${currency} is Unanswered: how much that is, is unclear`, function* () {
      const given = answer(200, paymentIntent({ amount, amount_received: amount, currency }))
      yield* unanswers(asks.charge, given)
    })
  }

  it("every currency that is offered is one of money", () => {
    const offered = StripeConnector.definition.supports.currencies ?? []
    assert.deepStrictEqual(
      offered.filter((code) => scaleOf(code) === undefined),
      []
    )
    assert.strictEqual(new Set(offered).size, offered.length)
    assert.isAbove(offered.length, 135)
  })
})
