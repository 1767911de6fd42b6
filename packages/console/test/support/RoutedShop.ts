/** Connections and routing of `acme` for tests of those areas, beside what every world has. */
import type { Connection, Environment, RoutingSettings } from "@pointsman/core"
import { Directory } from "@pointsman/core/ports"
import { Effect } from "effect"
import { connectionOf, contentsOf, type World } from "./World.ts"

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
      const written = yield* Effect.forEach(connections, (fields, at) => {
        const own = { environment, name: `The ${fields.id} <acquirer>`, priority: at + 2, sealedWebhookSecret: null }
        return connectionOf(fields.id, { ...own, ...fields }, { key: secret })
      })
      const routing = [{ workspaceId: "acme", environment, settings }]
      yield* (yield* Directory).write(contentsOf({ connections: written, routing }))
    })
  )
