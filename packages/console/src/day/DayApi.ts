/** The day of an environment: what the start page shows. */
import { declineCategories, differenceResults, runStates } from "@pointsman/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { failures } from "../api/Errors.ts"
import { Authorize, RequestErrors, summary, tenantPath } from "../api/Parts.ts"
import { described, Text, TextOrNull } from "../api/Records.ts"
import { Connection } from "../connections/ConnectionApi.ts"

/** Payments of today: the newest of them. */
export const paymentsAtMost = 1_000
/** Of each of the days before, and of one read. */
export const paymentsOfDay = 50
export const daysBefore = 7
/** Payments in doubt, reviews, and disputes of a status. */
export const countedAtMost = 100

const Outcomes = Schema.Struct({
  succeeded: Schema.Int.annotateKey(described("Payments that were authorized or captured.")),
  failed: Schema.Int.annotateKey(described("Payments that were declined or failed."))
})

const isCut = Schema.Boolean.annotateKey(described(`Whether there may be more than ${countedAtMost}.`))

const Ages = Schema.Struct({ hour: Schema.Int, day: Schema.Int, older: Schema.Int, is_cut: isCut }).annotate({
  identifier: "Ages",
  description: "How many are younger than an hour, younger than a day, and older."
})

const Today = Schema.Struct({
  payments: Schema.Int,
  since: Text.annotateKey(described(`Payments from here on are counted: the newest ${paymentsAtMost} at most.`)),
  is_cut: Schema.Boolean.annotateKey(described("Whether the day may have payments before `since`.")),
  volume: Schema.Array(
    Schema.Struct({ currency: Text, payments: Schema.Int, amount: Schema.Int, captured_amount: Schema.Int })
  ).annotateKey(described("By currency, the one with the most payments first.")),
  hours: Schema.Array(Schema.Struct({ from: Text, ...Outcomes.fields, open: Schema.Int })).annotateKey(
    described("One for each hour in UTC. `open`: payments without a result, and those that were cancelled.")
  ),
  declines: Schema.Array(
    Schema.Struct({ category: Schema.Literals(declineCategories), payments: Schema.Int })
  ).annotateKey(described("The five most frequent reasons."))
})

const Approval = Schema.Struct({
  today: Outcomes,
  before: Outcomes,
  days: Schema.Array(Schema.Struct({ until: Text, ...Outcomes.fields })).annotateKey(
    described(
      `The last ${paymentsOfDay} payments before this time of each of the ${daysBefore} days before, oldest first.`
    )
  )
})

const Disputes = Schema.Struct({
  passed: Schema.Int,
  in_3_days: Schema.Int,
  in_7_days: Schema.Int.annotateKey(described("Not within 3 days.")),
  later: Schema.Int,
  without_deadline: Schema.Int,
  next_deadline: TextOrNull,
  is_cut: isCut
}).annotate({ identifier: "OpenDisputes", description: "Disputes that wait for an answer, by their deadlines." })

const Agreement = Schema.Struct({
  differences: Schema.Array(
    Schema.Struct({ result: Schema.Literals(differenceResults), count: Schema.Int })
  ).annotateKey(described(`Open ones; a count ends at ${countedAtMost}.`)),
  contradicted: Schema.Int.annotateKey(described("Payments under review that a provider contradicts.")),
  oldest: TextOrNull.annotateKey(described("Since when the oldest of them is open.")),
  reports: Schema.Array(
    Schema.Struct({
      connection_id: Text,
      name: Text,
      newest: Schema.NullOr(
        Schema.Struct({ id: Text, file_name: Text, state: Schema.Literals(runStates), rows_until: TextOrNull })
      )
    })
  ).annotateKey(described("The newest report of each active connection."))
})

export const Day = Schema.Struct({
  from: Text.annotateKey(described("Midnight in UTC.")),
  counted: Text.annotateKey(described("When this was read: some seconds ago at most.")),
  today: Today,
  approval: Approval,
  unknown: Ages.annotateKey(described("Payments whose result is unknown, the newest of them, by their creation.")),
  reviews: Schema.NullOr(Ages).annotateKey(described("`null`: the operator's role reads no reviews.")),
  disputes: Disputes,
  connections: Schema.NullOr(Schema.Array(Connection)).annotateKey(
    described("Active ones. `null`: the operator's role reads no connections.")
  ),
  agreement: Schema.NullOr(Agreement).annotateKey(described("`null`: the operator's role reads no reports."))
}).annotate({ identifier: "Day", description: "How an environment does today." })

export type Day = typeof Day.Type
export type Outcomes = typeof Outcomes.Type
export type Ages = typeof Ages.Type

export class Days extends HttpApiGroup.make("days")
  .add(
    HttpApiEndpoint.get("day", "/workspaces/:workspace/:environment/day", {
      params: tenantPath,
      success: Schema.Struct({ data: Day }),
      error: failures("not_found", "internal_error")
    }).annotateMerge(
      summary("Today", "Volume, authorization rate, and what waits for a person. It is read once in 10 seconds.")
    )
  )
  .middleware(RequestErrors)
  .middleware(Authorize) {}
