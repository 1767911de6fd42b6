/** The audit trail: of the whole installation, or of one workspace. */
import { auditActions } from "@pointsman/core/ports"
import { limitParameter, pageOf } from "@pointsman/http/api"
import { Schema, SchemaGetter } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { failures } from "../api/Errors.ts"
import { Authorize, RequestErrors, summary } from "../api/Parts.ts"
import { described, Moment, Text } from "../api/Records.ts"

export const AuditRecord = Schema.Struct({
  number: Schema.Int.annotateKey(described("From 1, without gaps in the trail of the installation.")),
  at: Text,
  actor: Text,
  via: Text.annotateKey(
    described(
      "By which way in: `console`, `command`, `configuration`, `library`, `mcp` or `server`. Releases may add some."
    )
  ),
  action: Text.annotateKey(described("Releases may add actions.")),
  subject: Text.annotateKey(described("The record that it is about.")),
  details: Schema.Unknown.annotateKey(described("JSON, without secrets.")),
  hash: Text
}).annotate({ identifier: "AuditEntry", description: "An entry of the audit trail." })

export type AuditRecord = typeof AuditRecord.Type

const EntryNumber = Schema.String.check(Schema.isPattern(/^[0-9]{1,15}$/u)).pipe(
  Schema.decodeTo(Schema.Int, {
    decode: SchemaGetter.transform(Number),
    encode: SchemaGetter.transform(String)
  })
)

const query = {
  actor: Schema.optionalKey(Text).annotateKey(described("Only entries of exactly this actor.")),
  action: Schema.optionalKey(Schema.Literals(auditActions)),
  from: Schema.optionalKey(Moment).annotateKey(described("Only entries of this time or later.")),
  until: Schema.optionalKey(Moment).annotateKey(described("Only entries before this time.")),
  before: Schema.optionalKey(EntryNumber).annotateKey(described("The `next_cursor` of the previous page.")),
  limit: limitParameter
}

export class AuditTrail extends HttpApiGroup.make("audit")
  .add(
    HttpApiEndpoint.get("auditTrail", "/audit", {
      query,
      success: pageOf(AuditRecord),
      error: failures("internal_error")
    }).annotateMerge(summary("List the audit trail", "Newest first. For a role in all workspaces.")),
    HttpApiEndpoint.get("workspaceAudit", "/workspaces/:workspace/audit", {
      params: { workspace: Schema.String },
      query,
      success: pageOf(AuditRecord),
      error: failures("internal_error")
    }).annotateMerge(summary("List the audit trail of a workspace", "Newest first: only entries about this workspace."))
  )
  .middleware(RequestErrors)
  .middleware(Authorize) {}
