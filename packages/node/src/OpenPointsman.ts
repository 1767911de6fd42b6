/**
 * Opens everything in the order of the server (its Serve.ts), and closes it in the reverse order: what is under way is
 * waited for, then the background ends, then the storage. Nothing is changed before the settings are known to be good.
 */
// The modules one by one: their common entry point loads database clients that this package does not use.
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as Configuration from "@pointsman/configuration"
import * as Core from "@pointsman/core"
import { adoptConnector, apiKeyIdOf } from "@pointsman/core/internal"
import * as Ports from "@pointsman/core/ports"
import * as InProcess from "@pointsman/http/in-process"
import * as NodeTransport from "@pointsman/transport-node"
import {
  Cause,
  Context,
  Effect,
  Exit,
  Fiber,
  Layer,
  Logger,
  Option,
  Redacted,
  References,
  Result,
  Scope,
  Stream
} from "effect"
import { SecureRandom } from "effect/crypto"
import { makeCalls } from "./Calls.ts"
import { type CheckedSettings, checkSettings, wrongSettings } from "./CheckSettings.ts"
import { makeGate } from "./calls/RunCall.ts"
import { makeConsoles } from "./OpenConsole.ts"
import type { Pointsman } from "./Pointsman.ts"
import { StartError } from "./PointsmanError.ts"
import { makeRequests } from "./Requests.ts"
import type { Connector, LogLine, PointsmanSettings } from "./Settings.ts"

/** `createPointsman`, loaded by its first call. */
export const openPointsman = async (settings: PointsmanSettings): Promise<Pointsman> => {
  const scope = Scope.makeUnsafe()
  const exit = await Effect.runPromiseExit(
    open(settings, scope).pipe(Effect.provideService(Scope.Scope, scope), Effect.provide(loggers(settings?.log)))
  )
  if (Exit.isSuccess(exit)) return exit.value
  await Effect.runPromiseExit(Scope.close(scope, exit))
  throw Option.getOrElse(Cause.findErrorOption(exit.cause), () => Cause.squash(exit.cause))
}

const loggers = (log: PointsmanSettings["log"]) =>
  typeof log === "function" ? Logger.layer([Logger.make((entry) => tell(log, entry))]) : Layer.empty

/** A log that fails would end whatever has something to say: the background for good, and a call in its middle. */
const tell = (log: (line: LogLine) => unknown, entry: Logger.Options<unknown>): void => {
  try {
    const told = log(lineOf(entry))
    if (told instanceof Promise) told.catch(() => {})
  } catch {
    // There is nowhere left to say it.
  }
}

const levels: Readonly<Record<string, LogLine["level"]>> = {
  Fatal: "fatal",
  Error: "error",
  Warn: "warn",
  Info: "info",
  Debug: "debug",
  Trace: "trace"
}

/** A line of Effect's log as a plain object. */
const lineOf = ({ cause, fiber, logLevel, message }: Logger.Options<unknown>): LogLine => ({
  level: levels[logLevel] ?? "info",
  message: (Array.isArray(message) ? message : [message])
    .map((part) => (typeof part === "string" ? part : JSON.stringify(part)))
    .join(" "),
  fields: { ...fiber.getRef(References.CurrentLogAnnotations) },
  ...(cause.reasons.length === 0 ? {} : { cause: Cause.pretty(cause) })
})

/** What a request may take besides its provider calls, in milliseconds. */
const answerWithinMillis = 5_000

const defaultKeepAliveMillis = 75_000

/** How long a close waits for the rest of a request: as long as a slow client's network may stall. */
const wholeWithinMillis = 5_000

const open = Effect.fnUntraced(function* (settings: PointsmanSettings, scope: Scope.Closeable) {
  const checked = yield* checkSettings(settings)
  const connectors = Ports.Connectors.make(yield* Effect.forEach(settings.connectors, openConnector))
  const configuration = settings.workspaces === undefined ? undefined : yield* understand(settings, checked, connectors)
  yield* refuseVolatile(settings, configuration)
  const outside = yield* Layer.buildWithScope(yield* outsideLayer(settings, checked, connectors), scope).pipe(
    Effect.mapError((error) =>
      error._tag === "pointsman/StorageError"
        ? storageUnusable(settings, error)
        : wrongEncryptionKey(settings, error._tag === "pointsman/SealBroken" ? error.context : "nothing")
    )
  )
  const started = yield* Effect.provideContext(configure(settings, checked, configuration), outside)
  const inside = yield* Layer.buildWithScope(
    InProcess.PaymentViews.layer(settings.baseUrl).pipe(Layer.provideMerge(Core.Pointsman.layer(checked.options))),
    scope
  ).pipe(Effect.provideContext(outside))
  // The log goes where this start's went.
  const services = Context.merge(yield* Effect.context<never>(), Context.merge(outside, inside))

  // Within the scope of their dependencies, so that a start that fails closes them first.
  const background = yield* Scope.fork(scope)
  const requests = yield* Scope.fork(scope)
  const routes = Effect.promise(() => import("./OpenRoutes.ts")).pipe(
    Effect.flatMap(({ openRoutes }) => openRoutes(settings, requests)),
    Scope.provide(scope)
  )
  if (settings.background !== false) {
    yield* Effect.provideContext(Layer.buildWithScope(Core.Pointsman.background(), background), services)
  }

  const gate = yield* makeGate
  const runFork = Effect.runForkWith(services)
  const runPromise = Effect.runPromiseWith(services)
  const warn = (message: string) => void runFork(Effect.logError(message))
  const { cutUnfinished, handler, listener } = makeRequests({
    gate,
    open: () => runPromise(routes),
    docs: settings.docs ?? false,
    hasPages: settings.baseUrl !== undefined,
    keepAliveMillis: settings.keepAliveMillis ?? defaultKeepAliveMillis,
    warn
  })
  const run = Effect.runPromiseExitWith(services)
  const consoles = makeConsoles({ run, gate, settings, warn })

  const ending = Effect.gen(function* () {
    const directory = yield* Ports.Directory
    // Others may have changed it since the start.
    const contents = yield* Effect.orElseSucceed(directory.contents, () => started)
    const cutting = yield* Effect.forkChild(Effect.andThen(Effect.sleep(wholeWithinMillis), cutUnfinished))
    const left = yield* gate.drain(
      Configuration.longestCallsMillis(contents, checked.providerTimeoutMillis) + answerWithinMillis
    )
    yield* Fiber.interrupt(cutting)
    if (left > 0) yield* Effect.logError(`Pointsman closed before ${left} call(s) had completed`)
    yield* Effect.promise(consoles.close)
    // Those whose client went away are not among the above; what must not be interrupted of them is waited for here.
    yield* Scope.close(requests, Exit.void)
    yield* Scope.close(background, Exit.void)
    yield* Scope.close(scope, Exit.void)
  })
  let ended: Promise<void> | undefined
  const close = (): Promise<void> => {
    gate.shut()
    consoles.stop()
    ended ??= run(ending).then((exit) => {
      if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
    })
    return ended
  }
  return {
    ...makeCalls(run, gate, {
      workspace: settings.workspace ?? onlyOne(configuration)?.id,
      environment: settings.environment
    }),
    console: consoles.open,
    handler,
    listener,
    close,
    [Symbol.asyncDispose]: close
  } satisfies Pointsman
})

const onlyOne = (file: Configuration.ConfigurationFile | undefined) =>
  file?.workspaces.length === 1 ? file.workspaces[0] : undefined

/** Checked as one before: a definition, or something to open first. */
const openConnector = (connector: Connector): Effect.Effect<Ports.ConnectorDefinition, StartError, Scope.Scope> => {
  const handle = connector as Ports.ConnectorDefinition | Ports.ConnectorHandle
  return "connect" in handle
    ? Effect.succeed(adoptConnector(handle))
    : Effect.mapError(handle["~pointsman/connector"], (message) => new StartError("connector_unusable", message))
}

const understand = (
  { generation, workspaces }: PointsmanSettings,
  { claimWindowMillis, providerTimeoutMillis }: CheckedSettings,
  connectors: Ports.Connectors["Service"]
): Effect.Effect<Configuration.ConfigurationFile, StartError> => {
  const understood = Configuration.understandConfiguration(
    { workspaces, ...(generation === undefined ? {} : { generation }) },
    {
      connectors,
      transport: Configuration.sendsNothing,
      claimWindowMillis,
      claimWindowSetting: "claimWindowMillis",
      providerTimeoutMillis,
      environment: process.env
    }
  )
  return Result.isSuccess(understood)
    ? Effect.succeed(understood.success)
    : Effect.fail(wrongSettings(understood.failure.map(mistakeOf)))
}

/** Production over a storage that is gone with the process. */
const refuseVolatile = (
  { allowVolatileStorage, environment, storage }: PointsmanSettings,
  configuration: Configuration.ConfigurationFile | undefined
): Effect.Effect<void, StartError> => {
  if (storage.lasts || allowVolatileStorage === true) return Effect.void
  const connection = configuration === undefined ? undefined : Configuration.productionConnection(configuration)
  if (connection === undefined && environment !== "production") return Effect.void
  const what =
    connection === undefined ? "`environment` is production" : `the connection "${connection}" is for production`
  const message =
    `expected a storage that outlives this process, because ${what}: ${storage.name} loses payments and idempotency keys ` +
    "with the process, so that a request that is sent again charges twice. Use sqlite(path) with a file or postgres(url), or " +
    "set allowVolatileStorage to true if that loss is acceptable"
  return Effect.fail(wrongSettings([{ field: "storage", message }]))
}

/** Opened without being reached. */
const openArchive = Effect.fnUntraced(function* (archive: PointsmanSettings["archive"]) {
  const understood = Configuration.understandArchive({ archive }, process.env)
  if (Result.isFailure(understood)) return yield* Effect.fail(wrongSettings(understood.failure.map(mistakeOf)))
  if (understood.success === undefined) return Layer.empty
  const { make } = yield* Effect.promise(() => import("@pointsman/archive"))
  const opened = yield* make(Configuration.archiveOptionsOf(understood.success)).pipe(
    Effect.mapError(({ reason }) => wrongSettings([{ field: "archive", message: reason }]))
  )
  return Layer.succeed(Ports.Archive, opened)
})

const mistakeOf = ({ message, path }: Configuration.Mistake) => ({ field: Configuration.formatPath(path), message })

const platform = Layer.mergeAll(NodeCrypto.layer, NodeTransport.NodeMac.layer, NodeTransport.NodePasswords.layer)

/** Loaded where a file of a report is read. */
const reconcile = Effect.promise(() => import("@pointsman/reconcile"))

const outsideLayer = Effect.fnUntraced(function* (
  { allowPrivateWebhooks, archive, storage }: PointsmanSettings,
  { encryptionKey, previousEncryptionKeys }: CheckedSettings,
  connectors: Ports.Connectors["Service"]
) {
  // Checked as one before.
  const chosen = storage as Ports.StorageHandle
  const random = SecureRandom.SecureRandom.pipe(
    Effect.flatMap((secure) => secure.randomBytes(Core.SecretsLayer.encryptionKeyBytes)),
    Effect.map((bytes) => Redacted.make(bytes, { label: "encryption key" })),
    Effect.provide(SecureRandom.layerWebCrypto),
    Effect.orDie
  )
  return Layer.mergeAll(
    Core.SecretsLayer.layerRotating(
      Effect.succeed({ current: encryptionKey ?? (yield* random), previous: previousEncryptionKeys })
    ).pipe(Layer.provideMerge(chosen["~pointsman/storage"])),
    Layer.succeed(Ports.Connectors, connectors),
    yield* openArchive(archive),
    NodeTransport.layer(),
    Layer.succeed(Ports.ReportReader, {
      read: (format, file) =>
        Stream.unwrap(Effect.map(reconcile, ({ readReportText }) => readReportText(format, file))),
      inspect: (...asked) => Effect.flatMap(reconcile, ({ inspectReportText }) => inspectReportText(...asked))
    }),
    NodeTransport.NodeWebhookSender.layer({ allowPrivate: allowPrivateWebhooks ?? false })
  ).pipe(Layer.provideMerge(Ports.Ids.layer), Layer.provideMerge(platform))
})

const wrongEncryptionKey = ({ storage }: PointsmanSettings, context: string): StartError =>
  new StartError(
    "wrong_encryption_key",
    `encryptionKey: expected the key that ${storage.name} was created with, or rotated to: ${context} cannot be decrypted.`
  )

/** Brings the directory to what the settings say; gives what it holds then. */
const configure = Effect.fnUntraced(
  function* (
    settings: PointsmanSettings,
    { claimWindowMillis }: CheckedSettings,
    configuration: Configuration.ConfigurationFile | undefined
  ) {
    const directory = yield* Ports.Directory
    const present = yield* directory.contents
    yield* Configuration.checkSeals(present).pipe(
      Effect.catchTag("pointsman/SealedWithAnotherKey", ({ context }) =>
        Effect.fail(wrongEncryptionKey(settings, context))
      )
    )
    const isOlder =
      configuration !== undefined && (yield* Configuration.configurationStanding(configuration))._tag === "Older"
    const slow = Configuration.tooSlowConnection(present, isOlder ? undefined : configuration, claimWindowMillis)
    if (slow !== undefined) {
      return yield* Effect.fail(
        wrongSettings([
          {
            field: "claimWindowMillis",
            message:
              `expected more than the timeout of the stored connection "${slow.id}", ${slow.timeoutMillis} ms, or ` +
              "a claim would expire during its provider call"
          }
        ])
      )
    }
    if (configuration === undefined) {
      yield* Configuration.warnOfUnreadable(present)
      return present
    }
    const { revokedKeys, standing } = yield* Configuration.applyConfiguration(configuration).pipe(
      Effect.catchTag("pointsman/ConfigurationConflict", ({ mistakes }) =>
        Effect.fail(wrongSettings(mistakes.map(mistakeOf)))
      )
    )
    if (standing._tag === "Older") {
      yield* Effect.logWarning(
        `workspaces were not applied: their content is generation ${standing.generation}, and generation ` +
          `${standing.served} is served. To return to it, set generation to a greater number`
      )
    }
    if (revokedKeys.length > 0) {
      yield* Effect.logWarning(
        `keys that workspaces name stay revoked: ${revokedKeys.map(apiKeyIdOf).join(", ")}. To reactivate one, run ` +
          "`pointsman keys restore <key>`"
      )
    }
    const contents = yield* directory.contents
    yield* Configuration.warnOfUnreadable(contents)
    return contents
  },
  (effect, settings) =>
    Effect.mapError(effect, (error) => (error instanceof StartError ? error : storageUnusable(settings, error)))
)

const storageUnusable = ({ storage }: PointsmanSettings, { cause }: Ports.StorageError): StartError => {
  const said = cause instanceof Error ? cause.message : typeof cause === "string" ? cause : ""
  return new StartError("storage_unusable", `${storage.name} cannot be used: ${said === "" ? "unknown cause" : said}.`)
}
