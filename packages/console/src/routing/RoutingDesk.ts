/** What an operator reads of routing, through core's door. The pages and the API share it. */
import { ruleFindings, understandRouting } from "@pointsman/configuration"
import type { RoutingConfiguration } from "@pointsman/core"
import { amountLimits, kindOfMethod, type PaymentDetails, Pointsman, type Workspace } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import { internalError } from "../api/Errors.ts"
import { callerOf, type TenantPath } from "../gate/Caller.ts"
import { refusals, understood } from "../gate/Configuring.ts"
import { takeRecentSignIn } from "../gate/RecentSignIn.ts"
import type { HistoryPeriod, Preview, PreviewQuery } from "./RoutingRecords.ts"
import { historyView, rateView, routeView, settingsView } from "./RoutingViews.ts"

export const routing = Effect.fnUntraced(function* (path: TenantPath) {
  const { tenant, workspace } = yield* callerOf(path)
  const pointsman = yield* Pointsman
  const configuration = yield* Effect.catch(pointsman.routingConfiguration(tenant), internalError)
  const { connections } = configuration
  const findings = findingsOf(configuration, workspace)
  const circuits = yield* pointsman.circuits
  return settingsView(
    configuration,
    findings,
    circuits.filter(({ connectionId }) => connections.some(({ id }) => id === connectionId))
  )
})

const findingsOf = (configuration: RoutingConfiguration, { category, country }: Workspace) =>
  ruleFindings({ ...configuration, merchantCountry: country, merchantCategory: category })

/** As it is stored, and what a change of it has to name. */
export const stored = Effect.fnUntraced(function* (path: TenantPath) {
  const { tenant } = yield* callerOf(path)
  const pointsman = yield* Pointsman
  const { settings } = yield* Effect.catch(pointsman.routingConfiguration(tenant), internalError)
  return { settings, seen: yield* pointsman.configure.markOf(settings) }
})

/** What an operator wrote, checked as the configuration file is, with what can never take effect. */
export const proposed = Effect.fnUntraced(function* (path: TenantPath, text: string) {
  const { tenant, workspace } = yield* callerOf(path)
  const configuration = yield* Effect.catch((yield* Pointsman).routingConfiguration(tenant), internalError)
  const json = yield* Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: () => InProcess.validationErrorOf("the routing must be JSON")
  })
  const settings = yield* understood(understandRouting(json, path.environment, configuration.connections))
  const after = { ...configuration, settings }
  return { settings, view: settingsView(after, findingsOf(after, workspace), []) }
})

/** `seen`: of `stored`, as the operator read it. */
export const change = Effect.fnUntraced(function* (path: TenantPath, text: string, seen: string) {
  yield* takeRecentSignIn
  const { tenant } = yield* callerOf(path)
  const { settings } = yield* proposed(path, text)
  yield* Effect.catchTags((yield* Pointsman).configure.changeRouting(tenant, settings, seen), refusals)
})

export const rates = Effect.fnUntraced(function* (path: TenantPath) {
  const { tenant } = yield* callerOf(path)
  const stored = yield* Effect.catch((yield* Pointsman).successRates(tenant), internalError)
  return stored.map(rateView)
})

const hour = 3_600_000

const spans: Readonly<Record<HistoryPeriod, { readonly stepMillis: number; readonly steps: number }>> = {
  "24h": { stepMillis: hour, steps: 24 },
  "7d": { stepMillis: 6 * hour, steps: 28 },
  "30d": { stepMillis: 24 * hour, steps: 30 }
}

/** `segment`: empty for all payments. */
export const history = Effect.fnUntraced(function* (path: TenantPath, period: HistoryPeriod, segment: string) {
  const { tenant } = yield* callerOf(path)
  const found = yield* Effect.catch((yield* Pointsman).successHistory(tenant, spans[period]), internalError)
  return historyView(found, period, segment)
})

export const preview = Effect.fnUntraced(function* (path: TenantPath, query: PreviewQuery) {
  const { tenant, workspace } = yield* callerOf(path)
  const pointsman = yield* Pointsman
  const { amount } = query
  if (amount < amountLimits.minimum || amount > amountLimits.maximum) {
    return yield* Effect.fail(InProcess.validationErrorOf(`\`amount\` must be ${InProcess.createExpectations.amount}`))
  }
  const details = detailsOf(query)
  const { connections } = yield* Effect.catch(pointsman.routingConfiguration(tenant), internalError)
  const found = yield* Effect.catch(pointsman.previewRouting({ tenant, workspace, details }), internalError)
  return {
    routes: found.routes.map((route) => routeView(route, found.payments, connections))
  } satisfies Preview
})

/** With the defaults of the payment API. */
const detailsOf = ({
  amount,
  capture_method,
  card_brand,
  country,
  currency,
  initiator,
  method,
  payment_method
}: PreviewQuery): PaymentDetails => ({
  money: { minorUnits: amount, currency },
  country,
  // The form always has a kind, and a name decides it.
  method: payment_method === undefined ? (method ?? "card") : kindOfMethod(payment_method),
  ...(payment_method === undefined ? {} : { paymentMethod: payment_method }),
  cardBrand: card_brand ?? null,
  initiator: initiator ?? "cit",
  captureMethod: capture_method ?? "automatic",
  reference: null,
  simulation: null
})
