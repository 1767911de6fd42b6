/** Small worlds of routing: every distinguishable payment in them, and its routing. */
import { ruleFindings } from "@pointsman/configuration"
import type { Connection, PaymentDetails, RoutingSettings } from "@pointsman/core"
import { planRoute, type RouteQuestion } from "@pointsman/core/internal"
import { Result } from "effect"

export const connection = (id: string, change: Partial<Connection> = {}): Connection => ({
  id,
  workspaceId: "acme",
  environment: "production",
  name: id,
  connector: "scripted",
  active: true,
  priority: 1,
  sealedCredentials: "",
  sealedWebhookSecret: null,
  timeoutMillis: null,
  supports: {},
  restrictions: [],
  circuitBreaker: null,
  ...change
})

/** Of a retailer in the Netherlands, whose providers have no limits. */
export const findings = (
  settings: Partial<RoutingSettings>,
  connections: ReadonlyArray<Connection> = [connection("main")],
  others: Partial<Parameters<typeof ruleFindings>[0]> = {}
) =>
  ruleFindings({
    ...{ settings: { mode: "failover", ...settings }, connections, providerSupports: () => ({}) },
    ...{ merchantCountry: "NL", merchantCategory: "retail", ...others }
  })

/** What conditions and limits of these worlds may name; the last of each represents what none of them names. */
export const values = {
  currency: ["EUR", "USD", "GBP"],
  country: ["NL", "DE", "FR"],
  method: ["card", "bank", "wallet", "crypto"],
  cardBrand: ["visa", null, "jcb"],
  initiator: ["cit", "mit"],
  captureMethod: ["automatic", "manual"],
  minorUnits: [50, 60, 100]
} as const

export const everyPayment: ReadonlyArray<PaymentDetails> = values.currency.flatMap((currency) =>
  values.minorUnits.flatMap((minorUnits) =>
    values.country.flatMap((country) =>
      values.method.flatMap((method) =>
        values.cardBrand.flatMap((cardBrand) =>
          values.initiator.flatMap((initiator) =>
            values.captureMethod.map((captureMethod) => ({
              money: { minorUnits, currency },
              country,
              method,
              cardBrand,
              initiator,
              captureMethod,
              reference: null,
              simulation: null
            }))
          )
        )
      )
    )
  )
)

const question = (
  payment: PaymentDetails,
  settings: RoutingSettings,
  connections: ReadonlyArray<Connection>,
  seed: string
) =>
  ({
    payment,
    seed,
    settings,
    connections,
    merchantCountry: "NL",
    merchantCategory: "retail",
    instrumentConnectionIds: null,
    unable: [],
    circuits: [],
    strategies: [],
    rates: () => {
      throw new Error("no strategy is asked here")
    },
    providerSupports: () => ({})
  }) satisfies RouteQuestion

/** Which rule decides the payment; `null` where none matches. */
export const decidedBy = (settings: RoutingSettings, payment: PaymentDetails): string | null => {
  const rules = (settings.rules ?? []).map((rule) => ({ ...rule, use: { mode: "fixed" as const } }))
  const open = [connection("open")]
  return Result.getOrThrow(planRoute(question(payment, { mode: "fixed", rules }, open, "p"))).decision.rule
}

/** The ids of the connections that may be asked, in order; none where there is no route. */
export const routeOf = (
  settings: RoutingSettings,
  connections: ReadonlyArray<Connection>,
  payment: PaymentDetails,
  seed = "p"
): ReadonlyArray<string> =>
  Result.match(planRoute(question(payment, settings, connections, seed)), {
    onFailure: () => [],
    onSuccess: ({ order }) => order.map(({ id }) => id)
  })
