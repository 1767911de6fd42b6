/** What a world has in its directory: one workspace with two tenants, their connections, and the merchants' endpoints. */
import {
  type Caller,
  type Connection,
  credentialsContext,
  type Environment,
  type Event,
  endpointSecretContext,
  type Workspace,
  webhookSecretContext
} from "@pointsman/core"
import { Directory, type Merchants, Secrets, type WebhookEndpoint } from "@pointsman/core/ports"
import { Effect, Redacted } from "effect"
import type { Mac } from "effect/crypto"
import { timeoutMillis } from "./CallHandling.ts"

/** Of both tenants. */
const workspace: Workspace = {
  ...{ id: "acme", name: "Acme", country: "NL", category: "retail" },
  ...{ suspended: false, partner: null }
}
const callerOf = (environment: Environment): Caller => ({
  tenant: { workspaceId: workspace.id, environment },
  workspace
})

/** The two tenants. Neither needs an API key. */
export const sandbox: Caller = callerOf("sandbox")
export const production: Caller = callerOf("production")
export const callers = [sandbox, production] as const

/** Every tenant has two connections, in this order: `main-…` and `backup-…`, with failover from one to the other. */
const connectionsMade = [
  ["main-sandbox", "sandbox"],
  ["backup-sandbox", "sandbox"],
  ["main-production", "production"],
  ["backup-production", "production"]
] as const

export const connectionIds = connectionsMade.map(([id]) => id)

/** The secret of a connection's messages. */
export const messageSecretOf = (connectionId: string): string => `pmsec_${connectionId}`

const connection = Effect.fnUntraced(function* (id: string, environment: Environment, priority: number) {
  const { seal } = yield* Secrets
  return {
    id,
    workspaceId: workspace.id,
    environment,
    name: id,
    connector: "simulated",
    active: true,
    priority,
    sealedCredentials: yield* seal(Redacted.make("{}"), credentialsContext(id)),
    sealedWebhookSecret: yield* seal(Redacted.make(messageSecretOf(id)), webhookSecretContext(id)),
    timeoutMillis,
    supports: {},
    restrictions: [],
    circuitBreaker: null
  } satisfies Connection
})

export interface MerchantsEndpoint {
  readonly id: string
  readonly environment: Environment
  readonly events: ReadonlyArray<"*" | Event["type"]>
  /** Whether its secret is being changed. */
  readonly isChanging: boolean
}

/** One endpoint of each tenant wants everything; the other one a part, and is in the middle of a change of secrets. */
export const endpoints = callers.flatMap(
  ({ tenant: { environment } }): ReadonlyArray<MerchantsEndpoint> => [
    { id: `all-${environment}`, environment, events: ["*"], isChanging: false },
    { id: `money-${environment}`, environment, events: ["payment.captured", "payment.refunded"], isChanging: true }
  ]
)

/** One more for each tenant, which is in no directory at first; it wants everything. */
export const lateEndpoints = callers.map(({ tenant: { environment } }): MerchantsEndpoint => {
  return { id: `late-${environment}`, environment, events: ["*"], isChanging: false }
})

export const urlOf = (id: string): string => `https://${id}.example/hooks`

/** The secret that an endpoint's owner knows, by its URL. */
export const secretOfEndpoint = (url: string): string | undefined => secrets.get(url)

const secrets: ReadonlyMap<string, string> = new Map(
  [...endpoints, ...lateEndpoints].map(({ id }) => [urlOf(id), `whsec_${id}`])
)

/** Those that an endpoint's deliveries are signed with, the newest first. */
const signingSecretsOf = ({ id, isChanging }: MerchantsEndpoint) => ({
  secret: isChanging ? `whsec_next_${id}` : `whsec_${id}`,
  previousSecret: isChanging ? `whsec_${id}` : null
})

/** The endpoints of a tenant, and what each is to receive. */
export const wantedBy = (environment: Environment) =>
  endpoints
    .filter((one) => one.environment === environment)
    .map(({ events, id }) => ({
      url: urlOf(id),
      wants: (type: Event["type"]): boolean => events.includes("*") || events.includes(type)
    }))

const endpoint = Effect.fnUntraced(function* (owned: MerchantsEndpoint) {
  const { environment, events, id } = owned
  const { previousSecret, secret } = signingSecretsOf(owned)
  const { seal } = yield* Secrets
  const sealed = (secret: string) => seal(Redacted.make(secret), endpointSecretContext(id))
  return {
    id,
    workspaceId: workspace.id,
    environment,
    url: urlOf(id),
    events,
    sealedSecret: yield* sealed(secret),
    sealedPreviousSecret: previousSecret === null ? null : yield* sealed(previousSecret),
    active: true
  } satisfies WebhookEndpoint
})

export const furnish = Effect.gen(function* () {
  const directory = yield* Directory
  const connections = yield* Effect.forEach(connectionsMade, ([id, environment], index) =>
    connection(id, environment, 1 + (index % 2))
  )
  yield* directory.write({
    workspaces: [workspace],
    apiKeys: [],
    connections,
    routing: callers.map(({ tenant }) => ({ ...tenant, settings: { mode: "failover" } })),
    webhookEndpoints: yield* Effect.forEach(endpoints, endpoint)
  })
})

/** The configuration file of a world, as the package `configuration` reads it: what `furnish` stores, with keys. */
export type WorldFile = ReturnType<typeof worldFile>

/** Applies the file that a process starts with; it fails where the storage does. */
export type ApplyFile = (file: WorldFile) => Effect.Effect<unknown, unknown, Directory | Merchants | Secrets | Mac.Mac>

/** `generation`: `null` for a file without a number. `keys`: of production. */
export const worldFile = (generation: number | null, ...contents: Parameters<typeof workspaceIn>) => ({
  ...(generation === null ? {} : { generation }),
  workspaces: [workspaceIn(...contents)]
})

const workspaceIn = (keys: ReadonlyArray<string>, wanted: ReadonlyArray<MerchantsEndpoint>) => ({
  ...{ id: workspace.id, name: workspace.name, country: "NL", category: "retail" },
  keys: keys.map((secret) => ({ environment: "production" as const, secret })),
  connections: connectionsMade.map(([id, environment], index) => ({
    ...{ id, environment, connector: "simulated", priority: 1 + (index % 2) },
    ...{ webhookSecret: messageSecretOf(id), timeout: `${timeoutMillis / 1_000} seconds` }
  })),
  routing: { sandbox: { mode: "failover" as const }, production: { mode: "failover" as const } },
  webhooks: wanted.map((endpoint) => {
    const { previousSecret, secret } = signingSecretsOf(endpoint)
    const { environment, events, id } = endpoint
    return { environment, events, secret, url: urlOf(id), ...(previousSecret === null ? {} : { previousSecret }) }
  })
})
