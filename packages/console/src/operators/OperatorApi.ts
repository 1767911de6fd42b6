/** The operators of the console. They belong to no workspace: only a role in all workspaces counts here. */
import { operatorRoles, signInMethods } from "@pointsman/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { failures } from "../api/Errors.ts"
import { Authorize, RequestErrors, summary } from "../api/Parts.ts"
import { described, Text } from "../api/Records.ts"

const Roles = Schema.Array(
  Schema.Struct({
    workspace_id: Schema.NullOr(Text).annotateKey(described("`null`: all workspaces.")),
    role: Schema.Literals(operatorRoles)
  })
)

export const OperatorRecord = Schema.Struct({
  id: Text,
  login: Text,
  name: Text,
  active: Schema.Boolean.annotateKey(described("`false`: removed.")),
  roles: Roles,
  has_password: Schema.Boolean,
  version: Schema.Int.annotateKey(described("Counts the changes.")),
  created: Text,
  sessions: Schema.Array(
    Schema.Struct({
      method: Schema.Literals(signInMethods),
      signed_in: Text,
      last_request: Text.annotateKey(described("To the minute."))
    })
  ).annotateKey(described("Those that are open, the newest first."))
}).annotate({ identifier: "Operator", description: "A person who uses the console." })

export type OperatorRecord = typeof OperatorRecord.Type

const AddOperator = Schema.Struct({ login: Text, name: Text, roles: Roles }).annotate({
  identifier: "AddOperator",
  description: "A new operator, or one that was removed."
})

const EditOperator = Schema.Struct({
  name: Text,
  roles: Roles.annotateKey(described("All roles of the operator: those that are not here are taken away.")),
  version: Schema.Int.annotateKey(described("That of the operator that was read: another change in between is kept."))
}).annotate({ identifier: "EditOperator", description: "Another name and other roles." })

const Envelope = Schema.Struct({ data: OperatorRecord })
const operatorPath = { operator: Schema.String }

export class OperatorGroup extends HttpApiGroup.make("operators")
  .add(
    HttpApiEndpoint.get("operators", "/operators", {
      success: Schema.Struct({ data: Schema.Array(OperatorRecord) }),
      error: failures("internal_error")
    }).annotateMerge(summary("List operators", "In the order in which they were added, removed ones too.")),
    HttpApiEndpoint.post("addOperator", "/operators", {
      payload: AddOperator,
      success: Envelope,
      error: failures("sign_in_again", "validation_error", "login_taken", "operator_changed", "internal_error")
    }).annotateMerge(summary("Add an operator", "Without a password: a link signs in first.")),
    HttpApiEndpoint.put("editOperator", "/operators/:operator", {
      params: operatorPath,
      payload: EditOperator,
      success: Envelope,
      error: failures(
        "sign_in_again",
        "not_found",
        "validation_error",
        "operator_changed",
        "last_admin",
        "internal_error"
      )
    }).annotateMerge(
      summary("Change an operator", "The roles count from the operator’s next request on. It may be repeated.")
    ),
    HttpApiEndpoint.delete("removeOperator", "/operators/:operator", {
      params: operatorPath,
      success: Envelope,
      error: failures("sign_in_again", "not_found", "operator_changed", "last_admin", "internal_error")
    }).annotateMerge(summary("Remove an operator", "Ends all of its sessions and links. It may be repeated.")),
    HttpApiEndpoint.post("createSignInLink", "/operators/:operator/link", {
      params: operatorPath,
      success: Schema.Struct({
        data: Schema.Struct({
          url: Text.annotateKey(described("Signs in once. No other response has it.")),
          expires: Text
        })
      }),
      error: failures("sign_in_again", "not_found", "internal_error")
    }).annotateMerge(summary("Create a sign-in link", "It works once, within 15 minutes."))
  )
  .middleware(RequestErrors)
  .middleware(Authorize) {}
