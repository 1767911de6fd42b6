/** Connections as a command opens them that looks at them alone: with nowhere to send anything. */
import { sendsNothing } from "@pointsman/configuration"
import { OpenConnections } from "@pointsman/core/internal"
import { Connectors, Transport } from "@pointsman/core/ports"
import { Effect, Layer } from "effect"
import * as InstalledConnectors from "../InstalledConnectors.ts"
import { connectorsOfSettings } from "../LoadConnectors.ts"
import type { Settings } from "../Settings.ts"

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
