/** API keys of a workspace and environment. */
import { scopes } from "@pointsman/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { failures } from "../api/Errors.ts"
import { Authorize, RequestErrors, summary, tenantPath } from "../api/Parts.ts"
import { described, Moment, Text, TextOrNull } from "../api/Records.ts"

const Scopes = Schema.NullOr(Schema.Array(Schema.Literals(scopes)))

export const Key = Schema.Struct({
  id: Text.annotateKey(described("The beginning of the key’s SHA-256 hash. The key itself is not stored.")),
  name: TextOrNull,
  scopes: Scopes.annotateKey(described("`null`: every scope, also those that are added later.")),
  networks: Schema.NullOr(Schema.Array(Text)).annotateKey(described("`null`: any.")),
  source: Schema.Literals(["configuration", "operator"]).annotateKey(
    described("`configuration`: the configuration file names the key. The console cannot revoke it.")
  ),
  created: Text,
  expires: TextOrNull.annotateKey(described("`null`: never.")),
  last_used: TextOrNull.annotateKey(described("To the minute; `null`: never.")),
  revoked: TextOrNull.annotateKey(described("`null` while it is not revoked."))
}).annotate({ identifier: "ApiKey", description: "An API key, without the key itself." })

export type Key = typeof Key.Type

const CreateKey = Schema.Struct({
  draft: Text.annotateKey(described("Of `key-draft`. A repeated request with one draft creates no second key.")),
  scopes: Scopes.annotateKey(described("At least one; `null`: every scope.")),
  name: Schema.optionalKey(TextOrNull),
  expires: Schema.optionalKey(Schema.NullOr(Moment)).annotateKey(described("From when the key is refused.")),
  networks: Schema.optionalKey(Schema.NullOr(Schema.Array(Text))).annotateKey(
    described("IP addresses and CIDR ranges that requests may come from.")
  )
}).annotate({ identifier: "CreateApiKey", description: "A new API key." })

const keyPath = { ...tenantPath, key: Schema.String }

export class Keys extends HttpApiGroup.make("keys")
  .add(
    HttpApiEndpoint.get("keys", "/workspaces/:workspace/:environment/keys", {
      params: tenantPath,
      success: Schema.Struct({ data: Schema.Array(Key) }),
      error: failures("not_found", "internal_error")
    }).annotateMerge(summary("List API keys", "Newest first, revoked ones too.")),
    HttpApiEndpoint.get("keyDraft", "/workspaces/:workspace/:environment/key-draft", {
      params: tenantPath,
      success: Schema.Struct({ data: Schema.Struct({ draft: Schema.String }) }),
      error: failures("not_found", "internal_error")
    }).annotateMerge(summary("Draft an API key", "Draws a key, encrypted. Nothing is stored until it is created.")),
    HttpApiEndpoint.post("createKey", "/workspaces/:workspace/:environment/keys", {
      params: tenantPath,
      payload: CreateKey,
      success: Schema.Struct({
        data: Schema.Struct({
          ...Key.fields,
          key: Text.annotateKey(described("The key itself. No other response has it."))
        })
      }),
      error: failures("sign_in_again", "not_found", "validation_error", "key_created", "internal_error")
    }).annotateMerge(summary("Create an API key", "Servers accept it from their next request on.")),
    HttpApiEndpoint.post("revokeKey", "/workspaces/:workspace/:environment/keys/:key/revoke", {
      params: keyPath,
      success: Schema.Struct({ data: Key }),
      error: failures("not_found", "key_in_configuration", "internal_error")
    }).annotateMerge(
      summary("Revoke an API key", "For good. Servers refuse it from their next request on. It may be repeated.")
    )
  )
  .middleware(RequestErrors)
  .middleware(Authorize) {}
