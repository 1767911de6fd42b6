/** How workspaces, keys, connections, routing and endpoints lie in their tables. */
import type { ApiKey, Connection, Tenant, WebhookEndpoint, Workspace, WorkspaceRouting } from "@pointsman/core"
import { tenantRow } from "./PaymentRows.ts"
import { bindJson, type NewRow, type Row, readJson, readText, readTextOrNull } from "./Rows.ts"

/** By table: the columns, the first of which are its key, and which rows alone are replaced. */
export const directoryTables = {
  workspaces: { key: ["id"], columns: ["id", "name", "country", "category", "suspended", "partner"] },
  api_keys: {
    key: ["hash"],
    columns: ["hash", "workspace_id", "environment", "scopes", "revoked_at", "source", "created_at"],
    replaced: "api_keys.source <> 'operator' or api_keys.revoked_at is null"
  },
  connections: {
    key: ["id"],
    columns: [
      "id",
      "workspace_id",
      "environment",
      "name",
      "connector",
      "active",
      "priority",
      "sealed_credentials",
      "sealed_webhook_secret",
      "timeout_millis",
      "supports",
      "restrictions",
      "circuit_breaker"
    ]
  },
  routing: { key: ["workspace_id", "environment"], columns: ["workspace_id", "environment", "settings"] },
  webhook_endpoints: {
    key: ["id"],
    columns: ["id", "workspace_id", "environment", "url", "events", "sealed_secret", "sealed_previous_secret", "active"]
  }
} as const

export const workspaceRow = ({ category, country, id, name, partner, suspended }: Workspace): NewRow => ({
  id,
  name,
  country,
  category,
  suspended,
  partner: bindJson(partner)
})

export const readWorkspace = (row: Row): Workspace => ({
  id: readText(row["id"]),
  name: readText(row["name"]),
  country: readTextOrNull(row["country"]),
  category: readTextOrNull(row["category"]),
  suspended: row["suspended"] as boolean,
  partner: readJson(row["partner"])
})

const readOwner = (row: Row): Tenant => ({
  workspaceId: readText(row["workspace_id"]),
  environment: row["environment"] as Tenant["environment"]
})

export const apiKeyRow = (apiKey: ApiKey): NewRow => ({
  ...tenantRow(apiKey),
  hash: apiKey.hash,
  scopes: bindJson(apiKey.scopes),
  revoked_at: apiKey.revokedAt,
  source: apiKey.source,
  created_at: apiKey.createdAt
})

export const readApiKey = (row: Row): ApiKey => ({
  hash: readText(row["hash"]),
  ...readOwner(row),
  scopes: readJson(row["scopes"]),
  revokedAt: row["revoked_at"] as number | null,
  source: row["source"] as ApiKey["source"],
  createdAt: row["created_at"] as number
})

export const connectionRow = (connection: Connection): NewRow => ({
  ...tenantRow(connection),
  id: connection.id,
  name: connection.name,
  connector: connection.connector,
  active: connection.active,
  priority: connection.priority,
  sealed_credentials: connection.sealedCredentials,
  sealed_webhook_secret: connection.sealedWebhookSecret,
  timeout_millis: connection.timeoutMillis,
  supports: bindJson(connection.supports),
  restrictions: bindJson(connection.restrictions),
  circuit_breaker: bindJson(connection.circuitBreaker)
})

export const readConnection = (row: Row): Connection => ({
  id: readText(row["id"]),
  ...readOwner(row),
  name: readText(row["name"]),
  connector: readText(row["connector"]),
  active: row["active"] as boolean,
  priority: row["priority"] as number,
  sealedCredentials: readText(row["sealed_credentials"]),
  sealedWebhookSecret: readTextOrNull(row["sealed_webhook_secret"]),
  timeoutMillis: row["timeout_millis"] as number | null,
  supports: readJson(row["supports"]),
  restrictions: readJson(row["restrictions"]),
  circuitBreaker: readJson(row["circuit_breaker"])
})

export const routingRow = (routing: WorkspaceRouting): NewRow => ({
  ...tenantRow(routing),
  settings: bindJson(routing.settings)
})

export const readRouting = (row: Row): WorkspaceRouting => ({ ...readOwner(row), settings: readJson(row["settings"]) })

export const webhookEndpointRow = (endpoint: WebhookEndpoint): NewRow => ({
  ...tenantRow(endpoint),
  id: endpoint.id,
  url: endpoint.url,
  events: endpoint.events,
  sealed_secret: endpoint.sealedSecret,
  sealed_previous_secret: endpoint.sealedPreviousSecret ?? null,
  active: endpoint.active
})

export const readWebhookEndpoint = (row: Row): WebhookEndpoint => ({
  id: readText(row["id"]),
  ...readOwner(row),
  url: readText(row["url"]),
  events: (row["events"] as ReadonlyArray<string>).map(readText),
  sealedSecret: readText(row["sealed_secret"]),
  // Absent and not null: what was written without one reads as it was written.
  ...(row["sealed_previous_secret"] === null ? {} : { sealedPreviousSecret: readText(row["sealed_previous_secret"]) }),
  active: row["active"] as boolean
})
