/** From the configuration file's path to a configuration without a mistake, or to all of its mistakes. */
import {
  type ConfigurationFile,
  type Mistake,
  sendsNothing,
  type UnderstandOptions,
  understandConfiguration
} from "@pointsman/configuration"
import type { Connectors } from "@pointsman/core/ports"
import { Effect, Result } from "effect"
import * as InstalledConnectors from "./InstalledConnectors.ts"
import { type LoadedConnector, loadConnectors } from "./LoadConnectors.ts"
import { mistaken, readConfigurationJson } from "./ReadJson.ts"

export interface ReadConfigurationOptions
  extends Pick<UnderstandOptions, "claimWindowMillis" | "providerTimeoutMillis" | "environment"> {}

export interface ReadConfiguration {
  readonly file: ConfigurationFile
  /** Those that the file names. */
  readonly loaded: ReadonlyArray<LoadedConnector>
  /** With those that come with the server; nothing is kept and nothing is sent. */
  readonly connectors: Connectors["Service"]
}

export const readConfiguration = Effect.fnUntraced(function* (path: string, options: ReadConfigurationOptions) {
  const configuration = yield* readConfigurationFile(path, options)
  if (Result.isSuccess(configuration)) return configuration.success
  return yield* mistaken(path, configuration.failure)
})

/** Fails where there is no JSON to look for mistakes in. */
export const readConfigurationFile = Effect.fnUntraced(function* (path: string, options: ReadConfigurationOptions) {
  const json = yield* readConfigurationJson(path)
  const loaded: Result.Result<ReadonlyArray<LoadedConnector>, ReadonlyArray<Mistake>> = yield* loadConnectors(
    path,
    json,
    options.environment
  )
  const connectors = InstalledConnectors.forChecking(Result.getOrElse(loaded, () => []))
  const understood = understandConfiguration(json, {
    ...options,
    connectors,
    transport: sendsNothing,
    claimWindowSetting: "POINTSMAN_CLAIM_WINDOW"
  })
  if (Result.isFailure(loaded)) {
    // A connection may name one of the connectors that could not be loaded.
    const others = Result.isFailure(understood) ? understood.failure : []
    return Result.fail([
      ...loaded.failure,
      ...others.filter(({ path }) => path[0] !== "connectors" && path.at(-1) !== "connector")
    ])
  }
  return Result.map(understood, (file): ReadConfiguration => ({ file, loaded: loaded.success, connectors }))
})
