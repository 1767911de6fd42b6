/** How workspaces, keys, connections, routing and endpoints lie in their tables. */
import type { ApiKey, Connection, Workspace } from "@pointsman/core"
import * as Ports from "@pointsman/core/ports"
import {
  alike,
  json,
  list,
  optional,
  type Part,
  type Parts,
  plain,
  type Row,
  readJson,
  recordOf,
  tenantKey
} from "./Columns.ts"

/** A table of the directory, which is written row by row as it is given. `replaced`: which rows alone are replaced. */
export interface DirectoryTable<A, V> extends Part<A, V> {
  readonly table: string
  readonly key: ReadonlyArray<string>
  readonly replaced: string
}

const tableOf = <A, V>(
  table: string,
  key: ReadonlyArray<string>,
  record: Part<A, V>,
  replaced = "true"
): DirectoryTable<A, V> => ({ ...record, table, key, replaced })

export const makeDirectoryRows = <V>({ bindTexts, flag, readTexts, value }: Parts<V>) => {
  const workspace = recordOf<Workspace, V>({
    ...alike(value, "id", "name", "country", "category"),
    ...alike(optional(json), "brand", "retention", "four_eyes"),
    suspended: flag,
    partner: json,
    ...alike(optional(plain), "hosted_page", "source")
  })
  const apiKey = recordOf<ApiKey, V>({
    ...alike(value, "hash", "workspace_id", "environment", "name", "source", "created_at", "expires_at", "revoked_at"),
    ...alike(json, "scopes", "networks")
  })
  const connection = recordOf<Connection, V, "account">(
    {
      ...alike(value, "id", "workspace_id", "environment", "name", "connector", "priority", "timeout_millis"),
      ...alike(value, "sealed_credentials", "sealed_webhook_secret"),
      ...alike(json, "supports", "restrictions", "circuit_breaker"),
      ...alike(optional(json), "fees", "reports"),
      active: flag,
      sealed_previous_webhook_secret: optional(value)
    },
    // A configuration does not write it.
    { account: { columns: {}, read: readAccount } }
  )
  const endpoint = recordOf<Ports.WebhookEndpoint, V>({
    ...alike(value, "id", "workspace_id", "environment", "url", "sealed_secret"),
    events: { bind: bindTexts, read: readTexts },
    sealed_previous_secret: optional(value),
    active: flag,
    rotation: optional(json)
  })
  const routing = recordOf<Ports.WorkspaceRouting, V>({
    ...alike(value, "workspace_id", "environment"),
    settings: json
  })
  const isReplaced = "api_keys.source <> 'operator' or api_keys.revoked_at is null"
  return {
    directory: {
      workspaces: tableOf("workspaces", ["id"], workspace),
      apiKeys: tableOf("api_keys", ["hash"], apiKey, isReplaced),
      connections: tableOf("connections", ["id"], connection),
      routing: tableOf("routing", tenantKey, routing),
      webhookEndpoints: tableOf("webhook_endpoints", ["id"], endpoint)
    }
  }
}

const configuration = recordOf<Ports.AppliedConfiguration, never>(alike(plain, "generation", "hash", "applied_at"))
const configurations = tableOf("configurations", ["generation"], configuration)

type DirectoryRows<V> = ReturnType<typeof makeDirectoryRows<V>>

export const directoryTables = <V>({ directory }: DirectoryRows<V>) =>
  [...Object.values(directory), configurations].map(({ key, table }) => ({ table, order: list(key.toSorted()) }))

/** `found`: the rows of each table, in its order, and the version. */
export const directoryState = <V>({ directory }: DirectoryRows<V>, found: Row): Ports.DirectoryState => {
  const all = <A>({ read, table }: Pick<DirectoryTable<A, never>, "read" | "table">) =>
    (found[table] as ReadonlyArray<Row>).map(read)
  return {
    contents: {
      workspaces: all(directory.workspaces),
      apiKeys: all(directory.apiKeys),
      connections: all(directory.connections),
      routing: all(directory.routing),
      webhookEndpoints: all(directory.webhookEndpoints)
    },
    configurations: all(configurations),
    version: Number(found["version"])
  }
}

const readAccount = (row: Row): Connection["account"] =>
  row["account"] == null
    ? undefined
    : {
        first: readJson(row["account"]),
        current: readJson(row["current_account"]),
        changedAt: row["account_changed_at"] as number | null
      }

/** Of a connection that has the same credentials: the account, the time, id, credentials. */
export const recordAccount = `update connections set account = coalesce(account, $1::text), current_account = $1::text,
    account_changed_at = case when account <> $1::text then coalesce(account_changed_at, $2::text::bigint)
      else account_changed_at end
  where id = $3 and sealed_credentials = $4`

/** Of a key that was not used within the time before. */
export const replaceKeyUse = `on conflict (hash) do update set used_at = excluded.used_at
  where excluded.used_at - api_key_uses.used_at >= ${Ports.keyUseEveryMillis}`

/** One text for each account: it is compared as it is stored. */
export const bindAccount = ({ id, mode }: Ports.ProviderAccount): string => JSON.stringify({ id, mode })

/** The new secret, the previous one, the rotation, the id, the secret that is replaced. */
export const replaceEndpointSecret = `update webhook_endpoints
  set sealed_secret = $1, sealed_previous_secret = $2, rotation = $3 where id = $4 and sealed_secret = $5
  returning 1 as one`
