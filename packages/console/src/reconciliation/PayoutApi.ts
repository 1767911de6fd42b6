/** Payouts: the list, one of them, its rows, and their export. */
import { limitParameter, pageOf } from "@pointsman/http/api"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { failures } from "../api/Errors.ts"
import { Authorize, RequestErrors, summary, tenantPath } from "../api/Parts.ts"
import { described, Moment } from "../api/Records.ts"
import { Payout, PayoutEntry, ReportEntry } from "./PayoutRecords.ts"

/** In the query, because the name is the provider's: it may have any length and any character. */
const payoutName = { connection: Schema.String, payout: Schema.String }

export class Payouts extends HttpApiGroup.make("payouts")
  .add(
    HttpApiEndpoint.get("payouts", "/workspaces/:workspace/:environment/payouts", {
      params: tenantPath,
      query: {
        connection: Schema.optionalKey(Schema.String),
        from: Schema.optionalKey(Moment).annotateKey(described("31 days before `until` unless set.")),
        until: Schema.optionalKey(Moment).annotateKey(described("Now unless set.")),
        limit: limitParameter
      },
      success: Schema.Struct({ data: Schema.Array(PayoutEntry) }),
      error: failures("not_found", "validation_error", "internal_error")
    }).annotateMerge(
      summary("List payouts", "Those that left the balance at their provider in the period, newest first: their rows.")
    ),
    HttpApiEndpoint.get("payout", "/workspaces/:workspace/:environment/payout", {
      params: tenantPath,
      query: payoutName,
      success: Schema.Struct({ data: Payout }),
      error: failures("not_found", "internal_error")
    }).annotateMerge(summary("One payout", "What it consists of, by currency.")),
    HttpApiEndpoint.get("payoutEntries", "/workspaces/:workspace/:environment/payout/entries", {
      params: tenantPath,
      query: {
        ...payoutName,
        after: Schema.optionalKey(Schema.String).annotateKey({
          description: "Cursor: the `next_cursor` of the previous page."
        }),
        limit: limitParameter
      },
      success: pageOf(ReportEntry),
      error: failures("not_found", "validation_error", "internal_error")
    }).annotateMerge(summary("List the rows of a payout", "In the order in which the money moved.")),
    HttpApiEndpoint.get("exportPayout", "/workspaces/:workspace/:environment/payout/export.csv", {
      params: tenantPath,
      query: payoutName,
      success: HttpApiSchema.StreamUint8Array({ contentType: "text/csv" }),
      error: failures("not_found", "too_many_requests", "internal_error")
    }).annotateMerge(
      summary(
        "Export a payout",
        "All of its rows as CSV, in the order in which the money moved. The audit trail has it."
      )
    )
  )
  .middleware(RequestErrors)
  .middleware(Authorize) {}
