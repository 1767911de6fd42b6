/** What the console's API shows. Amounts are in minor units of the payment's currency, times in RFC 3339. */
import {
  attemptOutcomes,
  environments,
  exclusionCodes,
  operationKinds,
  operationOutcomes,
  operatorActions,
  operatorRoles,
  refundStages
} from "@pointsman/core"
import { Payment } from "@pointsman/http/api"
import { Schema } from "effect"

const described = (description: string) => ({ description })
const Text = Schema.String
const TextOrNull = Schema.NullOr(Schema.String)

export const Me = Schema.Struct({
  id: Text,
  login: Text,
  name: Text,
  has_password: Schema.Boolean.annotateKey(described("Whether the operator can sign in by a password.")),
  roles: Schema.Array(
    Schema.Struct({
      workspace_id: TextOrNull.annotateKey(described("`null`: all workspaces.")),
      role: Schema.Literals(operatorRoles)
    })
  ),
  workspaces: Schema.Array(
    Schema.Struct({
      id: Text,
      name: Text,
      environments: Schema.Array(Schema.Literals(environments)),
      actions: Schema.Array(Schema.Literals(operatorActions)).annotateKey(described("What the operator may do there."))
    })
  )
}).annotate({ identifier: "Me", description: "The operator who is signed in." })

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
  candidates: Schema.Array(Schema.Struct({ connection_id: Text, name: Text, score: Schema.NullOr(Schema.Finite) })),
  excluded: Schema.Array(
    Schema.Struct({ connection_id: Text, name: Text, code: Schema.Literals(exclusionCodes), reason: Text })
  )
}).annotate({ identifier: "Routing", description: "Why the payment went where it went." })

const Event = Schema.Struct({ id: Text, type: Text, created: Text }).annotate({
  identifier: "TimelineEvent",
  description: "An entry of the payment's timeline."
})

export const PaymentFile = Schema.Struct({
  payment: Payment,
  connection_id: TextOrNull,
  provider_reference: TextOrNull,
  review: Schema.NullOr(Schema.Struct({ since: Text, reasons: Schema.Array(Text) })).annotateKey(
    described("What operations have to look at; `null` for a payment that needs nobody.")
  ),
  routing: Schema.NullOr(Routing),
  attempts: Schema.Array(Attempt),
  operations: Schema.Array(Operation),
  refunds: Schema.Array(Refund),
  events: Schema.Array(Event)
}).annotate({ identifier: "PaymentFile", description: "All that is recorded of a payment." })

export type Me = typeof Me.Type
export type PaymentFile = typeof PaymentFile.Type
