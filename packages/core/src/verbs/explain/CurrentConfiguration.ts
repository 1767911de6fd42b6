/** What routing decides by now. */
import { Effect, Option } from "effect"
import { defaultRoutingSettings } from "../../model/RoutingSettings.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { Connectors } from "../../ports/Connector.ts"
import { Directory } from "../../ports/Directory.ts"
import { providerLimits } from "../../routing/ProviderLimits.ts"
import type { RoutingConfiguration } from "../../routing/Replay.ts"
import { RoutingStrategies } from "../../routing/Strategy.ts"

/** What the directory and the installed connectors say now. */
export const currentConfiguration = Effect.fnUntraced(function* (tenant: Tenant) {
  const directory = yield* Directory
  const connectors = yield* Connectors
  const settings = yield* directory.routing(tenant)
  return {
    settings: Option.getOrElse(settings, () => defaultRoutingSettings),
    connections: yield* directory.connections(tenant),
    providerSupports: providerLimits(connectors),
    strategies: yield* RoutingStrategies
  } satisfies RoutingConfiguration
})
