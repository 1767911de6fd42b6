/**
 * As wide a configuration as is still somebody's: 20 connections with every limit set, of which none leaves out the
 * payment, and 50 rules, of which none but the last matches it, each found out by its last field.
 */
import type { Connection, PaymentDetails, RoutingRule, Supports } from "@pointsman/core"
import { planRoute, type RouteQuestion } from "@pointsman/core/internal"

const connectionCount = 20
const ruleCount = 50

const europe =
  "AL AD AT BE BA BG HR CY CZ DK EE FI FR DE GI GR HU IS IE IT LV LI LT LU MT MC ME MK NO PL PT RO SM RS SK SI ES SE CH GB NL"
const currencies = "AUD BGN BRL CAD CHF CZK DKK GBP HUF ILS ISK JPY MXN NOK NZD PLN RON SEK SGD TRY USD EUR"

/** Lists of their own, as the configuration of each connection and rule has them. */
const listOf = (words: string): ReadonlyArray<string> => words.split(" ")

const limits = (): Supports => ({
  currencies: listOf(currencies),
  payerCountries: listOf(europe),
  methods: ["bank", "wallet", "card"],
  cardBrands: ["amex", "mastercard", "visa"],
  recurring: true,
  merchantCountries: listOf(europe),
  blockedCategories: listOf("gambling weapons adult tobacco crypto"),
  amount: { EUR: { min: 1, max: 1_000_000 } },
  requiresAuthentication: listOf("GB IE")
})

const connections = Array.from(
  { length: connectionCount },
  (_, index): Connection => ({
    id: `connection-${index}`,
    workspaceId: "acme",
    environment: "production",
    name: `Connection ${index}`,
    connector: "wide",
    active: true,
    priority: connectionCount - index,
    sealedCredentials: "",
    sealedWebhookSecret: null,
    timeoutMillis: null,
    supports: limits(),
    restrictions: [{ currency: ["EUR"], country: listOf(europe), method: ["card"], amount: { min: 500_000 } }],
    circuitBreaker: null
  })
)
const ids = connections.map(({ id }) => id)

const providerSupports: Supports = { currencies: listOf(currencies), methods: ["bank", "wallet", "card"] }

const rules = (use: RoutingRule["use"]): ReadonlyArray<RoutingRule> =>
  Array.from({ length: ruleCount }, (_, index) => ({
    name: `Rule ${index}`,
    when: {
      currency: listOf(currencies),
      amount: { min: 100 },
      country: listOf(europe),
      method: ["card"],
      cardBrand: ["amex", "visa"],
      initiator: ["cit"],
      captureMethod: [index === ruleCount - 1 ? "automatic" : "manual"]
    },
    use
  }))

/** What the last rule says. */
export const uses: Readonly<Record<string, RoutingRule["use"]>> = {
  auto: { mode: "auto" },
  split: { mode: "failover", split: Object.fromEntries(ids.map((id) => [id, 1])) },
  order: { mode: "failover", order: ids },
  priority: { mode: "failover" }
}

const payment: PaymentDetails = {
  money: { minorUnits: 1000, currency: "EUR" },
  country: "NL",
  method: "card",
  cardBrand: "visa",
  initiator: "cit",
  captureMethod: "automatic",
  reference: null,
  simulation: null
}

/** No two payments in a row ask for the same country and brand. */
const payments: ReadonlyArray<PaymentDetails> = [payment, { ...payment, country: "SE", cardBrand: "amex" }]

/** Makes one decision after the other, each for another payment. */
export const decisions = (use: RoutingRule["use"]): (() => void) => {
  const known = new Map(
    connections.map(({ id }, index) => {
      const counts = { succeeded: 80 + index, failed: 20 - index }
      return [id, { connection: counts, segment: counts }]
    })
  )
  const nothing = { succeeded: 0, failed: 0 }
  const question: Omit<RouteQuestion, "seed" | "payment"> = {
    settings: { mode: "failover", rules: rules(use) },
    connections,
    unable: [],
    providerSupports: () => providerSupports,
    merchantCountry: "NL",
    merchantCategory: "shoes",
    instrumentConnectionIds: new Set(ids),
    circuits: [],
    strategies: [],
    rates: ({ id }) => known.get(id) ?? { connection: nothing, segment: nothing }
  }
  let count = 0
  return () => {
    const asked = payments[count % payments.length] ?? payment
    const plan = planRoute({ ...question, payment: asked, seed: `01a1fe08-9226-7266-a33a-${count++}` })
    if (plan._tag === "Failure" || plan.success.decision.rule !== `Rule ${ruleCount - 1}`) {
      throw new Error("the payment went elsewhere")
    }
  }
}
