/** Partners with their merchants, and what workspaces are billed by. */
import { beforeMerchant, limitParameter, Merchant, pageOf } from "@pointsman/http/api"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { failures } from "../api/Errors.ts"
import { Authorize, RequestErrors, summary } from "../api/Parts.ts"
import { described, Moment, Text } from "../api/Records.ts"

export const Usage = Schema.Struct({
  workspace_id: Text,
  from: Text,
  until: Text,
  payments: Schema.Int.annotateKey(
    described("Production payments created in the period that reached a provider, regardless of the result.")
  )
}).annotate({ identifier: "Usage", description: "What a workspace is billed by." })

export type Usage = typeof Usage.Type

export const Partner = Schema.Struct({
  workspace_id: Text,
  name: Text,
  allowance: Schema.Int.annotateKey(described("How many merchants the partner may have.")),
  merchants: Schema.Int.annotateKey(described("How many it has; 1000 stands for 1000 or more.")),
  usage: Usage.annotateKey(described("Of the partner’s own workspace."))
}).annotate({ identifier: "Partner", description: "A white-label partner." })

export type Partner = typeof Partner.Type

export const PartnerMerchant = Schema.Struct({ ...Merchant.fields, usage: Usage }).annotate({
  identifier: "PartnerMerchant",
  description: "A partner’s merchant, with its usage."
})

export type PartnerMerchant = typeof PartnerMerchant.Type

const Invitation = Schema.Struct({
  merchant_id: Text,
  email: Text,
  invitation_token: Text.annotateKey(described("For the merchant’s owner. No other response has it."))
})

const period = {
  from: Schema.optionalKey(Moment).annotateKey(described("Default: the beginning of the month in UTC.")),
  until: Schema.optionalKey(Moment).annotateKey(described("Default: now."))
}

const partnerPath = { partner: Schema.String }

export class Partners extends HttpApiGroup.make("partners")
  .add(
    HttpApiEndpoint.get("partners", "/partners", {
      query: period,
      success: Schema.Struct({ data: Schema.Array(Partner) }),
      error: failures("validation_error", "internal_error")
    }).annotateMerge(summary("List partners", "With their allowance and usage.")),
    HttpApiEndpoint.get("partnerMerchants", "/partners/:partner/merchants", {
      params: partnerPath,
      query: { ...period, before: beforeMerchant, limit: limitParameter },
      success: pageOf(PartnerMerchant),
      error: failures("not_found", "validation_error", "internal_error")
    }).annotateMerge(summary("List a partner’s merchants", "Newest first, with their usage.")),
    HttpApiEndpoint.post("inviteMerchant", "/partners/:partner/merchants/:merchant/invitation", {
      params: { ...partnerPath, merchant: Schema.String },
      success: Schema.Struct({ data: Invitation }),
      error: failures("not_found", "internal_error")
    }).annotateMerge(
      summary("Invite a merchant again", "Creates a token for its owner. The token before becomes invalid.")
    ),
    HttpApiEndpoint.get("usage", "/workspaces/:workspace/usage", {
      params: { workspace: Schema.String },
      query: period,
      success: Schema.Struct({ data: Usage }),
      error: failures("not_found", "validation_error", "internal_error")
    }).annotateMerge(summary("Usage of a workspace", "Counts the payments of a period that are billed."))
  )
  .middleware(RequestErrors)
  .middleware(Authorize) {}
