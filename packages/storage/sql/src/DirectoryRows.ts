/** How workspaces, keys, connections, routing and endpoints lie in their tables. */
import type { ApiKey, Connection, Tenant, Workspace } from "@pointsman/core"
import {
  type AppliedConfiguration,
  keyUseEveryMillis,
  type ProviderAccount,
  type WebhookEndpoint,
  type WorkspaceRouting
} from "@pointsman/core/ports"
import { bindJson, type Columns, type Parts, type Row, readJson, tenantKey } from "./Columns.ts"

export const readConfiguration = (row: Row): AppliedConfiguration => ({
  generation: row["generation"] as number,
  hash: row["hash"] as string,
  appliedAt: row["applied_at"] as number
})

/** A table of the directory, which is written row by row as it is given. */
export interface DirectoryTable<A, V> {
  readonly table: string
  readonly key: ReadonlyArray<string>
  readonly columns: Columns<A, V>
  /** Which rows alone are replaced; all unless set. */
  readonly replaced?: string
  readonly read: (row: Row) => A
}

export const makeDirectoryRows = <V>(parts: Parts<V>) => ({
  directory: {
    workspaces: workspaceTable(parts),
    apiKeys: apiKeyTable(parts),
    connections: connectionTable(parts),
    routing: routingTable(parts),
    webhookEndpoints: webhookEndpointTable(parts)
  }
})

const ownerColumns = <V>({ bindText }: Parts<V>): Columns<Tenant, V> => ({
  workspace_id: ({ workspaceId }) => bindText(workspaceId),
  environment: ({ environment }) => environment
})

const workspaceTable = <V>({
  bindBoolean,
  bindText,
  bindTextOrNull,
  readBoolean,
  readText,
  readTextOrNull
}: Parts<V>): DirectoryTable<Workspace, V> => ({
  table: "workspaces",
  key: ["id"],
  columns: {
    id: ({ id }) => bindText(id),
    name: ({ name }) => bindText(name),
    country: ({ country }) => bindTextOrNull(country),
    category: ({ category }) => bindTextOrNull(category),
    suspended: ({ suspended }) => bindBoolean(suspended),
    partner: ({ partner }) => bindJson(partner),
    brand: ({ brand }) => bindJson(brand ?? null),
    retention: ({ retention }) => bindJson(retention ?? null),
    four_eyes: ({ fourEyes }) => bindJson(fourEyes ?? null)
  },
  read: (row) => ({
    id: readText(row["id"]),
    name: readText(row["name"]),
    country: readTextOrNull(row["country"]),
    category: readTextOrNull(row["category"]),
    suspended: readBoolean(row["suspended"]),
    partner: readJson(row["partner"]),
    // Absent and not null: what was written without one reads as it was written.
    ...(row["brand"] == null ? {} : { brand: readJson(row["brand"]) }),
    ...(row["retention"] == null ? {} : { retention: readJson(row["retention"]) }),
    ...(row["four_eyes"] == null ? {} : { fourEyes: readJson(row["four_eyes"]) })
  })
})

const apiKeyTable = <V>(parts: Parts<V>): DirectoryTable<ApiKey, V> => {
  const { bindText, bindTextOrNull, readTenant, readText, readTextOrNull } = parts
  return {
    table: "api_keys",
    key: ["hash"],
    columns: {
      hash: ({ hash }) => bindText(hash),
      ...ownerColumns(parts),
      scopes: ({ scopes }) => bindJson(scopes),
      name: ({ name }) => bindTextOrNull(name),
      expires_at: ({ expiresAt }) => expiresAt,
      networks: ({ networks }) => bindJson(networks),
      revoked_at: ({ revokedAt }) => revokedAt,
      source: ({ source }) => source,
      created_at: ({ createdAt }) => createdAt
    },
    replaced: "api_keys.source <> 'operator' or api_keys.revoked_at is null",
    read: (row) => ({
      hash: readText(row["hash"]),
      ...readTenant(row),
      scopes: readJson(row["scopes"]),
      name: readTextOrNull(row["name"]),
      expiresAt: row["expires_at"] as number | null,
      networks: readJson(row["networks"]),
      revokedAt: row["revoked_at"] as number | null,
      source: row["source"] as ApiKey["source"],
      createdAt: row["created_at"] as number
    })
  }
}

const connectionTable = <V>(parts: Parts<V>): DirectoryTable<Connection, V> => {
  const { bindBoolean, bindText, bindTextOrNull, readBoolean, readTenant, readText, readTextOrNull } = parts
  return {
    table: "connections",
    key: ["id"],
    columns: {
      id: ({ id }) => bindText(id),
      ...ownerColumns(parts),
      name: ({ name }) => bindText(name),
      connector: ({ connector }) => bindText(connector),
      active: ({ active }) => bindBoolean(active),
      priority: ({ priority }) => priority,
      sealed_credentials: ({ sealedCredentials }) => bindText(sealedCredentials),
      sealed_webhook_secret: ({ sealedWebhookSecret }) => bindTextOrNull(sealedWebhookSecret),
      sealed_previous_webhook_secret: ({ sealedPreviousWebhookSecret }) =>
        bindTextOrNull(sealedPreviousWebhookSecret ?? null),
      timeout_millis: ({ timeoutMillis }) => timeoutMillis,
      supports: ({ supports }) => bindJson(supports),
      restrictions: ({ restrictions }) => bindJson(restrictions),
      circuit_breaker: ({ circuitBreaker }) => bindJson(circuitBreaker),
      fees: ({ fees }) => bindJson(fees ?? null),
      reports: ({ reports }) => bindJson(reports ?? null)
    },
    read: (row) => ({
      id: readText(row["id"]),
      ...readTenant(row),
      name: readText(row["name"]),
      connector: readText(row["connector"]),
      active: readBoolean(row["active"]),
      priority: row["priority"] as number,
      sealedCredentials: readText(row["sealed_credentials"]),
      sealedWebhookSecret: readTextOrNull(row["sealed_webhook_secret"]),
      timeoutMillis: row["timeout_millis"] as number | null,
      supports: readJson(row["supports"]),
      restrictions: readJson(row["restrictions"]),
      circuitBreaker: readJson(row["circuit_breaker"]),
      // Absent and not null: what was written without them reads as it was written.
      ...(row["sealed_previous_webhook_secret"] == null
        ? {}
        : { sealedPreviousWebhookSecret: readText(row["sealed_previous_webhook_secret"]) }),
      ...(row["fees"] == null ? {} : { fees: readJson(row["fees"]) }),
      ...(row["reports"] == null ? {} : { reports: readJson(row["reports"]) }),
      ...accountOf(row)
    })
  }
}

/** Columns that a configuration does not write. */
const accountOf = (row: Row): Pick<Connection, "account"> =>
  row["account"] == null
    ? {}
    : {
        account: {
          first: readJson(row["account"]),
          current: readJson(row["current_account"]),
          changedAt: row["account_changed_at"] as number | null
        }
      }

/** Of a connection that has the same credentials: the account, the time, id, credentials. */
export const recordAccount = `update connections set account = coalesce(account, $1::text), current_account = $1::text,
    account_changed_at = case when account <> $1::text then coalesce(account_changed_at, $2::text::bigint)
      else account_changed_at end
  where id = $3 and sealed_credentials = $4`

/** Of a key that was not used within the time before. */
export const replaceKeyUse = `on conflict (hash) do update set used_at = excluded.used_at
  where excluded.used_at - api_key_uses.used_at >= ${keyUseEveryMillis}`

/** One text for each account: it is compared as it is stored. */
export const bindAccount = ({ id, mode }: ProviderAccount): string => JSON.stringify({ id, mode })

/** The new secret, the previous one, the rotation, the id, the secret that is replaced. */
export const replaceEndpointSecret = `update webhook_endpoints
  set sealed_secret = $1, sealed_previous_secret = $2, rotation = $3 where id = $4 and sealed_secret = $5
  returning 1 as one`

const routingTable = <V>(parts: Parts<V>): DirectoryTable<WorkspaceRouting, V> => ({
  table: "routing",
  key: tenantKey,
  columns: { ...ownerColumns(parts), settings: ({ settings }) => bindJson(settings) },
  read: (row) => ({ ...parts.readTenant(row), settings: readJson(row["settings"]) })
})

const webhookEndpointTable = <V>(parts: Parts<V>): DirectoryTable<WebhookEndpoint, V> => {
  const { bindBoolean, bindText, bindTextOrNull, bindTexts, readBoolean, readTenant, readText, readTexts } = parts
  return {
    table: "webhook_endpoints",
    key: ["id"],
    columns: {
      id: ({ id }) => bindText(id),
      ...ownerColumns(parts),
      url: ({ url }) => bindText(url),
      events: ({ events }) => bindTexts(events),
      sealed_secret: ({ sealedSecret }) => bindText(sealedSecret),
      sealed_previous_secret: ({ sealedPreviousSecret }) => bindTextOrNull(sealedPreviousSecret ?? null),
      active: ({ active }) => bindBoolean(active),
      rotation: ({ rotation }) => bindJson(rotation ?? null)
    },
    read: (row) => ({
      id: readText(row["id"]),
      ...readTenant(row),
      url: readText(row["url"]),
      events: readTexts(row["events"]) as WebhookEndpoint["events"],
      sealedSecret: readText(row["sealed_secret"]),
      // Absent and not null: what was written without one reads as it was written.
      ...(row["sealed_previous_secret"] === null
        ? {}
        : { sealedPreviousSecret: readText(row["sealed_previous_secret"]) }),
      active: readBoolean(row["active"]),
      ...(row["rotation"] == null ? {} : { rotation: readJson(row["rotation"]) })
    })
  }
}
