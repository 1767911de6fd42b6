/** The books: reading a report, balances, and the journal of a month. */
import { journalFormats } from "@pointsman/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { failures } from "../api/Errors.ts"
import { Authorize, RequestErrors, summary, tenantPath } from "../api/Parts.ts"
import { described, Moment, Text } from "../api/Records.ts"

const Balances = Schema.Struct({
  accounts: Schema.Array(
    Schema.Struct({
      account: Text,
      connection: Text,
      currency: Text,
      amount: Schema.Int.annotateKey(described("Minor units: positive is a debit."))
    })
  ),
  pending: Schema.Array(
    Schema.Struct({
      what: Schema.Literals(["charge", "capture", "refund", "dispute"]),
      connection: Text.annotateKey(described("Empty where none is known.")),
      currency: Text,
      amount: Schema.Int,
      count: Schema.Int
    })
  ).annotateKey(described("Money whose result is not known."))
}).annotate({ identifier: "Balances", description: "What each account of the journal has." })

/** Read by its handler, as its bytes arrive. */
const ReportFile = HttpApiSchema.asMultipart()(
  Schema.Struct({ connection: Text, file: Text, format: Schema.optionalKey(Text) }).annotate(
    described("`file` is the report, of up to 8,000,000 bytes. `format` is needed where its first line does not tell.")
  )
)

export class Books extends HttpApiGroup.make("books")
  .add(
    HttpApiEndpoint.post("readReport", "/workspaces/:workspace/:environment/reports", {
      params: tenantPath,
      payload: ReportFile,
      success: Schema.Struct({
        data: Schema.Struct({
          id: Text.annotateKey(described("Of the run, which continues after the response.")),
          known: Schema.Boolean.annotateKey(described("Whether the same file was read before: nothing was changed."))
        })
      }),
      error: failures(
        ...(["payload_too_large", "not_found", "validation_error"] as const),
        ...(["report_being_read", "too_many_requests", "internal_error"] as const)
      )
    }).annotateMerge(summary("Read a report", "Compares it with the payments, and applies what its rows state.")),
    HttpApiEndpoint.get("balances", "/workspaces/:workspace/:environment/books/balances", {
      params: tenantPath,
      query: { before: Moment.annotateKey(described("Transactions posted before this time.")) },
      success: Schema.Struct({ data: Balances }),
      error: failures("not_found", "validation_error", "too_many_requests", "internal_error")
    }).annotateMerge(summary("Balances of the books", "It reads every payment, for at most 3 minutes.")),
    HttpApiEndpoint.get("journal", "/workspaces/:workspace/:environment/books/journal", {
      params: tenantPath,
      query: {
        month: Text.annotateKey(described("In UTC, such as `2027-01`.")),
        format: Schema.Literals(journalFormats),
        connection: Schema.optionalKey(Text)
      },
      success: HttpApiSchema.StreamUint8Array({ contentType: "text/plain" }),
      error: failures("not_found", "validation_error", "too_many_requests", "internal_error")
    }).annotateMerge(summary("Export the journal of a month", "For accounting programs. The audit trail has it."))
  )
  .middleware(RequestErrors)
  .middleware(Authorize) {}
