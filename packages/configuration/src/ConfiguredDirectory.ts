/** What a checked configuration file wants the directory to hold, with its secrets hashed and sealed. */
import {
  type Condition,
  type Connection,
  credentialsContext,
  defaultRoutingSettings,
  endpointSecretContext,
  environments,
  kindOfMethod,
  type RoutingSettings,
  type Workspace,
  webhookSecretContext
} from "@pointsman/core"
import { configuredSecretText, endpointIdOf, type WantedDirectory } from "@pointsman/core/internal"
import {
  type DirectoryContents,
  keyStorageError,
  Secrets,
  type StorageError,
  type Transport,
  type WebhookEndpoint,
  type WorkspaceRouting
} from "@pointsman/core/ports"
import { Effect, Option, Redacted } from "effect"
import { connectorOf, timeoutOf } from "./CheckConfiguration.ts"
import type { ConfigurationFile, ConnectionFile, RoutingFile, WorkspaceFile } from "./ConfigurationFile.ts"
import { feeRuleOf } from "./FeeFields.ts"
import { retentionTimes } from "./RetentionFields.ts"
import { readDuration, readEvery, readMoment } from "./TimeText.ts"

/** `present` is asked for what is sealed already: sealing anew would make every start write every connection. */
export const configuredDirectory = Effect.fnUntraced(function* (file: ConfigurationFile, present: DirectoryContents) {
  const workspaces = yield* Effect.forEach(file.workspaces, (workspace) => wantedOf(workspace, present))
  return {
    workspaces: file.workspaces.map((workspace) => workspaceOf(workspace, file)),
    apiKeys: workspaces.flatMap((workspace) => workspace.apiKeys),
    connections: workspaces.flatMap((workspace) => workspace.connections),
    routing: file.workspaces.flatMap(routingOf),
    webhookEndpoints: workspaces.flatMap((workspace) => workspace.webhookEndpoints)
  } satisfies WantedDirectory
})

const wantedOf = Effect.fnUntraced(function* (workspace: WorkspaceFile, present: DirectoryContents) {
  return {
    apiKeys: yield* Effect.forEach(workspace.keys ?? [], (key) => apiKeyOf(workspace, key)),
    connections: yield* Effect.forEach(workspace.connections ?? [], (connection) =>
      connectionOf(workspace, connection, present)
    ),
    webhookEndpoints: yield* Effect.forEach(workspace.webhooks ?? [], (webhook) =>
      endpointOf(workspace, webhook, present)
    )
  }
})

const workspaceOf = (workspace: WorkspaceFile, file: ConfigurationFile): Workspace => {
  const retention = retentionTimes(workspace.retention, file.retention)
  const fourEyes = workspace.fourEyes ?? file.fourEyes
  return {
    id: workspace.id,
    name: workspace.name ?? workspace.id,
    country: workspace.country ?? null,
    category: workspace.category ?? null,
    suspended: workspace.suspended ?? false,
    partner: workspace.partner ?? null,
    ...(workspace.brand === undefined ? {} : { brand: workspace.brand }),
    ...(workspace.hostedPage === undefined ? {} : { hostedPage: workspace.hostedPage }),
    ...(retention === undefined ? {} : { retention }),
    ...(fourEyes === undefined ? {} : { fourEyes })
  }
}

const apiKeyOf = Effect.fnUntraced(function* (
  workspace: WorkspaceFile,
  key: NonNullable<WorkspaceFile["keys"]>[number]
) {
  const secrets = yield* Secrets
  const hash = yield* secrets.hash(key.secret)
  return {
    hash,
    workspaceId: workspace.id,
    environment: key.environment,
    scopes: key.scopes ?? null,
    name: key.name ?? null,
    expiresAt: key.expires === undefined ? null : Option.getOrThrow(readMoment(key.expires)),
    networks: key.networks ?? null
  }
})

const connectionOf = Effect.fnUntraced(function* (
  workspace: WorkspaceFile,
  connection: ConnectionFile,
  present: DirectoryContents
) {
  const before = present.connections.find((stored) => stored.id === connection.id)
  const { id, previousWebhookSecret, webhookSecret } = connection
  const sealedWebhookSecret =
    webhookSecret === undefined
      ? null
      : yield* sealedOnce(webhookSecret, webhookSecretContext(id), before?.sealedWebhookSecret)
  return {
    ...openConnectionOf(workspace, connection),
    sealedCredentials: yield* sealedOnce(
      JSON.stringify(connection.credentials ?? {}),
      credentialsContext(id),
      before?.sealedCredentials
    ),
    sealedWebhookSecret,
    ...(previousWebhookSecret === undefined
      ? {}
      : {
          sealedPreviousWebhookSecret: yield* sealedOnce(
            previousWebhookSecret,
            webhookSecretContext(id),
            before?.sealedPreviousWebhookSecret
          )
        }),
    // Nothing of the file's, and no difference from what is stored.
    ...(before?.account === undefined ? {} : { account: before.account })
  } satisfies Connection
})

/** A connection without its secrets, and without what its provider said. */
export type OpenConnection = Omit<
  Connection,
  "sealedCredentials" | "sealedWebhookSecret" | "sealedPreviousWebhookSecret" | "account"
>

export const openConnectionOf = (workspace: WorkspaceFile, connection: ConnectionFile): OpenConnection => {
  const { id, environment, circuitBreaker, fees, reports } = connection
  return {
    id,
    workspaceId: workspace.id,
    environment,
    name: connection.name ?? id,
    // A checked file names a connector wherever there is no default.
    connector: connectorOf(connection) ?? "",
    active: connection.active ?? true,
    priority: connection.priority ?? 1,
    timeoutMillis: timeoutOf(connection) ?? null,
    supports: connection.supports ?? {},
    restrictions: (connection.restrictions ?? []).map(({ when }) => conditionOf(when)),
    circuitBreaker:
      circuitBreaker === undefined
        ? null
        : { failures: circuitBreaker.failures, openMillis: Option.getOrThrow(readDuration(circuitBreaker.open)) },
    ...(fees === undefined ? {} : { fees: fees.map(feeRuleOf) }),
    ...(reports === undefined ? {} : { reports: { everyMillis: Option.getOrThrow(readEvery(reports.every)) } })
  }
}

const endpointOf = Effect.fnUntraced(function* (
  workspace: WorkspaceFile,
  webhook: NonNullable<WorkspaceFile["webhooks"]>[number],
  present: DirectoryContents
) {
  const { environment, url } = webhook
  const id = yield* endpointIdOf({ workspaceId: workspace.id, environment }, url)
  const before = present.webhookEndpoints.find((stored) => stored.id === id)
  return {
    id,
    workspaceId: workspace.id,
    environment,
    url,
    events: webhook.events ?? ["*"],
    ...(yield* endpointSecretsOf(id, webhook, before)),
    active: true
  } satisfies WebhookEndpoint
})

/**
 * What an operator rotated stays while the file names the secret that was rotated away, or the new one. Any other secret
 * of the file replaces the operator's.
 */
const endpointSecretsOf = Effect.fnUntraced(function* (
  id: string,
  { previousSecret, secret }: Pick<NonNullable<WorkspaceFile["webhooks"]>[number], "previousSecret" | "secret">,
  before: WebhookEndpoint | undefined
): Effect.fn.Return<
  Pick<WebhookEndpoint, "sealedSecret" | "sealedPreviousSecret" | "rotation">,
  StorageError,
  Secrets
> {
  const secrets = yield* Secrets
  const context = endpointSecretContext(id)
  const configured = yield* secrets.fingerprint(configuredSecretText(id, secret))
  const sealedSecret = yield* sealedOnce(secret, context, before?.sealedSecret)
  if (
    before?.rotation !== undefined &&
    (before.rotation.configured === configured || sealedSecret === before.sealedSecret)
  ) {
    const { rotation, sealedPreviousSecret, sealedSecret } = before
    return {
      sealedSecret,
      ...(sealedPreviousSecret == null ? {} : { sealedPreviousSecret }),
      rotation: { ...rotation, configured }
    }
  }
  if (previousSecret === undefined) return { sealedSecret }
  return {
    sealedSecret,
    sealedPreviousSecret: yield* sealedOnce(previousSecret, context, before?.sealedPreviousSecret)
  }
})

/** The text that is stored where it holds this secret already, else a new one. */
const sealedOnce = Effect.fnUntraced(
  function* (plaintext: string, context: string, stored: string | null | undefined) {
    const secrets = yield* Secrets
    if (stored !== null && stored !== undefined) {
      const opened = yield* Effect.catchTag(
        secrets.open(stored, context),
        "pointsman/SealBroken",
        () => Effect.undefined
      )
      if (opened !== undefined && Redacted.value(opened) === plaintext) return stored
    }
    return yield* secrets.seal(Redacted.make(plaintext), context)
  },
  Effect.mapError(keyStorageError("sealing the configuration"))
)

const routingOf = (workspace: WorkspaceFile): ReadonlyArray<WorkspaceRouting> =>
  environments.flatMap((environment) => {
    const routing = workspace.routing?.[environment]
    return routing === undefined
      ? []
      : [{ workspaceId: workspace.id, environment, settings: routingSettingsOf(routing) }]
  })

export const routingSettingsOf = (routing: RoutingFile): RoutingSettings => ({
  ...routing,
  mode: routing.mode ?? defaultRoutingSettings.mode,
  ...(routing.rules === undefined
    ? {}
    : { rules: routing.rules.map((rule) => ({ ...rule, when: conditionOf(rule.when) })) })
})

/**
 * A condition that names payment methods also gets their kinds. To a server of this release they add nothing. A server of an
 * earlier release ignores the names, and would otherwise take the condition to match every payment.
 */
const conditionOf = (when: Condition): Condition =>
  when.paymentMethod === undefined || when.method !== undefined
    ? when
    : { ...when, method: [...new Set(when.paymentMethod.map(kindOfMethod))] }

/** For code that only reads and checks: a request to a provider would be a bug. */
export const sendsNothing: Transport["Service"] = { send: () => Effect.die("nothing is sent from here") }
