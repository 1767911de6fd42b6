/**
 * The library as a backend embeds it: a storage, one connection of a provider that agrees to everything, a workspace
 * with an API key, and no network. Each request carries an idempotency key, and its commit asks for the API key.
 */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import {
  type Caller,
  Connectors,
  credentialsContext,
  type Deliveries,
  Directory,
  Ids,
  type Ledger,
  type Merchants,
  Pointsman,
  Secrets,
  SecretsLayer,
  type StorageError,
  Transport,
  Unanswered
} from "@pointsman/core"
import type { Connector, ConnectorDefinition } from "@pointsman/core/connector"
import { Effect, Layer, Redacted, Result } from "effect"

export type Storage = Layer.Layer<Ledger | Deliveries | Directory | Merchants, StorageError, Ids>

const apiKeyHash = "bench"

export const caller: Caller = {
  tenant: { workspaceId: "acme", environment: "sandbox" },
  workspace: { id: "acme", name: "Acme", country: "NL", category: null, suspended: false, partner: null },
  apiKeyHash
}

/** Answers after so many milliseconds, drawn anew for each call. */
export type Latency = () => number

export const atOnce: Latency = () => 0

const agreeing = (latency: Latency): ConnectorDefinition => {
  const after = <A>(answer: A) => {
    const millis = latency()
    return millis === 0 ? Effect.succeed(answer) : Effect.as(Effect.sleep(millis), answer)
  }
  const connector: Connector = {
    charge: ({ attemptId, capture, money }) =>
      after({ _tag: capture ? "Captured" : "Authorized", providerRef: `ref_${attemptId}`, stated: money }),
    lookUpCharge: () => Effect.succeed({ _tag: "NotFound", conclusive: false }),
    capture: ({ money, providerRef }) => after({ _tag: "Captured", providerRef, stated: money }),
    void: ({ providerRef }) => after({ _tag: "Canceled", providerRef }),
    refund: ({ refundId }) => after({ _tag: "Succeeded", providerRefundId: `re_${refundId}` }),
    lookUpRefund: () => Effect.succeed({ _tag: "NotFound", conclusive: false })
  }
  return {
    name: "agreeing",
    environments: ["sandbox", "production"],
    supports: {},
    connect: () => Result.succeed(connector)
  }
}

const configured = Layer.effectDiscard(
  Effect.gen(function* () {
    const directory = yield* Directory
    const secrets = yield* Secrets
    yield* directory.write({
      workspaces: [caller.workspace],
      apiKeys: [
        { hash: apiKeyHash, ...caller.tenant, scopes: null, revokedAt: null, source: "operator", createdAt: 1 }
      ],
      connections: [
        {
          ...caller.tenant,
          id: "main",
          name: "Main",
          connector: "agreeing",
          active: true,
          priority: 1,
          sealedCredentials: yield* secrets.seal(Redacted.make("{}"), credentialsContext("main")),
          sealedWebhookSecret: null,
          timeoutMillis: null,
          supports: {},
          restrictions: [],
          circuitBreaker: null
        }
      ],
      routing: [{ ...caller.tenant, settings: { mode: "failover" } }],
      webhookEndpoints: []
    })
  })
)

export const worldLayer = (storage: Storage, latency: Latency = atOnce): Layer.Layer<Pointsman | Ledger | Directory> =>
  Pointsman.layer().pipe(
    Layer.provideMerge(configured),
    Layer.provideMerge(storage),
    Layer.provide([
      Connectors.layer([agreeing(latency)]),
      SecretsLayer.layer(Redacted.make(new Uint8Array(32).fill(7))),
      Layer.succeed(Transport, { send: () => Effect.fail(new Unanswered({ reason: "there is no network here" })) })
    ]),
    Layer.provide([Ids.layer, NodeCrypto.layer]),
    Layer.orDie
  )
