/** The real core over a store and the simulator, with two workspaces and a live side. */

import { SandboxConnector, SandboxRecords } from "@pointsman/connector-sandbox"
import {
  type ApiKey,
  type Connection,
  credentialsContext,
  type Environment,
  formatApiKey,
  Pointsman,
  type Scope,
  SecretsLayer
} from "@pointsman/core"
import { Connectors, Directory, Ids, Secrets, Transport, Unanswered } from "@pointsman/core/ports"
import { scriptedProvider } from "@pointsman/core/testing"
import { Effect, Layer, Redacted } from "effect"
import { Aead, Digest, Kdf, Mac, SecureRandom } from "effect/crypto"
import { anyStore } from "./Stores.ts"

/** Real keys, each of bytes of its own. */
const keyOf = (environment: Environment, byte: number) => formatApiKey(environment, new Uint8Array(64).fill(byte))

export const keys = {
  acme: keyOf("sandbox", 1),
  acmeLive: keyOf("production", 2),
  globex: keyOf("sandbox", 3),
  acmeReader: keyOf("sandbox", 4),
  revoked: keyOf("sandbox", 5),
  unknown: keyOf("sandbox", 6)
} as const

const crypto = Layer.mergeAll(Aead.layerWebCrypto, Mac.layerWebCrypto, Digest.layerWebCrypto, Kdf.layerWebCrypto).pipe(
  Layer.provideMerge(SecureRandom.layerWebCrypto)
)
const secrets = SecretsLayer.layer(Redacted.make(new Uint8Array(32).fill(7))).pipe(Layer.provide(crypto))

const noTransport = Layer.succeed(Transport, {
  send: () => Effect.fail(new Unanswered({ reason: "there is no network in this test" }))
})

const workspaceOf = (id: string) => ({
  id,
  name: id,
  country: "NL",
  category: null,
  suspended: false,
  partner: null
})

const configured = Layer.effectDiscard(
  Effect.gen(function* () {
    const directory = yield* Directory
    const { hash, seal } = yield* Secrets
    const apiKey = Effect.fnUntraced(function* (
      text: string,
      workspaceId: string,
      environment: Environment,
      change: { readonly scopes?: ReadonlyArray<Scope>; readonly revokedAt?: number } = {}
    ): Effect.fn.Return<ApiKey> {
      return {
        hash: yield* hash(text),
        workspaceId,
        environment,
        scopes: change.scopes ?? null,
        name: null,
        expiresAt: null,
        networks: null,
        revokedAt: change.revokedAt ?? null,
        source: "operator",
        createdAt: 0
      }
    })
    const connection = Effect.fnUntraced(function* (
      id: string,
      workspaceId: string,
      environment: Environment,
      change: Partial<Connection> = {}
    ): Effect.fn.Return<Connection> {
      return {
        id,
        workspaceId,
        environment,
        name: `The ${id} acquirer`,
        connector: environment === "sandbox" ? "sandbox" : "scripted",
        active: true,
        priority: 1,
        sealedCredentials: yield* Effect.orDie(seal(Redacted.make("{}"), credentialsContext(id))),
        sealedWebhookSecret: null,
        timeoutMillis: null,
        supports: {},
        restrictions: [],
        circuitBreaker: null,
        ...change
      }
    })
    yield* directory.write({
      workspaces: [workspaceOf("acme"), workspaceOf("globex")],
      apiKeys: [
        yield* apiKey(keys.acme, "acme", "sandbox"),
        yield* apiKey(keys.acmeLive, "acme", "production"),
        yield* apiKey(keys.globex, "globex", "sandbox"),
        yield* apiKey(keys.acmeReader, "acme", "sandbox", { scopes: ["payments:read"] }),
        yield* apiKey(keys.revoked, "acme", "sandbox", { revokedAt: 1 })
      ],
      connections: [
        yield* connection("main", "acme", "sandbox"),
        yield* connection("backup", "acme", "sandbox", { priority: 2, supports: { currencies: ["EUR", "USD"] } }),
        yield* connection("live", "acme", "production"),
        yield* connection("globex-main", "globex", "sandbox", { supports: { currencies: ["USD"] } })
      ],
      routing: [],
      webhookEndpoints: []
    })
  })
)

export const realCore: Layer.Layer<Pointsman> = Pointsman.layer().pipe(
  Layer.provide(configured),
  Layer.provide(anyStore),
  Layer.provide([
    Ids.layer,
    secrets,
    noTransport,
    Connectors.layer([SandboxConnector.make(SandboxRecords.memory()), scriptedProvider().definition])
  ]),
  Layer.orDie
)
