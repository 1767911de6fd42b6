/** Connections, which are read here: the forms of the pages change them. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { failures } from "../api/Errors.ts"
import { Authorize, RequestErrors, summary, tenantPath } from "../api/Parts.ts"
import type { AccessOf } from "../gate/Access.ts"
import { Connection } from "./ConnectionRecords.ts"

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

export const connectionAccess = {
  connections: "connection.read",
  connection: "connection.read"
} as const satisfies AccessOf<typeof Connections>
