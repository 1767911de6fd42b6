/** The connectors that the configuration file names, one line each. */
import { sendsNothing } from "@pointsman/configuration"
import { OpenConnections } from "@pointsman/core/internal"
import { Connectors, Transport } from "@pointsman/core/ports"
import { Effect, Layer, Predicate, Result } from "effect"
import * as InstalledConnectors from "../InstalledConnectors.ts"
import { connectorsOfSettings, loadConnectors } from "../LoadConnectors.ts"
import { readConfigurationJson } from "../ReadJson.ts"
import type { Settings } from "../Settings.ts"
import { type CheckLine, ok } from "./Checkup.ts"
import { counted } from "./Words.ts"

/** None without a file, for a file that cannot be read, and for connectors with mistakes, which have lines of their own. */
export const connectorLines = Effect.fnUntraced(function* (
  { configuration: path }: Pick<Settings, "configuration">,
  environment: Readonly<Record<string, string | undefined>>
) {
  if (path === null) return []
  const json = yield* Effect.orElseSucceed(readConfigurationJson(path), () => undefined)
  const loaded = yield* loadConnectors(path, json, environment)
  if (Result.isFailure(loaded)) return []
  return loaded.success.map(({ definition: { environments, name }, entry, url }): CheckLine => {
    const uses = counted(connectionsOf(json, name), "connection")
    return ok("connectors", `"${name}" for ${environments.join(" and ")}, from ${entry} (${url}): ${uses}`)
  })
})

/** In a file that may have mistakes. */
const connectionsOf = (json: unknown, connector: string): number =>
  listAt(json, "workspaces")
    .flatMap((workspace) => listAt(workspace, "connections"))
    .filter((connection) => Predicate.hasProperty(connection, "connector") && connection.connector === connector).length

const listAt = (value: unknown, field: string): ReadonlyArray<unknown> => {
  const list = Predicate.isObject(value) ? value[field] : undefined
  return Array.isArray(list) ? list : []
}

// Connections as a command opens them that looks at them alone: with nowhere to send anything.

/** Connectors that cannot be loaded have lines of their own. */
export const connectorsForChecking = (settings: Settings) =>
  Effect.map(
    Effect.orElseSucceed(connectorsOfSettings(settings), () => []),
    (loaded) => InstalledConnectors.forChecking(loaded)
  )

export const unsentConnections = (installed: Connectors["Service"], { providerTimeoutMillis }: Settings) =>
  OpenConnections.layer({ providerTimeoutMillis }).pipe(
    Layer.provide([Layer.succeed(Connectors, installed), Layer.succeed(Transport, sendsNothing)])
  )
