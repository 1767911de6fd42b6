/** What a configuration file says about one tenant's routing, without any of its secrets. */
import { openConnectionOf, routingSettingsOf } from "@pointsman/configuration"
import { defaultRoutingSettings, type RoutingConfiguration, type Tenant } from "@pointsman/core"
import { providerLimits } from "@pointsman/core/internal"
import { Effect } from "effect"
import * as InstalledConnectors from "./InstalledConnectors.ts"
import { readConfiguration } from "./ReadConfiguration.ts"
import type { Settings } from "./Settings.ts"
import { StartFailure } from "./StartFailure.ts"

/** The limits of a connection's provider itself, as this program's connectors know them. */
export const installedLimits = () => providerLimits(InstalledConnectors.forChecking())

export const routingOfFile = Effect.fnUntraced(function* (
  path: string,
  settings: Pick<Settings, "claimWindowMillis" | "providerTimeoutMillis">,
  { environment, workspaceId }: Tenant,
  variables: Readonly<Record<string, string | undefined>>
) {
  const { connectors, file } = yield* readConfiguration(path, { ...settings, environment: variables })
  const workspace = file.workspaces.find(({ id }) => id === workspaceId)
  if (workspace === undefined) {
    return yield* new StartFailure({
      message:
        `The configuration file ${path} has no workspace "${workspaceId}": expected the workspace whose ` +
        "payments are replayed."
    })
  }
  const routing = workspace.routing?.[environment]
  return {
    settings: routing === undefined ? defaultRoutingSettings : routingSettingsOf(routing),
    connections: (workspace.connections ?? [])
      .filter((connection) => connection.environment === environment)
      .map((connection) => ({
        ...openConnectionOf(workspace, connection),
        sealedCredentials: "",
        sealedWebhookSecret: null
      })),
    providerSupports: providerLimits(connectors),
    strategies: [],
    merchant: { country: workspace.country ?? null, category: workspace.category ?? null }
  } satisfies RoutingConfiguration
})
