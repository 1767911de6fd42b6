import { connectorSuite, type Operation, type Situation } from "@pointsman/contracts/connector"
import type { DeclineCategory, TransportAnswer } from "@pointsman/core/connector"
import { definition } from "../src/MyConnector.ts"

const apiKey = "tiny_key_of_the_test"

const answer = (status: number, body: unknown): TransportAnswer => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

connectorSuite({
  name: "tiny-pay",
  definition,
  credentials: { url: "https://tiny-pay.example/v1/", apiKey },
  secrets: [apiKey],
  brokenCredentials: [
    { credentials: undefined, field: "credentials.url" },
    { credentials: { apiKey }, field: "credentials.url" },
    { credentials: { url: "tiny-pay.example", apiKey }, field: "credentials.url" },
    { credentials: { url: "https://tiny-pay.example" }, field: "credentials.apiKey" },
    { credentials: { url: "https://tiny-pay.example", apiKey: "two words" }, field: "credentials.apiKey" }
  ],
  play: (situation) => {
    const played = answerTo(situation)
    return played === undefined ? undefined : { answer: played }
  },
  // A charge that Tiny Pay does not know was never received.
  lacks: ["lookup not found yet"],
  // What nobody pays in time is released.
  byHand: {
    lookUp: (of) =>
      of.name === "expiry"
        ? [charge(of, { state: "released" })]
        : { lacks: "Tiny Pay has no captures, voids and refunds" }
  },
  wire: {
    idempotencyKeyOf: (request) => request.headers["idempotency-key"],
    amountOf: (request) => JSON.parse(request.body ?? "{}").amount,
    amounts: { EUR: "12.34", JPY: "500", KWD: "1.230" },
    currencyOf: (request) => JSON.parse(request.body ?? "{}").currency,
    currencies: { EUR: "EUR", JPY: "JPY", KWD: "KWD" },
    unknownStatus: (_operation, situation) => charge(situation, { state: "on_holiday" }),
    withoutReference: (_operation: Operation, situation) => charge(situation, { state: "paid", id: undefined })
  }
})

function charge(
  { money, providerRef }: Pick<Situation, "money" | "providerRef">,
  fields: Readonly<Record<string, unknown>>
): TransportAnswer {
  const amounts: Readonly<Record<string, string>> = { EUR: "12.34", JPY: "500", KWD: "1.230" }
  return answer(200, { id: providerRef, amount: amounts[money.currency], currency: money.currency, ...fields })
}

/** How Tiny Pay says it; a decline that it has no reason for is one that it does not make. */
function answerTo(situation: Situation): TransportAnswer | undefined {
  switch (situation.name) {
    case "charge authorized":
    case "lookup authorized":
      return charge(situation, { state: "held" })
    case "charge captured":
    case "lookup captured":
      return charge(situation, { state: "paid" })
    case "charge pending":
    case "lookup pending":
      return charge(situation, { state: "working" })
    case "charge needs customer":
    case "lookup needs customer":
      return charge(situation, { state: "challenge" })
    case "charge canceled":
    case "lookup canceled":
      return charge(situation, { state: "released" })
    case "charge declined":
    case "lookup declined": {
      const said = reasons.find(
        ([, category, soft]) => category === situation.decline?.category && soft === situation.decline.soft
      )
      return said === undefined ? undefined : charge(situation, { state: "refused", reason: said[0] })
    }
    case "charge rejected":
      return answer(422, { error: situation.rejection })
    case "lookup not found":
      return answer(404, { error: { code: "no_such_charge", message: "Never received." } })
    default:
      return undefined
  }
}

const reasons: ReadonlyArray<readonly [reason: string, category: DeclineCategory, soft: boolean]> = [
  ["no_funds", "insufficient_funds", false],
  ["stolen", "lost_or_stolen", false],
  ["bank_closed", "issuer_unavailable", true],
  ["bad_weather", "other", false]
]
