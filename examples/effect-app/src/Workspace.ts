/** The shop's workspace, in the words of the server's configuration file, and its application to the directory. */
import * as Configuration from "@pointsman/configuration"
import type { Caller, Tenant } from "@pointsman/core"
import { Connectors, Directory } from "@pointsman/core/ports"
import { Context, Effect, Layer, Option, Redacted, Schema } from "effect"

const tenant: Tenant = { workspaceId: "shop", environment: "sandbox" }

/** In milliseconds. A time-out of a provider must be shorter than the claim window; the check below sees to it. */
export const claimWindowMillis = 15 * 60_000
export const providerTimeoutMillis = 10_000

const workspaces = (apiKey: Redacted.Redacted<string>) => [
  {
    id: tenant.workspaceId,
    name: "The shop",
    country: "NL",
    keys: [{ environment: tenant.environment, secret: Redacted.value(apiKey) }],
    connections: [
      { id: "first", environment: tenant.environment, priority: 1 },
      { id: "second", environment: tenant.environment, priority: 2 }
    ],
    routing: { sandbox: { mode: "failover", order: ["first", "second"] } }
  }
]

class WorkspaceWrong extends Schema.TaggedError<WorkspaceWrong>()("example/WorkspaceWrong", {
  message: Schema.String
}) {}

/** On whose behalf the shop itself asks. It needs no API key, because it is in the same process. */
export class ShopCaller extends Context.Service<ShopCaller, Caller>()("example/ShopCaller") {}

/** Applies the workspaces above, unless newer ones were applied to this storage; twice changes nothing. */
export const layer = (apiKey: Redacted.Redacted<string>) =>
  Layer.effect(
    ShopCaller,
    Effect.gen(function* () {
      const directory = yield* Directory
      const file = yield* understand(apiKey)
      const present = yield* directory.contents
      // Before anything is sealed anew: under another key a repeated request would be taken for another one.
      yield* Configuration.checkSeals(present)
      yield* Effect.catchTag(
        Configuration.applyConfiguration(file),
        "pointsman/ConfigurationConflict",
        ({ mistakes }) => Effect.fail(wrong(mistakes))
      )
      const workspace = yield* directory.workspace(tenant.workspaceId)
      return { tenant, workspace: Option.getOrThrow(workspace) }
    })
  )

const understand = Effect.fnUntraced(function* (apiKey: Redacted.Redacted<string>) {
  const configuration = Configuration.understandConfiguration(
    { workspaces: workspaces(apiKey) },
    {
      connectors: yield* Connectors,
      transport: Configuration.sendsNothing,
      claimWindowMillis,
      claimWindowSetting: "claimWindowMillis",
      providerTimeoutMillis,
      environment: {}
    }
  )
  return yield* Effect.mapError(Effect.fromResult(configuration), wrong)
})

const wrong = (mistakes: ReadonlyArray<Configuration.Mistake>) =>
  new WorkspaceWrong({ message: mistakes.map(Configuration.formatMistake).join("\n") })
