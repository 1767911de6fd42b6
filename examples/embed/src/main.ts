/** Pointsman inside a plain Node program: it makes a payment, sends it again, and prints both answers. */
import {
  type Caller,
  type CreateRequest,
  credentialsContext,
  Pointsman,
  RoutingStrategies,
  SecretsLayer,
  statusOf,
  type Tenant,
  type Workspace
} from "@pointsman/core"
import { Connectors, Directory, Ids, Secrets } from "@pointsman/core/ports"
import * as MemoryStorage from "@pointsman/storage-memory"
import * as NodeTransport from "@pointsman/transport-node"
import { Console, Effect, Layer, Redacted } from "effect"
import { Aead, Digest, Kdf, Mac, SecureRandom } from "effect/crypto"
import { cheapestFirst } from "./CheapestFirst.ts"
import * as MyConnector from "./MyConnector.ts"
import * as TinyPay from "./TinyPay.ts"

const tenant: Tenant = { workspaceId: "shop", environment: "sandbox" }
const workspace: Workspace = {
  id: tenant.workspaceId,
  name: "The shop",
  country: "NL",
  category: null,
  suspended: false,
  partner: null
}
const caller: Caller = { tenant, workspace }

const cryptography = Layer.mergeAll(
  Aead.layerWebCrypto,
  Digest.layerWebCrypto,
  Kdf.layerWebCrypto,
  Mac.layerWebCrypto
).pipe(Layer.provideMerge(SecureRandom.layerWebCrypto))

/**
 * The encryption key seals credentials and makes fingerprints of requests. Here it is as short-lived as the storage;
 * with a storage that lasts, keep one key for ever: `SecretsLayer.parseEncryptionKey` reads it from text.
 */
const secrets = Layer.unwrap(
  Effect.gen(function* () {
    const random = yield* SecureRandom.SecureRandom
    return SecretsLayer.layer(Redacted.make(yield* random.randomBytes(SecretsLayer.encryptionKeyBytes)))
  })
).pipe(Layer.provide(cryptography))

/** Everything that Pointsman asks of the outside, and Pointsman itself on top. */
const pointsman = Pointsman.layer({ providerTimeoutMillis: 5_000 }).pipe(
  Layer.provideMerge([
    MemoryStorage.layer(),
    secrets,
    NodeTransport.layer(),
    Connectors.layer([MyConnector.definition]),
    Layer.succeed(RoutingStrategies, [cheapestFirst])
  ]),
  Layer.provideMerge(Ids.layer)
)

/** What a configuration file says to the server: one workspace with two connections, the cheapest first. */
const configure = Effect.fnUntraced(function* (provider: TinyPay.TinyPay) {
  const directory = yield* Directory
  const secrets = yield* Secrets
  const credentials = JSON.stringify({ url: provider.url, apiKey: provider.apiKey })
  yield* directory.write({
    workspaces: [workspace],
    apiKeys: [],
    connections: yield* Effect.forEach(["tiny", "tiny-flat"], (id) =>
      Effect.map(secrets.seal(Redacted.make(credentials), credentialsContext(id)), (sealedCredentials) => ({
        id,
        ...tenant,
        name: `Our account ${id} at Tiny Pay`,
        connector: "tiny-pay",
        active: true,
        priority: 1,
        sealedCredentials,
        sealedWebhookSecret: null,
        timeoutMillis: null,
        supports: { currencies: ["EUR"] },
        restrictions: [],
        circuitBreaker: null
      }))
    ),
    routing: [{ ...tenant, settings: { mode: "failover", strategy: cheapestFirst.name } }],
    webhookEndpoints: []
  })
})

const ordered: CreateRequest = {
  idempotencyKey: "order-1001",
  instruments: null,
  debug: false,
  details: {
    money: { minorUnits: 1234, currency: "EUR" },
    country: "NL",
    method: "card",
    cardBrand: null,
    initiator: "cit",
    captureMethod: "automatic",
    reference: "order-1001",
    simulation: null
  }
}

const program = Effect.gen(function* () {
  const provider = yield* TinyPay.start
  yield* configure(provider)

  const door = yield* Pointsman
  const first = yield* door.create(caller, ordered)
  const again = yield* door.create(caller, ordered)
  for (const { isReplay, payment } of [first, again]) {
    yield* Console.log(
      `${payment.id}: ${statusOf[payment.state]}, ${payment.capturedMinor} minor units of ${payment.money.currency}` +
        ` at ${payment.connectionId} as ${payment.providerRef}${isReplay ? " (a replay)" : ""}`
    )
  }
  const { items } = yield* door.timeline(tenant, first.payment.id, { limit: 10 })
  yield* Console.log(`Events: ${items.map((event) => event.type).join(", ")}`)
  const { chapters } = yield* door.explainRouting(tenant, first.payment.id)
  const order = chapters.find(({ title }) => title === "Order of connections")
  for (const sentence of order?.sentences ?? []) yield* Console.log(sentence)
  yield* Console.log(`Tiny Pay was asked to charge ${provider.chargesAsked()} time(s).`)
})

await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(pointsman)))
