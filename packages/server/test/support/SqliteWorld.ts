/** Pointsman as the server puts it together, in this process: a SQLite file, real secrets, the sandbox's simulator. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as SandboxConnector from "@pointsman/connector-sandbox"
import { type Caller, credentialsContext, Pointsman, SecretsLayer } from "@pointsman/core"
import { Connectors, Directory, Ids, type Ledger, Secrets, Transport, Unanswered } from "@pointsman/core/ports"
import { sampleRequest } from "@pointsman/core/testing"
import * as SqliteStorage from "@pointsman/storage-sqlite"
import { NodeMac } from "@pointsman/transport-node"
import { Effect, Layer, Redacted } from "effect"
import { encryptionKeyOf } from "./EncryptionKeys.ts"

/** The encryption key of its database. */
export const worldKey = encryptionKeyOf("world")

const caller: Caller = {
  tenant: { workspaceId: "acme", environment: "sandbox" },
  workspace: { id: "acme", name: "Acme", country: "NL", category: null, suspended: false, partner: null }
}

export interface SqliteWorld {
  readonly layer: Layer.Layer<Pointsman | Ledger | Directory>
  /** For each durable write of the store, how many changes shared it. */
  readonly durable: Array<number>
}

export const sqliteWorld = (filename: string): SqliteWorld => {
  const durable: Array<number> = []
  const configured = Layer.effectDiscard(
    Effect.gen(function* () {
      const directory = yield* Directory
      const secrets = yield* Secrets
      yield* directory.write({
        workspaces: [caller.workspace],
        apiKeys: [],
        connections: [
          {
            ...caller.tenant,
            id: "main",
            name: "Main",
            connector: "sandbox",
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
  const layer = Pointsman.layer().pipe(
    Layer.provideMerge(configured),
    Layer.provideMerge(SqliteStorage.layer({ filename, onCommit: ({ changes }) => durable.push(changes) })),
    Layer.provide([
      Connectors.layer([SandboxConnector.SandboxConnector.make(SandboxConnector.SandboxRecords.memory())]),
      SecretsLayer.layer(Redacted.make(Buffer.from(worldKey, "base64"))),
      Layer.succeed(Transport, { send: () => Effect.fail(new Unanswered({ reason: "there is no network here" })) })
    ]),
    Layer.provide([Ids.layer, Layer.merge(NodeCrypto.layer, NodeMac.layer)]),
    Layer.orDie
  )
  return { layer, durable }
}

let keys = 0

/** Creates payments, each under a key of its own. */
export const createAtOnce = (payments: number, concurrency: number) =>
  Effect.gen(function* () {
    const pointsman = yield* Pointsman
    return yield* Effect.forEach(
      Array(payments).keys(),
      () => pointsman.create(caller, sampleRequest({ idempotencyKey: `order-${++keys}` })),
      { concurrency }
    )
  })
