/** Routing as the console's API shows it. Amounts are in minor units, times in RFC 3339, rates and shares from 0 to 1. */
import { ruleFindingKinds } from "@pointsman/configuration"
import {
  autoObjectives,
  captureMethods,
  exclusionCodes,
  initiators,
  paymentMethodNames,
  paymentMethods,
  routingModes
} from "@pointsman/core"
import { CreatePayment } from "@pointsman/http/api"
import { Schema, SchemaGetter } from "effect"
import { described, Text, TextOrNull } from "../api/Records.ts"
import { RouteValue } from "../api/RouteValue.ts"

const Texts = Schema.Array(Text)
const TextsOrNull = Schema.NullOr(Texts)
const Mode = Schema.Literals(routingModes)

const AmountRange = Schema.Struct({ min: Schema.optionalKey(Schema.Int), max: Schema.optionalKey(Schema.Int) })

export const Condition = Schema.Struct({
  currency: Schema.optionalKey(Texts),
  amount: Schema.optionalKey(AmountRange),
  country: Schema.optionalKey(Texts),
  method: Schema.optionalKey(Schema.Array(Schema.Literals(paymentMethods))),
  paymentMethod: Schema.optionalKey(Schema.Array(Schema.Literals(paymentMethodNames))),
  cardBrand: Schema.optionalKey(Texts),
  initiator: Schema.optionalKey(Schema.Array(Schema.Literals(initiators))),
  captureMethod: Schema.optionalKey(Schema.Array(Schema.Literals(captureMethods)))
}).annotate({ identifier: "Condition", description: "As the configuration file has it." })

export const Supports = Schema.Struct({
  currencies: Schema.optionalKey(Texts),
  payerCountries: Schema.optionalKey(Texts),
  methods: Schema.optionalKey(Schema.Array(Schema.Literals(paymentMethods))),
  paymentMethods: Schema.optionalKey(
    Schema.Record(
      Text,
      Schema.Struct({ currencies: Schema.optionalKey(Texts), manualCapture: Schema.optionalKey(Schema.Boolean) })
    )
  ),
  cardBrands: Schema.optionalKey(Texts),
  recurring: Schema.optionalKey(Schema.Boolean),
  merchantCountries: Schema.optionalKey(Texts),
  blockedCategories: Schema.optionalKey(Texts),
  amount: Schema.optionalKey(Schema.Record(Text, AmountRange)),
  requiresAuthentication: Schema.optionalKey(Texts)
}).annotate({ identifier: "Supports", description: "As the configuration file has it. An absent field is no limit." })

export const Circuit = Schema.Struct({
  state: Schema.Literals(["closed", "half-open", "open"]),
  failures: Schema.Int.annotateKey(described("Failures since the last success, as this server saw them.")),
  opened: TextOrNull,
  probe: TextOrNull.annotateKey(described("When one payment is let through as a probe."))
}).annotate({ identifier: "Circuit", description: "A circuit breaker on this server." })

const Finding = Schema.Struct({ kind: Schema.Literals(ruleFindingKinds), reason: Text }).annotate({
  identifier: "Finding",
  description: "What can never take effect."
})

const Rule = Schema.Struct({
  name: Text,
  when: Condition,
  mode: Mode,
  order: TextsOrNull,
  split: Schema.NullOr(Schema.Record(Text, Schema.Finite)),
  max_attempts: Schema.NullOr(Schema.Int),
  strategy: TextOrNull,
  findings: Schema.Array(Finding)
}).annotate({ identifier: "RoutingRule", description: "The first rule that matches decides." })

export const RoutingSettings = Schema.Struct({
  mode: Mode,
  order: TextsOrNull.annotateKey(described("`null`: every connection, by priority.")),
  max_attempts: Schema.Int,
  strategy: TextOrNull,
  exploration: Schema.Finite.annotateKey(described("The share of payments with which `auto` explores.")),
  objective: Schema.Literals(autoObjectives).annotateKey(described("What `auto` orders connections by.")),
  max_approval_loss: Schema.Finite.annotateKey(
    described("The most approval that a leading connection may give up for `value`, from 0 to 1.")
  ),
  rules: Schema.Array(Rule),
  control: Schema.NullOr(Schema.Struct({ share: Schema.Finite, order: Texts, findings: Schema.Array(Finding) })),
  findings: Schema.Array(Finding).annotateKey(described("About payments that match no rule.")),
  circuits: Schema.Array(Schema.Struct({ connection_id: Text, ...Circuit.fields }))
}).annotate({ identifier: "RoutingSettings", description: "How payments of the environment are routed now." })
export type RoutingSettings = typeof RoutingSettings.Type

const rangeFields = {
  succeeded: Schema.Finite,
  failed: Schema.Finite,
  rate: Schema.NullOr(Schema.Finite).annotateKey(described("`null` without outcomes.")),
  low: Schema.NullOr(Schema.Finite).annotateKey(described("The lower end of the range of 95 % confidence.")),
  high: Schema.NullOr(Schema.Finite)
}

export const Rate = Schema.Struct({
  connection_id: Text,
  segment: TextOrNull.annotateKey(described("Currency, country, method and card brand; `null` over all.")),
  ...rangeFields
}).annotate({ identifier: "Rate", description: "Outcomes of attempts." })
export type Rate = typeof Rate.Type

export const historyPeriods = ["24h", "7d", "30d"] as const
export type HistoryPeriod = (typeof historyPeriods)[number]

/** A brand has at most 20 characters, and the rest of a segment is short. */
const segmentCharacters = 80
export const segmentExpected = `a segment, such as EUR NL card visa: at most ${segmentCharacters} characters`

export const HistoryQuery = {
  period: Schema.optionalKey(Schema.Literals(historyPeriods)).annotateKey(described("`24h` unless set.")),
  segment: Schema.optionalKey(Text.check(Schema.isMaxCodePoints(segmentCharacters))).annotateKey(
    described("One of `segments`; all payments unless set.")
  )
}

const Step = Schema.Struct({ from: Text, ...rangeFields })

export const History = Schema.Struct({
  period: Schema.Literals(historyPeriods),
  step_seconds: Schema.Int,
  until: Text.annotateKey(described("When the last step ends.")),
  payments: Schema.Int.annotateKey(described("Payments that were counted.")),
  is_sampled: Schema.Boolean.annotateKey(
    described("Whether the period may have more payments than were counted: 100 to 200 of each step are.")
  ),
  segments: Schema.Array(Rate).annotateKey(described("Over the whole period, those with the most outcomes first.")),
  series: Schema.Array(Schema.Struct({ connection_id: Text, steps: Schema.Array(Step) }))
}).annotate({ identifier: "SuccessHistory", description: "How attempts ended over time." })
export type History = typeof History.Type

const { capture_method, card_brand, country, currency, initiator, method, payment_method } = CreatePayment.fields

/** A payment that may be made, in the names of the payment API. Its amount is checked against the limits later. */
export const PreviewQuery = Schema.Struct({
  amount: Text.check(Schema.isPattern(/^[0-9]{1,15}$/u)).pipe(
    Schema.decodeTo(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)), {
      decode: SchemaGetter.transform(Number),
      encode: SchemaGetter.transform(String)
    })
  ),
  currency,
  country,
  method,
  payment_method,
  card_brand,
  initiator,
  capture_method
})
export type PreviewQuery = typeof PreviewQuery.Type

const Counts = Schema.Struct({ succeeded: Schema.Finite, failed: Schema.Finite })

const KnownRate = Schema.Struct({
  ...Counts.fields,
  memory: Schema.optionalKey(Schema.Struct({ short: Counts, long: Counts })).annotateKey(
    described(
      "What the objective `value` weighs: about the last 50 and 400 outcomes, but none from before the rate changed."
    )
  )
})

const PreviewedRoute = Schema.Struct({
  share: Schema.Finite.annotateKey(described("Of such payments, as far as it is drawn.")),
  path: Schema.Literals(["engine", "rule", "control"]),
  rule: TextOrNull,
  mode: Mode,
  strategy: Text,
  max_attempts: Schema.Int,
  degraded: Schema.Boolean.annotateKey(described("Every circuit is open, so that they are tried all the same.")),
  note: TextOrNull,
  candidates: Schema.Array(
    Schema.Struct({
      connection_id: Text,
      name: Text,
      priority: Schema.Int,
      score: Schema.NullOr(Schema.Finite),
      rates: Schema.NullOr(Schema.Struct({ connection: KnownRate, segment: KnownRate })),
      value: Schema.optionalKey(RouteValue)
    })
  ),
  excluded: Schema.Array(
    Schema.Struct({ connection_id: Text, name: Text, code: Schema.Literals(exclusionCodes), reason: Text })
  ),
  not_named: Schema.Array(Schema.Struct({ connection_id: Text, name: Text })).annotateKey(
    described("Connections that could take the payment, and that the order does not name.")
  )
}).annotate({ identifier: "PreviewedRoute", description: "A route that such payments take." })
export type PreviewedRoute = typeof PreviewedRoute.Type

export const Preview = Schema.Struct({
  routes: Schema.Array(PreviewedRoute).annotateKey(described("The most frequent first."))
}).annotate({ identifier: "RoutingPreview", description: "Where a payment would go." })
export type Preview = typeof Preview.Type
