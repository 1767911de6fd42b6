/** The real core over a store, with two partners, a workspace that is not a partner, and keys of every kind. */
import {
  type ApiKey,
  type Environment,
  formatApiKey,
  Pointsman,
  type Scope,
  SecretsLayer,
  type Workspace
} from "@pointsman/core"
import {
  Connectors,
  Directory,
  type DirectoryContents,
  Ids,
  type Invitation,
  Notifier,
  Secrets,
  type StorageServices,
  Transport,
  Unanswered
} from "@pointsman/core/ports"
import { Effect, Layer, Redacted } from "effect"
import { Aead, Digest, Kdf, Mac, SecureRandom } from "effect/crypto"

const keyOf = (environment: Environment, byte: number) => formatApiKey(environment, new Uint8Array(64).fill(byte))

export const keys = {
  acme: keyOf("production", 1),
  globex: keyOf("production", 2),
  acmeTest: keyOf("sandbox", 3),
  acmeTestReader: keyOf("sandbox", 4),
  acmeReader: keyOf("production", 5),
  acmePayments: keyOf("production", 6),
  revoked: keyOf("production", 7),
  unknown: keyOf("production", 8),
  shop: keyOf("production", 9),
  shopPayments: keyOf("production", 10),
  shopTest: keyOf("sandbox", 11),
  suspended: keyOf("production", 12),
  suspendedTest: keyOf("sandbox", 13),
  /** Belongs to nobody until a test gives it to a merchant. */
  merchantLive: keyOf("production", 14)
} as const

const crypto = Layer.mergeAll(Aead.layerWebCrypto, Mac.layerWebCrypto, Digest.layerWebCrypto, Kdf.layerWebCrypto).pipe(
  Layer.provideMerge(SecureRandom.layerWebCrypto)
)
const secrets = SecretsLayer.layer(Redacted.make(new Uint8Array(32).fill(7))).pipe(Layer.provide(crypto))

export const workspaceOf = (id: string, change: Partial<Workspace> = {}): Workspace => ({
  id,
  name: id,
  country: "NL",
  category: null,
  suspended: false,
  partner: null,
  ...change
})

export interface PartnerWorld {
  readonly layer: Layer.Layer<Pointsman>
  readonly invitations: Array<Invitation>
  /** Writes what is given to the directory, as an operator does while the server runs. */
  readonly write: (contents: Partial<DirectoryContents>) => Promise<void>
  readonly contents: () => Promise<DirectoryContents>
  readonly hash: (text: string) => Promise<string>
}

export const partnerWorld = <E>(storage: Layer.Layer<StorageServices, E, Ids>): PartnerWorld => {
  const invitations: Array<Invitation> = []
  let inner: { readonly directory: Directory["Service"]; readonly secrets: Secrets["Service"] } | undefined
  const services = () => {
    if (inner === undefined) throw new Error("nothing was sent yet")
    return inner
  }
  const configured = Layer.effectDiscard(
    Effect.gen(function* () {
      inner = { directory: yield* Directory, secrets: yield* Secrets }
      const { directory, secrets } = inner
      const apiKey = Effect.fnUntraced(function* (
        name: keyof typeof keys,
        workspaceId: string,
        change: { readonly scopes?: ReadonlyArray<Scope>; readonly revokedAt?: number } = {}
      ): Effect.fn.Return<ApiKey> {
        return {
          hash: yield* secrets.hash(keys[name]),
          workspaceId,
          environment: keys[name].startsWith("ps_live_") ? "production" : "sandbox",
          scopes: change.scopes ?? null,
          name: null,
          expiresAt: null,
          networks: null,
          revokedAt: change.revokedAt ?? null,
          source: "operator",
          createdAt: 0
        }
      })
      yield* directory.write({
        workspaces: [
          workspaceOf("acme", { partner: { allowance: 100 } }),
          workspaceOf("globex", { partner: { allowance: 100 } }),
          workspaceOf("shop"),
          workspaceOf("closed", { suspended: true, partner: { allowance: 100 } })
        ],
        apiKeys: [
          yield* apiKey("acme", "acme"),
          yield* apiKey("globex", "globex"),
          yield* apiKey("acmeTest", "acme"),
          yield* apiKey("acmeTestReader", "acme", { scopes: ["payments:read"] }),
          yield* apiKey("acmeReader", "acme", { scopes: ["merchants:read"] }),
          yield* apiKey("acmePayments", "acme", { scopes: ["payments:read", "merchants:write"] }),
          yield* apiKey("revoked", "acme", { revokedAt: 1 }),
          yield* apiKey("shop", "shop"),
          yield* apiKey("shopPayments", "shop", { scopes: ["payments:read"] }),
          yield* apiKey("shopTest", "shop"),
          yield* apiKey("suspended", "closed"),
          yield* apiKey("suspendedTest", "closed", { scopes: [] })
        ],
        connections: [],
        routing: [],
        webhookEndpoints: []
      })
    })
  )
  const layer = Pointsman.layer().pipe(
    Layer.provide(configured),
    Layer.provide(storage),
    Layer.provide([
      Ids.layer,
      secrets,
      Connectors.layer([]),
      Layer.succeed(Transport, { send: () => Effect.fail(new Unanswered({ reason: "there is no network here" })) }),
      Layer.succeed(Notifier, {
        merchantInvited: (invitation) => Effect.sync(() => invitations.push(invitation))
      })
    ]),
    Layer.orDie
  )
  return {
    layer,
    invitations,
    write: (contents) =>
      Effect.runPromise(
        services().directory.write({
          workspaces: [],
          apiKeys: [],
          connections: [],
          routing: [],
          webhookEndpoints: [],
          ...contents
        })
      ),
    contents: () => Effect.runPromise(services().directory.contents),
    hash: (text) => Effect.runPromise(services().secrets.hash(text))
  }
}
