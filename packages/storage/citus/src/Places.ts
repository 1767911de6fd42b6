/**
 * `workspace`: in shards by `workspace_id`, all of a workspace on one node, so that a commit is a transaction of one node
 * (https://docs.citusdata.com/en/stable/sharding/data_modeling.html#co-location).
 *
 * `everywhere`: a reference table. A write needs every node
 * (https://docs.citusdata.com/en/stable/develop/reference_ddl.html#reference-tables).
 *
 * `coordinator`: on it only. A commit needs none of these, and a sign-in does not need every node.
 */
export type Place = "workspace" | "everywhere" | "coordinator"

/** In the order in which they are placed: what a foreign key names comes before the table that has it. */
export const places: Readonly<Record<string, Place>> = {
  payments: "workspace",
  tenants: "workspace",
  due: "workspace",
  searches: "workspace",
  reviews: "workspace",
  charges: "workspace",
  names: "workspace",
  disputes: "workspace",
  dispute_evidence: "workspace",
  events: "workspace",
  messages: "workspace",
  message_bodies: "workspace",
  deliveries: "workspace",
  delivery_attempts: "workspace",
  payment_metadata: "workspace",
  recovered_keys: "workspace",
  success_rates: "workspace",
  reconciliation_runs: "workspace",
  reconciliation_leases: "workspace",
  settlement_entries: "workspace",
  workspaces: "everywhere",
  api_keys: "everywhere",
  connections: "everywhere",
  routing: "everywhere",
  webhook_endpoints: "everywhere",
  directory_version: "everywhere",
  configurations: "everywhere",
  merchants: "everywhere",
  record_losses: "everywhere",
  recovered_connections: "everywhere",
  timelines: "everywhere",
  kept_secrets: "everywhere",
  pointsman_migrations: "everywhere",
  api_key_uses: "coordinator",
  leases: "coordinator",
  operators: "coordinator",
  operator_sessions: "coordinator",
  sign_in_links: "coordinator",
  passkeys: "coordinator",
  passkey_challenges: "coordinator",
  sign_in_guesses: "coordinator",
  audit_entries: "coordinator"
}

/** The tables that are in shards. All others are in shards of the same borders as those of the first. */
export const shardedTables: ReadonlyArray<string> = Object.keys(places).filter((name) => places[name] === "workspace")
