/** What an operator reads of connections. Credentials stay in core. The pages and the API share it. */
import { feeFileOf, understandConnection } from "@pointsman/configuration"
import {
  type AccountReading,
  accountText,
  type CircuitReading,
  type ConnectionEdit,
  type ConnectionHealth,
  type ConnectionOrder,
  type ConnectionOutcome,
  type Connection as Core,
  Pointsman,
  type ProviderAccount,
  type Supports
} from "@pointsman/core"
import { defaultCircuitBreaker } from "@pointsman/core/internal"
import { InProcess } from "@pointsman/http"
import { Effect, Redacted } from "effect"
import { internalError, missing } from "../api/Errors.ts"
import { callerOf, directoryContents, type TenantPath } from "../gate/Caller.ts"
import { credentialsRefused, refusals, understood } from "../gate/Configuring.ts"
import { takeRecentSignIn } from "../gate/RecentSignIn.ts"
import { circuitView } from "../routing/RoutingViews.ts"
import type { Connection } from "./ConnectionApi.ts"

const { validationErrorOf } = InProcess

export interface ConnectionPath extends TenantPath {
  readonly connection: string
}

/** In the order in which they are asked where nothing else decides; inactive ones last. */
export const connections = Effect.fnUntraced(function* (path: TenantPath) {
  const { tenant } = yield* callerOf(path)
  const pointsman = yield* Pointsman
  const { connections, providerSupports } = yield* Effect.catch(pointsman.routingConfiguration(tenant), internalError)
  const health = byId(yield* Effect.catch(pointsman.connectionHealth(tenant), internalError))
  const accounts = byId(yield* Effect.catch(pointsman.accounts, internalError))
  const circuits = byId(yield* pointsman.circuits)
  return connections
    .toSorted((a, b) => Number(b.active) - Number(a.active) || a.priority - b.priority || (a.id < b.id ? -1 : 1))
    .map((connection) =>
      view(connection, {
        providerSupports: providerSupports(connection),
        health: health.get(connection.id),
        account: accounts.get(connection.id),
        circuit: circuits.get(connection.id)
      })
    )
})

export const connection = Effect.fnUntraced(function* (path: ConnectionPath) {
  const found = (yield* connections(path)).find(({ id }) => id === path.connection)
  return found ?? (yield* missing("pointsman/ConnectionNotFound"))
})

/** As it is stored, and what a change of it has to name. */
export const stored = Effect.fnUntraced(function* (path: ConnectionPath) {
  const { tenant } = yield* callerOf(path)
  const { connections } = yield* directoryContents
  const found = connections.find(
    ({ environment, id, workspaceId }) =>
      id === path.connection && workspaceId === tenant.workspaceId && environment === tenant.environment
  )
  if (found === undefined) return yield* missing("pointsman/ConnectionNotFound")
  return { connection: found, seen: yield* (yield* Pointsman).configure.markOf(found) }
})

/** Those that the console can ask the credentials of. */
export const connectors = Effect.fnUntraced(function* ({ environment }: TenantPath) {
  return yield* (yield* Pointsman).configure.connectors(environment)
})

/** What a form gives of secrets; a field that was left empty is not one. */
export interface GivenSecrets {
  readonly credentials: Readonly<Record<string, string>>
  readonly webhookSecret: string | undefined
}

/** `file`: as the configuration file has it, without its secrets. */
export const add = Effect.fnUntraced(function* (path: TenantPath, file: object, secrets: GivenSecrets) {
  yield* takeRecentSignIn
  const { tenant } = yield* callerOf(path)
  const { workspaceId: _, ...connection } = yield* understood(understandConnection(file, path.workspace))
  const order: ConnectionOrder = {
    ...connection,
    credentials: Redacted.make(secrets.credentials),
    webhookSecret: secrets.webhookSecret === undefined ? null : Redacted.make(secrets.webhookSecret)
  }
  yield* Effect.catchTags((yield* Pointsman).configure.addConnection(tenant, order), {
    ...refusals,
    "pointsman/RecordExists": () =>
      Effect.fail(validationErrorOf("id: expected one that no connection of this installation has")),
    "pointsman/CredentialsRefused": credentialsRefused
  })
})

export const change = Effect.fnUntraced(function* (path: ConnectionPath, edit: Omit<ConnectionEdit, "id">) {
  yield* takeRecentSignIn
  const { tenant } = yield* callerOf(path)
  const { configure } = yield* Pointsman
  yield* Effect.catchTags(configure.changeConnection(tenant, { ...edit, id: path.connection }), {
    ...refusals,
    "pointsman/ConnectionNotFound": () => missing("pointsman/ConnectionNotFound"),
    "pointsman/CredentialsRefused": credentialsRefused
  })
})

const byId = <Reading extends { readonly connectionId: string }>(readings: ReadonlyArray<Reading>) =>
  new Map(readings.map((reading) => [reading.connectionId, reading]))

interface Known {
  readonly providerSupports: Supports
  readonly health: ConnectionHealth | undefined
  readonly account: AccountReading | undefined
  readonly circuit: CircuitReading | undefined
}

const view = (connection: Core, { account, circuit, health, providerSupports }: Known): Connection => {
  const { failures, openMillis } = connection.circuitBreaker ?? defaultCircuitBreaker
  return {
    id: connection.id,
    name: connection.name,
    connector: connection.connector,
    active: connection.active,
    priority: connection.priority,
    timeout_ms: connection.timeoutMillis,
    supports: connection.supports,
    provider_supports: providerSupports,
    restrictions: connection.restrictions,
    fees: (connection.fees ?? []).map(feeFileOf),
    circuit_breaker: { failures, open_ms: openMillis },
    circuit: circuitView(circuit),
    account: {
      standing: account?.standing ?? "unverified",
      first: accountOrNull(account?.first),
      current: accountOrNull(account?.current)
    },
    health: {
      fault: health?.fault ?? null,
      succeeded: health?.succeeded ?? 0,
      failed: health?.failed ?? 0,
      last_success: outcomeView(health?.lastSuccess ?? null),
      last_failure: outcomeView(health?.lastFailure ?? null)
    },
    webhook: {
      path: `/api/v1/psp-webhooks/${encodeURIComponent(connection.id)}`,
      has_secret: connection.sealedWebhookSecret !== null,
      has_previous_secret: connection.sealedPreviousWebhookSecret !== undefined
    }
  }
}

const accountOrNull = (account: ProviderAccount | null | undefined): string | null =>
  account === null || account === undefined ? null : accountText(account)

const outcomeView = (seen: ConnectionOutcome | null): Connection["health"]["last_success"] =>
  seen === null
    ? null
    : { payment_id: seen.paymentId, created: InProcess.timeView(seen.at), outcome: seen.outcome, code: seen.code }
