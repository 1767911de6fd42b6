/** A whole Pointsman in memory: two connections of one workspace at a scripted provider. */
import { createHmac } from "node:crypto"
import {
  type ApiKey,
  type Caller,
  type Connection,
  credentialsContext,
  type Environment,
  endpointSecretContext,
  type FourEyes,
  Pointsman,
  type PointsmanOptions,
  type RoutingSettings,
  RoutingStrategies,
  type RoutingStrategy,
  type Tenant,
  type Workspace
} from "@pointsman/core"
import {
  Connectors,
  Deliveries,
  Directory,
  type DirectoryContents,
  Ids,
  type Ledger,
  type Operators,
  Secrets,
  type StorageServices,
  Transport,
  Unanswered,
  type WebhookEndpoint
} from "@pointsman/core/ports"
import {
  type FaultyLedger,
  faultyLedger,
  openSecretsLayer,
  type ScriptedProvider,
  type ScriptedSender,
  scriptedProvider
} from "@pointsman/core/testing"
import * as MemoryStorage from "@pointsman/storage-memory"
import { Context, Effect, Fiber, Layer, Redacted, type Scope } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"

export const tenant: Tenant = { workspaceId: "acme", environment: "sandbox" }
export const workspace: Workspace = {
  id: "acme",
  name: "Acme",
  country: "NL",
  category: "retail",
  suspended: false,
  partner: null
}
export const caller: Caller = { tenant, workspace }

/** A connection of the workspace without limits, and without credentials. */
export const connectionOf = (id: string, change: Partial<Connection> = {}): Connection => ({
  id,
  ...tenant,
  name: `The ${id} acquirer`,
  connector: "scripted",
  active: true,
  priority: 1,
  sealedCredentials: "",
  sealedWebhookSecret: null,
  timeoutMillis: null,
  supports: {},
  restrictions: [],
  circuitBreaker: null,
  ...change
})

/** A key of the workspace that may do everything, made by an operator. */
export const apiKeyOf = (hash: string, change: Partial<ApiKey> = {}): ApiKey => ({
  ...{ hash, ...tenant, scopes: null, name: null, expiresAt: null, networks: null, revokedAt: null },
  ...{ source: "operator", createdAt: 0 },
  ...change
})

const noRows = { workspaces: [], apiKeys: [], connections: [], routing: [], webhookEndpoints: [] }
export const nothingConfigured: DirectoryContents = noRows

/** No connector of these tests may reach for the network. */
const noTransport = Layer.succeed(Transport, {
  send: () => Effect.fail(new Unanswered({ reason: "there is no network in this test" }))
})

/** A signature that leaves the thread would not be done when the test's clock is. */
const syncMac = Mac.layerWebCryptoWith({
  hmac: (_hash, key, data) => createHmac("sha256", key).update(data).digest()
}).pipe(Layer.provide(SecureRandom.layerWebCrypto))

const idsFrom = (chance: () => number) =>
  Ids.layerNoDeps.pipe(
    Layer.provide(
      Layer.sync(SecureRandom.SecureRandom, () =>
        SecureRandom.make((size) => Uint8Array.from({ length: size }, () => chance() * 256))
      )
    )
  )

type Stored = StorageServices

export interface World {
  readonly provider: ScriptedProvider
  readonly ledger: FaultyLedger
  readonly layer: Layer.Layer<Pointsman | Stored | Secrets>
  /** Another process over what the layer stores. */
  readonly another: Effect.Effect<Pointsman["Service"], never, Stored | Secrets | Scope.Scope>
  /** As `layer`, with the store of deliveries, of operators or of payments behind another one. */
  readonly layerOver: (over: Layer.Layer<Deliveries, never, Deliveries | Operators | Ledger>) => World["layer"]
}

export const world = (
  options: PointsmanOptions & {
    /** `sandbox` unless set. */
    readonly environment?: Environment
    readonly routing?: RoutingSettings
    readonly fourEyes?: FourEyes
    readonly connections?: ReadonlyArray<Partial<Connection> & { readonly id: string }>
    readonly yieldBetween?: boolean
    readonly provider?: ScriptedProvider
    readonly strategies?: ReadonlyArray<RoutingStrategy>
    readonly sender?: ScriptedSender
    readonly webhookEndpoints?: ReadonlyArray<Partial<WebhookEndpoint> & { readonly id: string }>
    /** What ids are made of, in [0, 1). Draws of payments follow from their ids: the same numbers are the same draws. */
    readonly chance?: () => number
    /** Secrets that everybody can read unless set. */
    readonly secrets?: Layer.Layer<Secrets>
  } = {}
): World => {
  const provider = options.provider ?? scriptedProvider()
  const owner: Tenant = { ...tenant, environment: options.environment ?? tenant.environment }
  const ledger = faultyLedger()
  const ids = options.chance === undefined ? Ids.layer : idsFrom(options.chance)
  const storage = MemoryStorage.layer({ yieldBetween: options.yieldBetween ?? false }).pipe(Layer.provide(ids))
  const configured = Layer.effectDiscard(
    Effect.gen(function* () {
      const directory = yield* Directory
      const secrets = yield* Secrets
      const connections: Array<Connection> = []
      for (const connection of options.connections ?? [{ id: "main" }, { id: "backup" }]) {
        connections.push({
          ...connectionOf(connection.id),
          ...owner,
          priority: connections.length + 1,
          sealedCredentials: yield* secrets.seal(Redacted.make("{}"), credentialsContext(connection.id)),
          ...connection
        })
      }
      yield* directory.write({
        workspaces: [options.fourEyes === undefined ? workspace : { ...workspace, fourEyes: options.fourEyes }],
        apiKeys: [],
        connections,
        routing: [{ ...owner, settings: options.routing ?? { mode: "failover" } }],
        webhookEndpoints: (options.webhookEndpoints ?? []).map((endpoint) => ({
          ...owner,
          url: `https://merchant.example/${endpoint.id}`,
          events: ["*"],
          sealedSecret: `${endpointSecretContext(endpoint.id)}|whsec_${endpoint.id}`,
          active: true,
          ...endpoint
        }))
      })
    })
  )
  const process = Pointsman.layer(options).pipe(
    Layer.provide([ids, noTransport, Connectors.layer([provider.definition])]),
    Layer.provide([syncMac, options.sender?.layer ?? Layer.empty]),
    Layer.provide(Layer.succeed(RoutingStrategies, options.strategies ?? []))
  )
  const layerOver = (over: Layer.Layer<Deliveries, never, Deliveries | Operators | Ledger>) =>
    process.pipe(
      Layer.provideMerge(over),
      Layer.provideMerge(ledger.layer),
      Layer.provideMerge(configured),
      Layer.provideMerge(storage),
      Layer.provideMerge(options.secrets ?? openSecretsLayer),
      Layer.orDie
    )
  const layer = layerOver(Layer.effect(Deliveries, Deliveries))
  const another = Effect.map(Layer.build(Layer.fresh(process)), Context.get(Pointsman))
  return { provider, ledger, layer, layerOver, another }
}

export { sampleRequest as request } from "@pointsman/core/testing"

/** A recovery, which first waits for what was sent before: it ends within a simulated minute. */
export const recovered = <A, E, R>(recovery: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(recovery)
    for (let seconds = 0; seconds < 60 && fiber.pollUnsafe() === undefined; seconds++) yield* TestClock.adjust(1_000)
    return yield* Fiber.join(fiber)
  })

/** Lets time pass until a fiber has ended, at most ten simulated minutes; a millisecond at a time. */
export const runOut = <A, E>(fiber: Fiber.Fiber<A, E>): Effect.Effect<A, E> =>
  Effect.gen(function* () {
    for (let millis = 0; millis < 600_000 && fiber.pollUnsafe() === undefined; millis++) yield* TestClock.adjust(1)
    return yield* Fiber.join(fiber)
  })
