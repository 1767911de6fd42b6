/** A whole Pointsman in memory: two connections of one workspace at a scripted provider. */
import {
  type Caller,
  type Connection,
  Connectors,
  credentialsContext,
  Directory,
  Ids,
  type Ledger,
  Pointsman,
  type PointsmanOptions,
  type RoutingSettings,
  Secrets,
  type Tenant,
  Transport,
  Unanswered,
  type Workspace
} from "@pointsman/core"
import {
  type FaultyLedger,
  faultyLedger,
  openSecretsLayer,
  type ScriptedProvider,
  scriptedProvider
} from "@pointsman/core/testing"
import * as MemoryStorage from "@pointsman/storage-memory"
import { Effect, Fiber, Layer, Redacted } from "effect"
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

/** No connector of these tests may reach for the network. */
const noTransport = Layer.succeed(Transport, {
  send: () => Effect.fail(new Unanswered({ reason: "there is no network in this test" }))
})

export interface World {
  readonly provider: ScriptedProvider
  readonly ledger: FaultyLedger
  readonly layer: Layer.Layer<Pointsman | Ledger | Directory | Secrets>
}

export const world = (
  options: PointsmanOptions & {
    readonly routing?: RoutingSettings
    readonly connections?: ReadonlyArray<Partial<Connection> & { readonly id: string }>
    readonly yieldBetween?: boolean
    readonly provider?: ScriptedProvider
  } = {}
): World => {
  const provider = options.provider ?? scriptedProvider()
  const ledger = faultyLedger()
  const storage = MemoryStorage.layer({ yieldBetween: options.yieldBetween ?? false }).pipe(Layer.provide(Ids.layer))
  const configured = Layer.effectDiscard(
    Effect.gen(function* () {
      const directory = yield* Directory
      const secrets = yield* Secrets
      const connections: Array<Connection> = []
      for (const connection of options.connections ?? [{ id: "main" }, { id: "backup" }]) {
        connections.push({
          workspaceId: tenant.workspaceId,
          environment: tenant.environment,
          name: `The ${connection.id} acquirer`,
          connector: "scripted",
          active: true,
          priority: connections.length + 1,
          sealedCredentials: yield* secrets.seal(Redacted.make("{}"), credentialsContext(connection.id)),
          sealedWebhookSecret: null,
          timeoutMillis: null,
          supports: {},
          restrictions: [],
          circuitBreaker: null,
          ...connection
        })
      }
      yield* directory.write({
        workspaces: [workspace],
        apiKeys: [],
        connections,
        routing: [{ ...tenant, settings: options.routing ?? { mode: "failover" } }],
        webhookEndpoints: []
      })
    })
  )
  const layer = Pointsman.layer(options).pipe(
    Layer.provideMerge(ledger.layer),
    Layer.provideMerge(configured),
    Layer.provideMerge(storage),
    Layer.provideMerge(openSecretsLayer),
    Layer.provide([Ids.layer, noTransport, Connectors.layer([provider.definition])]),
    Layer.orDie
  )
  return { provider, ledger, layer }
}

export { sampleRequest as request } from "@pointsman/core/testing"

/** Lets time pass until a fiber has come to its end, at most ten simulated minutes; a millisecond at a time. */
export const runOut = <A, E>(fiber: Fiber.Fiber<A, E>): Effect.Effect<A, E> =>
  Effect.gen(function* () {
    for (let millis = 0; millis < 600_000 && fiber.pollUnsafe() === undefined; millis++) yield* TestClock.adjust(1)
    return yield* Fiber.join(fiber)
  })
