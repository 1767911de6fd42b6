/** The real core over a store and the simulator, with two connections of one workspace. */
import { SandboxConnector, SandboxRecords } from "@pointsman/connector-sandbox"
import { credentialsContext, Pointsman } from "@pointsman/core"
import { Connectors, Directory, Ids, Secrets } from "@pointsman/core/ports"
import { openSecretsLayer, scriptedProvider } from "@pointsman/core/testing"
import { Effect, Layer, Redacted } from "effect"
import { anyStore } from "./Stores.ts"
import { acme, apiKeyOf, keyOf, keys as keysOfWorld, noTransport, workspaceOf } from "./World.ts"

export const keys = { ...keysOfWorld, acmeReader: keyOf("sandbox", 99) }

const configured = Layer.effectDiscard(
  Effect.gen(function* () {
    const directory = yield* Directory
    const { seal } = yield* Secrets
    const connection = Effect.fnUntraced(function* (id: string, priority: number, currencies: ReadonlyArray<string>) {
      return {
        ...acme,
        id,
        workspaceId: id === "globex-main" ? "globex" : "acme",
        name: `The ${id} acquirer`,
        connector: "sandbox",
        active: true,
        priority,
        sealedCredentials: yield* Effect.orDie(seal(Redacted.make("{}"), credentialsContext(id))),
        sealedWebhookSecret: null,
        timeoutMillis: null,
        supports: { currencies },
        restrictions: [],
        circuitBreaker: null
      }
    })
    yield* directory.write({
      workspaces: [workspaceOf("acme"), workspaceOf("globex")],
      apiKeys: [
        apiKeyOf(keys.acme, "acme"),
        apiKeyOf(keys.acmeLive, "acme"),
        apiKeyOf(keys.globex, "globex"),
        apiKeyOf(keys.acmeReader, "acme", { scopes: ["payments:read"] })
      ],
      connections: [
        yield* connection("main", 1, ["EUR", "USD", "JPY"]),
        yield* connection("backup", 2, ["EUR", "USD"]),
        yield* connection("globex-main", 1, ["USD"])
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
