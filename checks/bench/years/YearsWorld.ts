/** The library of a run: its clock, a provider with books, an archive in a folder, an endpoint, and a year of retention. */
import { randomBytes } from "node:crypto"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as PaymentArchive from "@pointsman/archive"
import { endpointSecretContext, Pointsman, SecretsLayer, type Tenant } from "@pointsman/core"
import { BeforeRemoval, Directory, Ids, type Ledger, Secrets, WebhookSender } from "@pointsman/core/ports"
import * as NodeTransport from "@pointsman/transport-node"
import { Clock, Effect, Fiber, Layer, ManagedRuntime, Redacted, References } from "effect"
import { makeMovedClock } from "../../../packages/server/test/support/MovedClock.ts"
import { caller, encryptionKey, type Storage, worldLayer } from "../World.ts"
import { makeBookedProvider, type SumsByCurrency } from "./BookedProvider.ts"

const retention = { payments: 366 * 24 * 60 * 60_000 }

export interface World {
  readonly tenant: Tenant
  /** Turns the clock ahead, to epoch milliseconds; otherwise it goes as fast as this machine's. */
  readonly turnTo: (millis: number) => void
  readonly run: <A, E>(act: Effect.Effect<A, E, Pointsman | Ledger | Directory>) => Promise<A>
  /** What was asked of the provider so far. */
  readonly books: () => SumsByCurrency
  /** Payments that the sweeps have archived so far. */
  readonly removed: () => number
  /** Ends the delivery of webhooks. */
  readonly rest: () => Promise<void>
  readonly close: () => Promise<void>
}

export const openWorld = async (options: {
  readonly storage: Storage
  readonly archive: string
  readonly startMillis: number
}): Promise<World> => {
  const { clock, push } = makeMovedClock(options.startMillis - Date.now())
  const { books, provider } = makeBookedProvider()
  let removed = 0
  const beside = Layer.mergeAll(
    PaymentArchive.layer({ folder: options.archive }),
    Layer.succeed(BeforeRemoval, (payments) =>
      Effect.sync(() => {
        removed += payments.length
      })
    ),
    Layer.succeed(WebhookSender, { send: () => Effect.succeed(200) }),
    Layer.succeed(Clock.Clock, clock),
    // What each sweep removed is a figure of the run.
    Layer.succeed(References.MinimumLogLevel, "Warn")
  )
  const runtime = ManagedRuntime.make(
    worldLayer(options.storage, provider).pipe(Layer.provideMerge(beside), Layer.orDie)
  )
  await runtime.runPromise(furnish.pipe(Effect.provide(secretsLayer)))
  const delivering = runtime.runFork(Effect.flatMap(Pointsman, ({ keepDelivering }) => keepDelivering(200)))
  return {
    tenant: caller.tenant,
    turnTo: (millis) => push(Math.max(0, millis - clock.currentTimeMillisUnsafe())),
    run: (act) => runtime.runPromise(act),
    books,
    removed: () => removed,
    rest: () => Effect.runPromise(Fiber.interrupt(delivering)),
    close: async () => {
      await Effect.runPromise(Fiber.interrupt(delivering))
      await runtime.dispose()
    }
  }
}

const secretsLayer = SecretsLayer.layer(Redacted.make(encryptionKey)).pipe(
  Layer.provide([Ids.layer, Layer.merge(NodeCrypto.layer, NodeTransport.NodeMac.layer)])
)

const furnish = Effect.gen(function* () {
  const directory = yield* Directory
  const secrets = yield* Secrets
  const id = "whe_years"
  const sealedSecret = yield* secrets.seal(
    Redacted.make(`whsec_${randomBytes(32).toString("base64")}`),
    endpointSecretContext(id)
  )
  yield* directory.write({
    workspaces: [{ ...caller.workspace, retention }],
    apiKeys: [],
    connections: [],
    routing: [],
    webhookEndpoints: [
      { ...caller.tenant, id, url: "https://merchant.example/", events: ["*"], sealedSecret, active: true }
    ]
  })
})
