/**
 * `workspace`: in shards by `workspace_id`, all of a workspace on one node, so that a commit is a transaction of one node
 * (https://docs.citusdata.com/en/stable/sharding/data_modeling.html#co-location).
 *
 * `everywhere`: a reference table. A write needs every node
 * (https://docs.citusdata.com/en/stable/develop/reference_ddl.html#reference-tables).
 *
 * `coordinator`: on it only. A commit needs none of these, and a sign-in does not need every node.
 */
export type TablePlacement = "workspace" | "everywhere" | "coordinator"

/** In the order in which they are placed: what a foreign key names comes before the table that has it. */
const tables: Readonly<Record<TablePlacement, string>> = {
  workspace: `payments tenants due searches reviews charges names disputes dispute_evidence events
    messages message_bodies deliveries delivery_attempts payment_metadata recovered_keys success_rates
    reconciliation_runs reconciliation_leases settlement_entries`,
  everywhere: `workspaces api_keys connections routing webhook_endpoints directory_version configurations merchants
    record_losses recovered_connections timelines kept_secrets pointsman_migrations`,
  coordinator: `api_key_uses leases operators operator_sessions sign_in_links passkeys passkey_challenges
    sign_in_guesses audit_entries`
}

export const tablePlacements: Readonly<Record<string, TablePlacement>> = Object.fromEntries(
  Object.entries(tables).flatMap(([place, names]) => names.split(/\s+/u).map((name) => [name, place as TablePlacement]))
)

/** The tables that are in shards. All others are in shards of the same borders as those of the first. */
export const shardedTables: ReadonlyArray<string> = Object.keys(tablePlacements).filter(
  (name) => tablePlacements[name] === "workspace"
)
