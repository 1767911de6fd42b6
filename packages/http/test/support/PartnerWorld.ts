/** The real core over a store, with two partners, a workspace that is not a partner, and keys of every kind. */
import { Pointsman } from "@pointsman/core"
import {
  Connectors,
  Directory,
  type DirectoryContents,
  Ids,
  type Invitation,
  Notifier,
  Secrets,
  type StorageServices
} from "@pointsman/core/ports"
import { openSecretsLayer } from "@pointsman/core/testing"
import { Effect, Layer } from "effect"
import { nothing } from "./Workspaces.ts"
import { apiKeyOf, keyOf, noTransport, workspaceOf } from "./World.ts"

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
  suspendedTest: keyOf("sandbox", 13)
} as const

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
      const { directory } = inner
      yield* directory.write({
        workspaces: [
          workspaceOf("acme", { partner: { allowance: 100 } }),
          workspaceOf("globex", { partner: { allowance: 100 } }),
          workspaceOf("shop"),
          workspaceOf("closed", { suspended: true, partner: { allowance: 100 } })
        ],
        apiKeys: [
          apiKeyOf(keys.acme, "acme"),
          apiKeyOf(keys.globex, "globex"),
          apiKeyOf(keys.acmeTest, "acme"),
          apiKeyOf(keys.acmeTestReader, "acme", { scopes: ["payments:read"] }),
          apiKeyOf(keys.acmeReader, "acme", { scopes: ["merchants:read"] }),
          apiKeyOf(keys.acmePayments, "acme", { scopes: ["payments:read", "merchants:write"] }),
          apiKeyOf(keys.revoked, "acme", { revokedAt: 1 }),
          apiKeyOf(keys.shop, "shop"),
          apiKeyOf(keys.shopPayments, "shop", { scopes: ["payments:read"] }),
          apiKeyOf(keys.shopTest, "shop"),
          apiKeyOf(keys.suspended, "closed"),
          apiKeyOf(keys.suspendedTest, "closed", { scopes: [] })
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
      openSecretsLayer,
      Connectors.layer([]),
      noTransport,
      Layer.succeed(Notifier, {
        merchantInvited: (invitation) => Effect.sync(() => invitations.push(invitation))
      })
    ]),
    Layer.orDie
  )
  return {
    layer,
    invitations,
    write: (contents) => Effect.runPromise(services().directory.write({ ...nothing, ...contents })),
    contents: () => Effect.runPromise(services().directory.contents),
    hash: (text) => Effect.runPromise(services().secrets.hash(text))
  }
}
