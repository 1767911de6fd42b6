/** Connections as the console's API shows them: everything but their secrets, times in RFC 3339. The forms of the pages change them. */
import { attemptOutcomes, feeRegions, healthPayments, paymentMethods } from "@pointsman/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { failures } from "../api/Errors.ts"
import { Authorize, RequestErrors, summary, tenantPath } from "../api/Parts.ts"
import { described, Text, TextOrNull } from "../api/Records.ts"
import { Circuit, Condition, Supports } from "../routing/RoutingRecords.ts"

const Texts = Schema.Array(Text)

const Outcome = Schema.NullOr(
  Schema.Struct({
    payment_id: Text,
    created: Text.annotateKey(described("When the payment was created.")),
    outcome: Schema.Literals(attemptOutcomes),
    code: TextOrNull
  })
)

const Fee = Schema.Struct({
  when: Schema.optionalKey(
    Schema.Struct({
      currency: Schema.optionalKey(Texts),
      country: Schema.optionalKey(Texts),
      region: Schema.optionalKey(Schema.Array(Schema.Literals(feeRegions))),
      method: Schema.optionalKey(Schema.Array(Schema.Literals(paymentMethods))),
      cardBrand: Schema.optionalKey(Texts)
    })
  ),
  fixed: Schema.optionalKey(Schema.Record(Text, Schema.Int)),
  percent: Schema.optionalKey(Text)
}).annotate({ identifier: "Fee", description: "As the configuration file has it." })

export const Connection = Schema.Struct({
  id: Text,
  name: Text,
  connector: Text,
  active: Schema.Boolean,
  priority: Schema.Int,
  timeout_ms: Schema.NullOr(Schema.Int).annotateKey(described("`null`: the server's default.")),
  supports: Supports,
  provider_supports: Supports.annotateKey(described("The limits of the provider itself.")),
  restrictions: Schema.Array(Condition),
  fees: Schema.Array(Fee).annotateKey(described("The first whose condition a payment meets is charged.")),
  circuit_breaker: Schema.Struct({ failures: Schema.Int, open_ms: Schema.Int }),
  circuit: Circuit,
  account: Schema.Struct({
    standing: Schema.Literals(["verified", "changed", "unverified", "unanswered", "none"]).annotateKey(
      described(
        "`changed`: the credentials opened another account than that of the connection's payments, so that it receives no " +
          "new ones. `unanswered`: the provider has not named it since the start. `none`: the provider has no accounts."
      )
    ),
    first: TextOrNull.annotateKey(described("That of the connection's payments.")),
    current: TextOrNull
  }),
  health: Schema.Struct({
    fault: TextOrNull.annotateKey(described("Why it cannot be used at all.")),
    succeeded: Schema.Int.annotateKey(described(`Attempts in the last ${healthPayments} payments of the environment.`)),
    failed: Schema.Int,
    last_success: Outcome,
    last_failure: Outcome
  }),
  webhook: Schema.Struct({
    path: Text.annotateKey(described("Under the server's base URL.")),
    has_secret: Schema.Boolean,
    has_previous_secret: Schema.Boolean
  })
}).annotate({ identifier: "Connection", description: "A merchant's account at a provider." })
export type Connection = typeof Connection.Type

export type Standing = readonly [tone: "good" | "bad" | "wait" | "soft", text: string]

/** The worst first: what keeps new payments away, then what makes them fail. */
export const standingOf = ({ account, active, circuit, health }: Connection): Standing => {
  if (health.fault !== null) return ["bad", "Cannot be used"]
  if (account.standing === "changed") return ["bad", "Another account"]
  if (!active) return ["soft", "Not active"]
  if (circuit.state !== "closed") return [circuit.state === "open" ? "bad" : "wait", `Circuit ${circuit.state}`]
  if (health.succeeded + health.failed === 0) return ["soft", "No recent payments"]
  return health.succeeded === 0 ? ["bad", "Failing"] : ["good", "Working"]
}

const path = "/workspaces/:workspace/:environment/connections"
const error = failures("not_found", "internal_error")

export class Connections extends HttpApiGroup.make("connections")
  .add(
    HttpApiEndpoint.get("connections", path, {
      params: tenantPath,
      success: Schema.Struct({ data: Schema.Array(Connection) }),
      error
    }).annotateMerge(summary("List connections", "Active ones first, by priority. Credentials are never shown.")),
    HttpApiEndpoint.get("connection", `${path}/:connection`, {
      params: { ...tenantPath, connection: Schema.String },
      success: Schema.Struct({ data: Connection }),
      error
    }).annotateMerge(summary("One connection", "With its limits, account, circuit and last outcomes."))
  )
  .middleware(RequestErrors)
  .middleware(Authorize) {}
