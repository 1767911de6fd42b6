/** A payment as the console's API shows it. Amounts are in minor units of the payment's currency, times in RFC 3339. */
import {
  attemptOutcomes,
  eventTypes,
  exclusionCodes,
  operationKinds,
  operationOutcomes,
  refundStages
} from "@pointsman/core"
import { Decline, Payment } from "@pointsman/http/api"
import { Schema } from "effect"
import { described, Text, TextOrNull } from "../api/Records.ts"
import { RouteValue } from "../api/RouteValue.ts"

const Attempt = Schema.Struct({
  id: Text,
  number: Schema.Int,
  connection_id: Text,
  amount: Schema.Int,
  currency: Text,
  sent: Text,
  answered: TextOrNull,
  outcome: Schema.NullOr(Schema.Literals(attemptOutcomes)).annotateKey(described("`null` while it is in flight.")),
  decline_category: TextOrNull,
  decline: Schema.optionalKey(Decline).annotateKey(described("Present if the provider declined.")),
  code: TextOrNull,
  reason: TextOrNull,
  provider_reference: TextOrNull
}).annotate({ identifier: "Attempt", description: "One call to one provider to charge the payment." })

const Operation = Schema.Struct({
  id: Text,
  kind: Schema.Literals(operationKinds),
  amount: Schema.Int,
  currency: Text,
  connection_id: Text,
  sent: Text,
  answered: TextOrNull,
  outcome: Schema.NullOr(Schema.Literals(operationOutcomes)).annotateKey(described("`null` while it is in flight.")),
  code: TextOrNull,
  reason: TextOrNull
}).annotate({ identifier: "Operation", description: "A capture or a void." })

const Refund = Schema.Struct({
  id: Text,
  origin: Schema.Literals(["api", "provider"]).annotateKey(
    described("`provider`: the merchant made it at the provider, in its dashboard for example.")
  ),
  stage: Schema.Literals(refundStages),
  amount: Schema.Int,
  currency: Text,
  reason: TextOrNull,
  connection_id: Text,
  sent: Text,
  settled: TextOrNull,
  failure_reason: TextOrNull
}).annotate({ identifier: "Refund", description: "A refund." })

const Routing = Schema.Struct({
  mode: Text,
  path: Text,
  rule: TextOrNull,
  note: TextOrNull,
  candidates: Schema.Array(
    Schema.Struct({
      connection_id: Text,
      name: Text,
      score: Schema.NullOr(Schema.Finite),
      value: Schema.optionalKey(RouteValue)
    })
  ),
  excluded: Schema.Array(
    Schema.Struct({ connection_id: Text, name: Text, code: Schema.Literals(exclusionCodes), reason: Text })
  )
}).annotate({ identifier: "Routing", description: "Why the payment went where it went." })

const Event = Schema.Struct({ id: Text, type: Schema.Literals(eventTypes), created: Text }).annotate({
  identifier: "TimelineEvent",
  description: "An entry of the payment's timeline."
})

export const PaymentFile = Schema.Struct({
  payment: Payment,
  authorized_amount: Schema.Int.annotateKey(described("What the provider holds or held.")),
  connection_id: TextOrNull,
  provider_reference: TextOrNull,
  review: Schema.NullOr(Schema.Struct({ since: Text, reasons: Schema.Array(Text) })).annotateKey(
    described("What operations have to settle; `null` for a payment that is not under review.")
  ),
  routing: Schema.NullOr(Routing),
  attempts: Schema.Array(Attempt),
  operations: Schema.Array(Operation),
  refunds: Schema.Array(Refund),
  events: Schema.Array(Event)
}).annotate({ identifier: "PaymentFile", description: "All that is recorded of a payment." })

export type PaymentFile = typeof PaymentFile.Type
