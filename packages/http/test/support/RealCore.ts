/** The real core over a store and the simulator, with two connections of one workspace. */
import { SandboxConnector, SandboxRecords } from "@pointsman/connector-sandbox"
import { type Connection, Pointsman } from "@pointsman/core"
import { Connectors, Directory, Ids } from "@pointsman/core/ports"
import { openSecretsLayer, scriptedProvider } from "@pointsman/core/testing"
import { Effect, Layer } from "effect"
import { anyStore } from "./Stores.ts"
import { apiKeyOf, connectionOf, keyOf, keys as keysOfWorld, noTransport, workspaceOf } from "./World.ts"

export const keys = { ...keysOfWorld, acmeReader: keyOf("sandbox", 99) }

const configured = Layer.effectDiscard(
  Effect.gen(function* () {
    const directory = yield* Directory
    const connection = (id: string, currencies: ReadonlyArray<string>, fields: Partial<Connection> = {}) =>
      connectionOf(id, { connector: "sandbox", supports: { currencies }, ...fields })
    yield* directory.write({
      workspaces: [workspaceOf("acme"), workspaceOf("globex")],
      apiKeys: [
        apiKeyOf(keys.acme, "acme"),
        apiKeyOf(keys.acmeLive, "acme"),
        apiKeyOf(keys.globex, "globex"),
        apiKeyOf(keys.acmeReader, "acme", { scopes: ["payments:read"] })
      ],
      connections: [
        yield* connection("main", ["EUR", "USD", "JPY"]),
        yield* connection("backup", ["EUR", "USD"], { priority: 2 }),
        yield* connection("globex-main", ["USD"], { workspaceId: "globex" })
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
    openSecretsLayer,
    noTransport,
    Connectors.layer([SandboxConnector.make(SandboxRecords.memory()), scriptedProvider().definition])
  ]),
  Layer.orDie
)
