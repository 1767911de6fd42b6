/** Connections and routing of `acme` for tests of those areas, beside what every world has. */
import { type Connection, credentialsContext, type Environment, type RoutingSettings } from "@pointsman/core"
import { Directory, Secrets } from "@pointsman/core/ports"
import { Effect, Redacted } from "effect"
import type { World } from "./World.ts"

/** What no page and no answer may show. */
export const secret = "sk_do_not_show"

export const routedShop = (
  here: World,
  environment: Environment,
  settings: RoutingSettings,
  connections: ReadonlyArray<Partial<Connection> & { readonly id: string }>
) =>
  here.run(
    Effect.gen(function* () {
      const { seal } = yield* Secrets
      const written: Array<Connection> = []
      for (const connection of connections) {
        written.push({
          workspaceId: "acme",
          environment,
          name: `The ${connection.id} <acquirer>`,
          connector: "scripted",
          active: true,
          priority: written.length + 2,
          sealedCredentials: yield* Effect.orDie(
            seal(Redacted.make(JSON.stringify({ key: secret })), credentialsContext(connection.id))
          ),
          sealedWebhookSecret: null,
          timeoutMillis: null,
          supports: {},
          restrictions: [],
          circuitBreaker: null,
          ...connection
        })
      }
      yield* (yield* Directory).write({
        workspaces: [],
        apiKeys: [],
        connections: written,
        routing: [{ workspaceId: "acme", environment, settings }],
        webhookEndpoints: []
      })
    })
  )
