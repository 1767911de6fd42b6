/**
 * What to write into the directory so that it holds what the configuration file says.
 *
 * The file is the word on what it names, and nothing is ever deleted: a connection or webhook endpoint that it no
 * longer names becomes inactive, because captures, refunds, lookups and messages of its payments continue. A key that
 * the file brought and no longer names is revoked, and a file does not revive a revoked key; a key that an operator
 * made is the operator's and is left alone.
 */
import { Equal, Result } from "effect"
import type { ApiKey } from "../model/ApiKey.ts"
import type { Connection } from "../model/Connection.ts"
import { defaultRoutingSettings } from "../model/RoutingSettings.ts"
import { type Environment, environments } from "../model/Tenant.ts"
import type { Workspace } from "../model/Workspace.ts"
import type { DirectoryContents, WebhookEndpoint, WorkspaceRouting } from "./Directory.ts"

/** All that a configuration file names. */
export interface WantedDirectory {
  readonly workspaces: ReadonlyArray<Workspace>
  readonly apiKeys: ReadonlyArray<Omit<ApiKey, "revokedAt" | "source" | "createdAt">>
  /** Stored secrets come as their sealed text: sealed anew they differ, and every start would write them. */
  readonly connections: ReadonlyArray<Connection>
  readonly routing: ReadonlyArray<WorkspaceRouting>
  readonly webhookEndpoints: ReadonlyArray<WebhookEndpoint>
}

/** Why the configuration cannot be applied to this directory. */
export type DirectoryConflict =
  | { readonly _tag: "ConnectionTwice"; readonly connectionId: string }
  /** The id belongs to a connection of another workspace or environment, whose payments hold it. */
  | {
      readonly _tag: "ConnectionElsewhere"
      readonly connectionId: string
      readonly workspaceId: string
      readonly environment: Environment
    }
  /** Its payments are at the provider of the old connector: the new one would say that it never saw them. */
  | { readonly _tag: "ConnectorChanged"; readonly connectionId: string; readonly connector: string }
  | { readonly _tag: "ApiKeyTwice"; readonly hash: string }
  /** An operator made this key for another workspace or environment. */
  | { readonly _tag: "ApiKeyElsewhere"; readonly hash: string; readonly workspaceId: string }

export interface DirectoryPlanOptions {
  /** Epoch milliseconds. */
  readonly now: number
  /** Applied for the first time. Later it revokes no key: an operator may have restored one that it omits. */
  readonly isNew: boolean
  /** Workspaces that stay as they are unless the configuration names them, but for keys that it brought before. */
  readonly notRuled: ReadonlySet<string>
}

/** The rows that differ from what is stored: none when the configuration was applied before. */
export const planDirectory = (
  present: DirectoryContents,
  wanted: WantedDirectory,
  options: DirectoryPlanOptions
): Result.Result<DirectoryContents, ReadonlyArray<DirectoryConflict>> => {
  const conflicts = [...connectionConflicts(present, wanted), ...apiKeyConflicts(present, wanted)]
  if (conflicts.length > 0) return Result.fail(conflicts)

  const named = new Set(wanted.workspaces.map((workspace) => workspace.id))
  const isRuled = (workspaceId: string) => named.has(workspaceId) || !options.notRuled.has(workspaceId)
  return Result.succeed({
    workspaces: changed(present.workspaces, planWorkspaces(present, wanted, isRuled), (workspace) => workspace.id),
    apiKeys: planApiKeys(present, wanted, options),
    connections: changed(
      present.connections,
      withAbsentInactive(present.connections.map(unscheduled), wanted.connections, isRuled),
      (connection) => connection.id
    ),
    routing: changed(present.routing, planRouting(present, wanted, named), routingKey),
    webhookEndpoints: changed(
      present.webhookEndpoints,
      withAbsentInactive(present.webhookEndpoints, wanted.webhookEndpoints, isRuled),
      (endpoint) => endpoint.id
    )
  })
}

export const isEmptyPlan = (plan: DirectoryContents): boolean =>
  plan.workspaces.length === 0 &&
  plan.apiKeys.length === 0 &&
  plan.connections.length === 0 &&
  plan.routing.length === 0 &&
  plan.webhookEndpoints.length === 0

/** What the file does not define any more, but for what it rules, is the operators' again. */
const planWorkspaces = (
  present: DirectoryContents,
  wanted: WantedDirectory,
  isRuled: (workspaceId: string) => boolean
): ReadonlyArray<Workspace> => {
  const named = byKey(wanted.workspaces, ({ id }) => id)
  const absent = present.workspaces.filter(({ id }) => !named.has(id))
  return [...wanted.workspaces, ...absent].map(({ source: _, ...workspace }) =>
    isRuled(workspace.id) ? { ...workspace, source: "configuration" } : workspace
  )
}

const connectionConflicts = (present: DirectoryContents, wanted: WantedDirectory): ReadonlyArray<DirectoryConflict> => {
  const stored = byKey(present.connections, (connection) => connection.id)
  const seen = new Set<string>()
  return wanted.connections.flatMap((connection): ReadonlyArray<DirectoryConflict> => {
    const connectionId = connection.id
    if (seen.has(connectionId)) return [{ _tag: "ConnectionTwice", connectionId }]
    seen.add(connectionId)
    const before = stored.get(connectionId)
    if (before === undefined) return []
    const { workspaceId, environment, connector } = before
    if (workspaceId !== connection.workspaceId || environment !== connection.environment) {
      return [{ _tag: "ConnectionElsewhere", connectionId, workspaceId, environment }]
    }
    return connector === connection.connector ? [] : [{ _tag: "ConnectorChanged", connectionId, connector }]
  })
}

const apiKeyConflicts = (present: DirectoryContents, wanted: WantedDirectory): ReadonlyArray<DirectoryConflict> => {
  const stored = byKey(present.apiKeys, (key) => key.hash)
  const seen = new Set<string>()
  return wanted.apiKeys.flatMap((key): ReadonlyArray<DirectoryConflict> => {
    if (seen.has(key.hash)) return [{ _tag: "ApiKeyTwice", hash: key.hash }]
    seen.add(key.hash)
    const before = stored.get(key.hash)
    if (before === undefined || before.source !== "operator") return []
    if (before.workspaceId === key.workspaceId && before.environment === key.environment) return []
    return [{ _tag: "ApiKeyElsewhere", hash: key.hash, workspaceId: before.workspaceId }]
  })
}

const planApiKeys = (
  present: DirectoryContents,
  wanted: WantedDirectory,
  { isNew, now }: DirectoryPlanOptions
): ReadonlyArray<ApiKey> => {
  const stored = byKey(present.apiKeys, (key) => key.hash)
  const named = new Set(wanted.apiKeys.map((key) => key.hash))
  const alive = wanted.apiKeys.flatMap((key): ReadonlyArray<ApiKey> => {
    const before = stored.get(key.hash)
    // An operator may have removed it from an earlier file because it leaked.
    if (before !== undefined && (before.source === "operator" || before.revokedAt !== null)) return []
    return [{ ...key, revokedAt: null, source: "configuration", createdAt: before?.createdAt ?? now }]
  })
  const revoked = present.apiKeys
    .filter((key) => isNew && key.source === "configuration" && key.revokedAt === null && !named.has(key.hash))
    .map((key): ApiKey => ({ ...key, revokedAt: now }))
  return changed(present.apiKeys, [...alive, ...revoked], (key) => key.hash)
}

/** Routing of a named workspace is replaced. Nothing can be deleted, so what the file leaves out becomes the default. */
const planRouting = (
  present: DirectoryContents,
  wanted: WantedDirectory,
  named: ReadonlySet<string>
): ReadonlyArray<WorkspaceRouting> => {
  const given = new Set(wanted.routing.map(routingKey))
  const leftOut = [...named]
    .flatMap((workspaceId) =>
      environments.map(
        (environment): WorkspaceRouting => ({ workspaceId, environment, settings: defaultRoutingSettings })
      )
    )
    .filter((routing) => !given.has(routingKey(routing)))
  const stored = byKey(present.routing, routingKey)
  return [...wanted.routing, ...leftOut.filter((routing) => stored.has(routingKey(routing)))]
}

const routingKey = (routing: WorkspaceRouting): string => JSON.stringify([routing.workspaceId, routing.environment])

interface Switchable {
  readonly id: string
  readonly workspaceId: string
  readonly active: boolean
}

const withAbsentInactive = <A extends Switchable>(
  present: ReadonlyArray<A>,
  wanted: ReadonlyArray<A>,
  isRuled: (workspaceId: string) => boolean
): ReadonlyArray<A> => {
  const named = new Set(wanted.map((row) => row.id))
  const absent = present.filter((row) => !named.has(row.id) && isRuled(row.workspaceId))
  return [...wanted, ...absent.map((row): A => ({ ...row, active: false }))]
}

/** Nothing fetches the reports of a connection that the configuration does not name. */
const unscheduled = ({ reports: _, ...connection }: Connection): Connection => connection

const changed = <A>(
  present: ReadonlyArray<A>,
  wanted: ReadonlyArray<A>,
  keyOf: (row: A) => string
): ReadonlyArray<A> => {
  const stored = byKey(present, keyOf)
  return wanted.filter((row) => !Equal.equals(stored.get(keyOf(row)), row))
}

const byKey = <A>(rows: ReadonlyArray<A>, keyOf: (row: A) => string): ReadonlyMap<string, A> =>
  new Map(rows.map((row) => [keyOf(row), row]))
