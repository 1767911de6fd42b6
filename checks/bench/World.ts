/**
 * The library as a backend embeds it: a storage, one connection of a provider that agrees to everything, a workspace
 * with an API key, and no network. Each request carries an idempotency key, and its commit asks for the API key.
 */
import { createHash } from "node:crypto"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { HttpConnector } from "@pointsman/connector-http"
import { type Caller, credentialsContext, type FeeRule, Pointsman, SecretsLayer } from "@pointsman/core"
import type { Connector, ConnectorDefinition } from "@pointsman/core/connector"
import {
  Connectors,
  Directory,
  Ids,
  type Ledger,
  Secrets,
  type StorageError,
  type StorageServices,
  Transport,
  Unanswered
} from "@pointsman/core/ports"
import * as NodeTransport from "@pointsman/transport-node"
import { Effect, Layer, Redacted, Result } from "effect"

export type Storage = Layer.Layer<StorageServices, StorageError, Ids>

/** For who opens a store that was filled here. */
export const encryptionKey: Uint8Array = createHash("sha256").update("bench").digest()

const apiKeyHash = "bench"

/** Of another workspace, with a key of its own. */
export const callerOf = (id: string, hash: string): Caller => ({
  tenant: { workspaceId: id, environment: "sandbox" },
  workspace: { id, name: id, country: "NL", category: null, suspended: false, partner: null },
  apiKeyHash: hash
})

export const caller: Caller = callerOf("acme", apiKeyHash)

/** Whom the one connection asks. */
export interface Provider {
  readonly definition: ConnectorDefinition
  /** As the configuration file would have them. */
  readonly credentials: object
  readonly transport: Layer.Layer<Transport>
  /** What it charges. */
  readonly fees?: ReadonlyArray<FeeRule>
}

/** In this process. */
export const inProcess = (definition: ConnectorDefinition): Provider => ({
  definition,
  credentials: {},
  transport: Layer.succeed(Transport, {
    send: () => Effect.fail(new Unanswered({ reason: "there is no network here" }))
  })
})

/** `latency`: milliseconds, drawn anew for each call. */
export const agreeing = (latency: () => number = () => 0): Provider => {
  const after = <A>(answer: A) => {
    const millis = latency()
    return millis === 0 ? Effect.succeed(answer) : Effect.delay(Effect.succeed(answer), millis)
  }
  return inProcess(
    definitionOf("agreeing", {
      charge: ({ attemptId, capture, money }) =>
        after({ _tag: capture ? "Captured" : "Authorized", providerRef: `tr_${attemptId}`, stated: money }),
      capture: ({ money, providerRef }) => after({ _tag: "Captured", providerRef, stated: money }),
      void: ({ providerRef }) => after({ _tag: "Canceled", providerRef }),
      refund: ({ refundId }) => after({ _tag: "Succeeded", providerRefundId: `re_${refundId}` })
    })
  )
}

/** Behind the provider protocol, as the server asks it. */
export const overHttp = (baseUrl: string): Provider => ({
  definition: HttpConnector.definition,
  credentials: { baseUrl, apiKey: "provider-api-key" },
  transport: NodeTransport.layer()
})

/** Of a provider in this process, which is never looked up. */
export const definitionOf = (
  name: string,
  operations: Omit<Connector, "lookUpCharge" | "lookUpRefund">
): ConnectorDefinition => ({
  name,
  environments: ["sandbox", "production"],
  supports: {},
  connect: () =>
    Result.succeed({
      ...operations,
      lookUpCharge: () => Effect.succeed({ _tag: "NotFound", conclusive: false }),
      lookUpRefund: () => Effect.succeed({ _tag: "NotFound", conclusive: false })
    })
})

const configured = (
  { credentials, definition, fees }: Provider,
  connectionIds: ReadonlyArray<string>,
  callers: ReadonlyArray<Caller>
) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const directory = yield* Directory
      const secrets = yield* Secrets
      const plain = Redacted.make(JSON.stringify(credentials))
      const wanted = callers.flatMap(({ tenant }) =>
        connectionIds.map((id, index) => ({
          tenant,
          index,
          id: callers.length === 1 ? id : `${id}-${tenant.workspaceId}`
        }))
      )
      const connections = yield* Effect.forEach(wanted, ({ id, index, tenant }) =>
        Effect.map(secrets.seal(plain, credentialsContext(id)), (sealedCredentials) => ({
          ...tenant,
          id,
          name: `${id[0]?.toUpperCase()}${id.slice(1)}`,
          connector: definition.name,
          active: true,
          priority: index + 1,
          sealedCredentials,
          sealedWebhookSecret: null,
          timeoutMillis: null,
          supports: {},
          restrictions: [],
          circuitBreaker: null,
          ...(fees && { fees })
        }))
      )
      yield* directory.write({
        workspaces: callers.map(({ workspace }) => workspace),
        apiKeys: callers.map(({ apiKeyHash, tenant }) => ({
          hash: apiKeyHash as string,
          ...tenant,
          scopes: null,
          name: null,
          expiresAt: null,
          networks: null,
          revokedAt: null,
          source: "operator" as const,
          createdAt: 1
        })),
        connections,
        routing: callers.map(({ tenant }) => ({ ...tenant, settings: { mode: "failover" as const } })),
        webhookEndpoints: []
      })
    })
  )

export const worldLayer = (
  storage: Storage,
  provider: Provider = agreeing(),
  connectionIds: ReadonlyArray<string> = ["main"],
  callers: ReadonlyArray<Caller> = [caller]
): Layer.Layer<Pointsman | Ledger | Directory> =>
  Pointsman.layer().pipe(
    Layer.provideMerge(configured(provider, connectionIds, callers)),
    Layer.provideMerge(storage),
    Layer.provide([
      Connectors.layer([provider.definition]),
      SecretsLayer.layer(Redacted.make(encryptionKey)),
      provider.transport
    ]),
    Layer.provide([Ids.layer, Layer.merge(NodeCrypto.layer, NodeTransport.NodeMac.layer)]),
    Layer.orDie
  )
