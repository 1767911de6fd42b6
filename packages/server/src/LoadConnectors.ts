/** The connectors that the configuration file names: found from its folder, imported, and checked before they are used. */
import nodeModule from "node:module"
import { dirname, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import {
  decodeSupports,
  formatMistake,
  isConnectorPath,
  type Mistake,
  sendsNothing,
  understandConnectors
} from "@pointsman/configuration"
import { adoptConnector, connectorFault } from "@pointsman/core/internal"
import { type ConnectorDefinition, Connectors, Transport } from "@pointsman/core/ports"
import { Effect, Layer, Predicate, Result } from "effect"
import { ProcessEnvironment } from "./CollectAudit.ts"
import { printable } from "./commands/Words.ts"
import * as InstalledConnectors from "./InstalledConnectors.ts"
import { mistaken, readConfigurationJson } from "./ReadJson.ts"
import type { Settings } from "./Settings.ts"
import { StartFailure } from "./StartFailure.ts"

/** One entry of `connectors`, and the address of the file that it names. */
export interface FoundConnector {
  readonly entry: string
  /** `file:///etc/pointsman/connectors/pocketpay.js` */
  readonly url: string
}

export interface LoadedConnector extends FoundConnector {
  readonly definition: ConnectorDefinition
}

/** A module that waits for ever would hold the start for ever. */
const importedWithin = "30 seconds"

/** All of the file's connectors, or every mistake in them. Only the field `connectors` is read. */
export const loadConnectors = Effect.fnUntraced(function* (
  path: string,
  json: unknown,
  environment: Readonly<Record<string, string | undefined>>
) {
  const entries = understandConnectors(json, environment)
  if (Result.isFailure(entries)) return Result.fail(entries.failure)
  return yield* importConnectors(
    entries.success.map((entry) => Result.map(urlOf(entry, path), (url) => ({ entry, url })))
  )
})

/** Imports each file that was found, and takes its definitions. */
const importConnectors = Effect.fnUntraced(function* (entries: ReadonlyArray<Result.Result<FoundConnector, string>>) {
  const taken = new Map(InstalledConnectors.forChecking().names.map((name) => [name, "comes with the server"]))
  const loaded: Array<LoadedConnector> = []
  const mistakes: Array<Mistake> = []
  for (const [index, found] of entries.entries()) {
    if (Result.isFailure(found)) {
      mistakes.push(mistakeAt(index, found.failure))
      continue
    }
    const one = found.success
    const definitions = Result.flatMap(yield* importOne(one.url), definitionsOf)
    if (Result.isFailure(definitions)) {
      mistakes.push(mistakeAt(index, `${one.entry}: ${definitions.failure}`))
      continue
    }
    for (const definition of definitions.success) {
      const holder = taken.get(definition.name)
      if (holder === undefined) {
        taken.set(definition.name, `is defined by ${one.entry}`)
        loaded.push({ ...one, definition: adoptConnector(definition) })
      } else {
        mistakes.push(mistakeAt(index, `${one.entry}: name: expected another name; "${definition.name}" ${holder}`))
      }
    }
  }
  return mistakes.length > 0 ? Result.fail(mistakes) : Result.succeed<ReadonlyArray<LoadedConnector>>(loaded)
})

/** The connectors of the file that the settings name, for a command that reads nothing else of it. */
export const connectorsOfSettings = Effect.fnUntraced(function* ({ configuration: path }: Configured) {
  if (path === null) return []
  const environment = yield* ProcessEnvironment
  const loaded = yield* loadConnectors(path, yield* readConfigurationJson(path), environment)
  return Result.isSuccess(loaded) ? loaded.success : yield* mistaken(path, loaded.failure)
})

/** In a worker. The files may have changed since its primary loaded them. */
export const connectorsOfWorker = Effect.fnUntraced(function* (found: ReadonlyArray<FoundConnector>) {
  const loaded = yield* importConnectors(found.map((one) => Result.succeed(one)))
  if (Result.isSuccess(loaded)) return loaded.success
  return yield* new StartFailure({
    message: ["The connectors cannot be loaded:", ...loaded.failure.map(formatMistake)].join("\n  ")
  })
})

type Configured = Pick<Settings, "configuration">

/** Every connector that a server with these settings has. */
export const connectorsLayer = (settings: Configured & Pick<Settings, "database">) =>
  Layer.unwrap(
    Effect.map(connectorsOfSettings(settings), (loaded) => InstalledConnectors.layer(settings.database, loaded))
  )

/** The same, to read stored messages with: nothing can be sent. */
export const connectorsWithoutTransport = (settings: Configured) =>
  Layer.merge(
    Layer.effect(Connectors, Effect.map(connectorsOfSettings(settings), InstalledConnectors.forChecking)),
    Layer.succeed(Transport, sendsNothing)
  )

const mistakeAt = (index: number, message: string): Mistake => ({
  path: ["connectors", index],
  message: printable(message)
})

const urlOf = (entry: string, configuration: string): Result.Result<string, string> =>
  isConnectorPath(entry)
    ? Result.succeed(pathToFileURL(resolve(dirname(configuration), entry)).href)
    : Result.try({
        try: () => resolvePackage(entry, pathToFileURL(resolve(configuration)).href),
        catch: (error) =>
          `${entry}: the package was not found from the configuration file's folder (${firstLineOf(error)}). Install ` +
          'it there; the path of a file begins with "./"'
      })

/** As an `import` in a module beside the configuration file finds it: by the conditions of ECMAScript modules. */
const resolvePackage = (name: string, parentURL: string): string => {
  const hooks = nodeModule.registerHooks({
    resolve: (specifier, context, next) => next(specifier, specifier === name ? { ...context, parentURL } : context)
  })
  try {
    return import.meta.resolve(name)
  } finally {
    hooks.deregister()
  }
}

const importOne = (url: string): Effect.Effect<Result.Result<unknown, string>> =>
  Effect.tryPromise({
    // The name is not known when the server is bundled.
    try: (): Promise<unknown> => import(/* @vite-ignore */ url),
    catch: (error) => importFault(error, url)
  }).pipe(
    Effect.timeoutOrElse({
      duration: importedWithin,
      orElse: () => Effect.fail(`it was not loaded within ${importedWithin}`)
    }),
    Effect.result
  )

const importFault = (error: unknown, url: string): string => {
  const code = Predicate.hasProperty(error, "code") ? String(error.code) : ""
  const says = firstLineOf(error)
  if (code === "ERR_MODULE_NOT_FOUND" && says.includes(`'${fileURLToPath(url)}'`)) {
    return `the file ${fileURLToPath(url)} does not exist`
  }
  if (/TYPESCRIPT|TYPE_STRIPPING/u.test(code) || (code === "ERR_UNKNOWN_FILE_EXTENSION" && /\.[cm]?ts$/u.test(url))) {
    return (
      `Node.js ${process.versions.node} cannot run this TypeScript file (${says}): expected types that can be ` +
      "stripped, outside node_modules, or compiled JavaScript"
    )
  }
  return `it could not be loaded: ${says}`
}

const firstLineOf = (error: unknown): string =>
  error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : "it threw what is no error"

/** The export `connectors`, the default export, or `connector`, which beside a default one may be a function that made it. */
const definitionsOf = (module: unknown): Result.Result<ReadonlyArray<ConnectorDefinition>, string> => {
  const { connector, connectors, default: main } = Object(module) as Readonly<Record<string, unknown>>
  const exported = [connectors, main, connector].find((one) => one !== undefined)
  const values = Array.isArray(exported) ? (exported as ReadonlyArray<unknown>) : [exported]
  if (exported === undefined || values.length === 0) {
    return Result.fail(
      "expected a connector definition as the default export, or as the export connector or connectors"
    )
  }
  const faults = values.flatMap((value) => faultOf(value) ?? [])
  const [fault] = faults
  return fault === undefined ? Result.succeed(values as ReadonlyArray<ConnectorDefinition>) : Result.fail(fault)
}

const faultOf = (value: unknown): string | undefined => {
  const fault = connectorFault(value)
  if (fault !== undefined) return fault
  const supports = decodeSupports((value as ConnectorDefinition).supports)
  return Result.isSuccess(supports)
    ? undefined
    : supports.failure.map(({ message, path }) => formatMistake({ message, path: ["supports", ...path] })).join("; ")
}
