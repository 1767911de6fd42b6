/** What the connector suite cannot know of Tiny Pay: its decimal text. */
import { assert, it } from "@effect/vitest"
import { scriptedConnector } from "@pointsman/contracts/connector"
import { type ChargeRequest, type Money, money, NotSent, Unanswered } from "@pointsman/core/connector"
import { Effect } from "effect"
import { definition } from "../src/MyConnector.ts"

/** Charges once, at a Tiny Pay that answers with this amount. */
const charge = (asked: Money, answered: { readonly amount: string; readonly currency: string }) => {
  const body = JSON.stringify({ id: "tiny_1", state: "paid", ...answered })
  const credentials = { url: "https://tiny-pay.example", apiKey: "tiny_key" }
  const { connector, requests } = scriptedConnector(definition, [{ status: 200, headers: {}, body }], { credentials })
  const request: ChargeRequest = {
    attemptId: "att_1",
    attemptNumber: 1,
    paymentId: "payment",
    money: asked,
    country: "NL",
    method: "card",
    cardBrand: null,
    initiator: "cit",
    capture: true,
    reference: null,
    instrument: null,
    simulation: null
  }
  return { answer: connector.charge(request), sent: () => requests.map((sent) => JSON.parse(sent.body ?? "{}").amount) }
}

const texts: ReadonlyArray<readonly [asked: Money, amount: string]> = [
  [money(50, "EUR"), "0.50"],
  [money(5, "EUR"), "0.05"],
  [money(50, "KWD"), "0.050"],
  [money(50, "JPY"), "50"],
  [money(100_000_000, "EUR"), "1000000.00"]
]
for (const [asked, amount] of texts) {
  it.effect(`${asked.minorUnits} minor units of ${asked.currency} are ${amount} both ways`, () =>
    Effect.gen(function* () {
      const { answer, sent } = charge(asked, { amount, currency: asked.currency })
      assert.deepStrictEqual(yield* answer, { _tag: "Captured", providerRef: "tiny_1", stated: asked })
      assert.deepStrictEqual(sent(), [amount])
    })
  )
}

const unreadable = ["12.3", "12.345", "12", "12,34", "-12.34", "1e3", "", " 12.34", ".34"]
for (const amount of unreadable) {
  it.effect(`"${amount}" EUR in the answer is Unanswered and not rounded`, () =>
    Effect.gen(function* () {
      const { answer } = charge(money(1234, "EUR"), { amount, currency: "EUR" })
      assert.instanceOf(yield* Effect.flip(answer), Unanswered)
    })
  )
}

it.effect("a code that is no currency is NotSent without a request", () =>
  Effect.gen(function* () {
    const { answer, sent } = charge(money(1234, "XXX"), { amount: "12.34", currency: "XXX" })
    assert.instanceOf(yield* Effect.flip(answer), NotSent)
    assert.deepStrictEqual(sent(), [])
  })
)
