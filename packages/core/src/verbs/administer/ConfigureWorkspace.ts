/**
 * What operators change of a workspace that no configuration file defines: its routing, connections and webhook endpoints.
 * Each change is planned on one state of the directory, and written only while that state is the stored one.
 */
import { Effect, Option, Redacted, Result, Schema } from "effect"
import { type Connection, credentialsContext, webhookSecretContext } from "../../model/Connection.ts"
import { endpointSecretContext } from "../../model/EndpointSecret.ts"
import type { JsonObject } from "../../model/Event.ts"
import { defaultRoutingSettings, type RoutingSettings } from "../../model/RoutingSettings.ts"
import type { Environment, Tenant } from "../../model/Tenant.ts"
import { type AuditAction, auditDraft } from "../../ports/Audit.ts"
import { Connectors } from "../../ports/Connector.ts"
import { Directory, type DirectoryContents, type WebhookEndpoint } from "../../ports/Directory.ts"
import { keyStorageError, Secrets } from "../../ports/Secrets.ts"
import { WorkspaceNotFound } from "./ManageApiKeys.ts"

/** A configuration file defines the workspace: it is changed there. */
export class WorkspaceInFile extends Schema.TaggedError<WorkspaceInFile>()("pointsman/WorkspaceInFile", {}) {}

/** It was changed since it was read. */
export class RecordChanged extends Schema.TaggedError<RecordChanged>()("pointsman/RecordChanged", {}) {}

/** A connection of any workspace has the id, or an endpoint of the environment has the address. */
export class RecordExists extends Schema.TaggedError<RecordExists>()("pointsman/RecordExists", {}) {}

/** No such connection of this tenant. */
export class ConnectionNotFound extends Schema.TaggedError<ConnectionNotFound>()("pointsman/ConnectionNotFound", {}) {}

export class CredentialsRefused extends Schema.TaggedError<CredentialsRefused>()("pointsman/CredentialsRefused", {
  /** The field, and what was expected, never its value. */
  reason: Schema.String
}) {}

/** By the names that the connector gives to its fields. */
export type Credentials = Redacted.Redacted<Readonly<Record<string, string>>>

type Sealed = "sealedCredentials" | "sealedWebhookSecret" | "sealedPreviousWebhookSecret"

export interface ConnectionOrder extends Omit<Connection, Sealed | "workspaceId" | "environment" | "account"> {
  readonly credentials: Credentials
  readonly webhookSecret: Redacted.Redacted<string> | null
}

/** `seen`: `markOf` the record as the operator saw it. */
export interface ConnectionEdit {
  readonly id: string
  readonly seen: string
  /** Those before where they are left out. */
  readonly credentials?: Credentials
  /** The one before where it is left out. */
  readonly webhookSecret?: Redacted.Redacted<string>
  readonly active?: boolean
}

export interface EndpointOrder extends Pick<WebhookEndpoint, "url" | "events"> {
  /** Made once for each intent: a repeated request gets the same secret. */
  readonly idempotencyKey: string
}

export interface EndpointEdit {
  readonly id: string
  readonly seen: string
  readonly active: boolean
}

/** Of a record of the directory: another one once the record is changed. */
export const markOf = Effect.fnUntraced(function* (record: RoutingSettings | Connection | WebhookEndpoint) {
  return yield* (yield* Secrets).fingerprint(JSON.stringify({ ...record, account: null }))
})

const takeSeen = Effect.fnUntraced(function* (record: Parameters<typeof markOf>[0], seen: string) {
  if ((yield* markOf(record)) !== seen) return yield* new RecordChanged()
})

/** The connectors of an environment, with the names of their credentials; those that do not state them are left out. */
export const connectorsFor = (environment: Environment) =>
  Effect.map(Connectors, ({ definition, names }) =>
    names.flatMap((name) => {
      const found = Option.getOrUndefined(definition(name))
      return found?.credentials !== undefined && found.environments.includes(environment)
        ? [{ name, credentials: found.credentials }]
        : []
    })
  )

/** Stable over restarts. */
export const endpointIdOf = Effect.fnUntraced(function* ({ environment, workspaceId }: Tenant, url: string) {
  const digest = yield* (yield* Secrets).hash(JSON.stringify([workspaceId, environment, url]))
  return `whe_${digest.slice(0, 32)}`
})

export const changeRouting = Effect.fnUntraced(function* (tenant: Tenant, settings: RoutingSettings, seen: string) {
  yield* change(tenant, ({ routing }) =>
    Effect.gen(function* () {
      yield* takeSeen(routing.find(isOf(tenant))?.settings ?? defaultRoutingSettings, seen)
      return {
        rows: { routing: [{ ...tenant, settings }] },
        action: "routing.changed" as const,
        subject: `${tenant.workspaceId} ${tenant.environment}`,
        details: { mode: settings.mode, rules: (settings.rules ?? []).map(({ name }) => name) }
      }
    })
  )
})

export const addConnection = Effect.fnUntraced(function* (tenant: Tenant, order: ConnectionOrder) {
  const { credentials, webhookSecret, ...connection } = order
  const { id } = order
  yield* checkCredentials(tenant, order, credentials)
  const sealed = {
    sealedCredentials: yield* sealedJson(credentials, credentialsContext(id)),
    sealedWebhookSecret: webhookSecret && (yield* seal(webhookSecret, webhookSecretContext(id)))
  }
  yield* change(tenant, ({ connections }) =>
    connections.some((one) => one.id === id)
      ? Effect.fail(new RecordExists())
      : Effect.succeed({
          rows: { connections: [{ ...connection, ...tenant, ...sealed }] },
          action: "connection.added" as const,
          subject: id,
          details: { connector: order.connector, active: order.active }
        })
  )
})

export const changeConnection = Effect.fnUntraced(function* (tenant: Tenant, edit: ConnectionEdit) {
  const { active, credentials, id, seen, webhookSecret } = edit
  yield* change(tenant, ({ connections }) =>
    Effect.gen(function* () {
      const before = connections.find((one) => one.id === id && isOf(tenant)(one))
      if (before === undefined) return yield* new ConnectionNotFound()
      yield* takeSeen(before, seen)
      if (credentials !== undefined) yield* checkCredentials(tenant, before, credentials)
      const after: Connection = {
        ...before,
        active: active ?? before.active,
        ...(credentials === undefined
          ? {}
          : { sealedCredentials: yield* sealedJson(credentials, credentialsContext(id)) }),
        ...(webhookSecret === undefined
          ? {}
          : { sealedWebhookSecret: yield* seal(webhookSecret, webhookSecretContext(id)) })
      }
      const replaced = [
        ...(credentials === undefined ? [] : ["credentials"]),
        ...(webhookSecret === undefined ? [] : ["webhookSecret"])
      ]
      return {
        rows: { connections: [after] },
        action: "connection.changed" as const,
        subject: id,
        details: { active: after.active, replaced }
      }
    })
  )
})

/** With the secret, which is shown once. */
export const addEndpoint = Effect.fnUntraced(function* (
  tenant: Tenant,
  { events, idempotencyKey, url }: EndpointOrder
) {
  const secrets = yield* Secrets
  const id = yield* endpointIdOf(tenant, url)
  const context = endpointSecretContext(id)
  const digest = yield* secrets.fingerprint(JSON.stringify(["secret of new webhook endpoint", id, idempotencyKey]))
  const secret = Redacted.make(`whsec_${digest}`, { label: "webhook secret" })
  const endpoint: WebhookEndpoint = {
    ...tenant,
    id,
    url,
    events,
    sealedSecret: yield* seal(secret, context),
    active: true
  }
  yield* change(tenant, ({ webhookEndpoints }) =>
    Effect.gen(function* () {
      const before = webhookEndpoints.find((one) => one.id === id)
      if (before !== undefined && (yield* openOrUndefined(before.sealedSecret, context)) !== Redacted.value(secret)) {
        return yield* new RecordExists()
      }
      return before === undefined
        ? {
            rows: { webhookEndpoints: [endpoint] },
            action: "endpoint.added" as const,
            subject: id,
            details: { events: [...events] }
          }
        : undefined
    })
  )
  return { id, secret }
})

export const changeEndpoint = Effect.fnUntraced(function* (tenant: Tenant, { active, id, seen }: EndpointEdit) {
  yield* change(tenant, ({ webhookEndpoints }) =>
    Effect.gen(function* () {
      const before = webhookEndpoints.find((one) => one.id === id && isOf(tenant)(one))
      if (before === undefined) return yield* new RecordChanged()
      yield* takeSeen(before, seen)
      return {
        rows: { webhookEndpoints: [{ ...before, active }] },
        action: "endpoint.changed" as const,
        subject: id,
        details: { active }
      }
    })
  )
})

interface Planned {
  readonly rows: Partial<DirectoryContents>
  readonly action: AuditAction
  readonly subject: string
  /** Without secrets, and without addresses, whose query may hold one. */
  readonly details: JsonObject
}

const nothing: DirectoryContents = { workspaces: [], apiKeys: [], connections: [], routing: [], webhookEndpoints: [] }

/** Other writes of the directory than this record's are rare: a start that applies a file, a provider's account. */
const maxTries = 5

/** `plan` gives nothing where the change was made before. */
const change = Effect.fnUntraced(function* <E, R>(
  tenant: Tenant,
  plan: (contents: DirectoryContents) => Effect.Effect<Planned | undefined, E, R>
) {
  const directory = yield* Directory
  for (let tries = 0; tries < maxTries; tries++) {
    const { contents, version } = yield* directory.state
    const workspace = contents.workspaces.find(({ id }) => id === tenant.workspaceId)
    if (workspace === undefined) return yield* new WorkspaceNotFound()
    if (workspace.source === "configuration") return yield* new WorkspaceInFile()
    const planned = yield* plan(contents)
    if (planned === undefined) return
    const { action, details, rows, subject } = planned
    const ofTenant = { workspace_id: tenant.workspaceId, environment: tenant.environment }
    const audit = yield* auditDraft(action, subject, { ...ofTenant, ...details })
    const written = { contents: { ...nothing, ...rows }, configuration: null, version, audit }
    if (yield* directory.apply(written)) return
  }
  return yield* new RecordChanged()
})

const isOf =
  ({ environment, workspaceId }: Tenant) =>
  (one: Tenant): boolean =>
    one.workspaceId === workspaceId && one.environment === environment

/** Nothing is sent. */
const checkCredentials = Effect.fnUntraced(function* (
  { environment }: Tenant,
  { connector, id }: Pick<Connection, "connector" | "id">,
  credentials: Credentials
) {
  const { definition } = yield* Connectors
  const found = Option.filter(definition(connector), ({ environments }) => environments.includes(environment))
  if (Option.isNone(found)) {
    return yield* new CredentialsRefused({ reason: `connector: expected one for ${environment}` })
  }
  const account = { connectionId: id, environment, credentials: Redacted.value(credentials), timeoutMillis: 30_000 }
  const connected = found.value.connect(account, { send: () => Effect.die("nothing is sent from here") })
  if (Result.isFailure(connected)) return yield* new CredentialsRefused({ reason: connected.failure })
})

const seal = Effect.fnUntraced(function* (text: Redacted.Redacted<string>, context: string) {
  return yield* Effect.mapError((yield* Secrets).seal(text, context), keyStorageError("sealing a secret"))
})

const sealedJson = (credentials: Credentials, context: string) =>
  seal(Redacted.make(JSON.stringify(Redacted.value(credentials))), context)

/** What cannot be decrypted is none that this request made. */
const openOrUndefined = Effect.fnUntraced(function* (sealed: string, context: string) {
  return yield* (yield* Secrets).open(sealed, context).pipe(
    Effect.map(Redacted.value),
    Effect.catchTags({
      "pointsman/SealBroken": () => Effect.undefined,
      "pointsman/KeyUnavailable": (cause) => Effect.fail(keyStorageError("opening a secret")(cause))
    })
  )
})
