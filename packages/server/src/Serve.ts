/**
 * Starts the server, and stops it so that nothing that was asked goes unanswered.
 *
 * Nothing is changed before the settings, the configuration file and the address are known to be good.
 */
import cluster from "node:cluster"
// The modules one by one: their common door loads clients of databases that a server has no use for.
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpPlatform from "@effect/platform-node/NodeHttpPlatform"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodePath from "@effect/platform-node/NodePath"
import {
  type ArchiveFile,
  type ConfigurationFile,
  type ConsoleFile,
  configurationStanding,
  longestCallsMillis,
  tooSlowConnection,
  warnOfUnreadable
} from "@pointsman/configuration"
import type { SandboxRecords } from "@pointsman/connector-sandbox"
import { Pointsman, type SecretsLayer } from "@pointsman/core"
import { Admission, makeAdmission } from "@pointsman/core/internal"
import { Directory, type DirectoryContents, Ids, type Secrets, StorageError } from "@pointsman/core/ports"
import * as PointsmanHttp from "@pointsman/http"
import * as NodeTransport from "@pointsman/transport-node"
import { Console, Effect, Exit, type FileSystem, Layer, Metric, Option, type Path, type Redacted, Scope } from "effect"
import type { Mac, SecureRandom } from "effect/crypto"
import { Etag, HttpRouter } from "effect/http"
import { adminRoutes } from "./AdminRoutes.ts"
import { admitRequests, countRefused } from "./AdmitRequests.ts"
import { applyAtStart } from "./ApplyConfiguration.ts"
import { archiveLayer } from "./ArchiveLayer.ts"
import * as Backlog from "./Backlog.ts"
import { checkSeals, secretsLayer } from "./CheckSeals.ts"
import { configurationFindings, formatFinding, volatileFault } from "./ConfigurationFindings.ts"
import * as ConsoleRoutes from "./ConsoleRoutes.ts"
import { ensureFolder } from "./DatabaseFile.ts"
import { connectionFaults } from "./DatabaseUrl.ts"
import { ensureDemo } from "./Demo.ts"
import { obtainEncryptionKeys } from "./EncryptionKey.ts"
import { docsNoteOf, greeting } from "./Greeting.ts"
import * as Health from "./Health.ts"
import * as InstalledConnectors from "./InstalledConnectors.ts"
import { reportReaderLayer } from "./InstalledConnectors.ts"
import type { Listener } from "./Listener.ts"
import { type Handlers, type Listeners, listenAll, serveAll } from "./Listeners.ts"
import { connectorsOfWorker, type LoadedConnector } from "./LoadConnectors.ts"
import * as Metrics from "./Metrics.ts"
import { pointsmanOptions } from "./PointsmanOptions.ts"
import { readConfiguration } from "./ReadConfiguration.ts"
import type { Settings } from "./Settings.ts"
import { sourceLayer } from "./SourceOf.ts"
import { StartFailure, storageFailure } from "./StartFailure.ts"
import { standbyOf, storageLayer } from "./StorageLayer.ts"
import { telemetry } from "./Telemetry.ts"
import { keepWorkers } from "./Workers.ts"
import { askPrimary, endAfterPrimary } from "./WorkerTalk.ts"

/**
 * Serves until it is interrupted, and is done when the last request is answered and the storage closed. With more than
 * one worker, this program is started anew for each of them (`node:cluster`), and calls this again there.
 */
export const serve = Effect.fnUntraced(
  function* (
    settings: Settings,
    environment: Environment,
    beforeRequests: BeforeRequests = nothingBefore,
    /** Of a server without a configuration file. */
    connectors: ReadonlyArray<LoadedConnector> = []
  ) {
    const serving =
      settings.workers === 1
        ? serveAlone(settings, environment, beforeRequests, connectors)
        : cluster.isPrimary
          ? serveByWorkers(settings, environment)
          : serveAsWorker(settings)
    return yield* Effect.provide(Effect.scoped(serving), telemetry(settings, environment))
  },
  Effect.provide([
    Layer.mergeAll(NodeCrypto.layer, NodeTransport.NodeMac.layer, NodeTransport.NodePasswords.layer),
    // One by one: their common layer brings the terminal and child processes.
    Layer.mergeAll(NodeHttpPlatform.layer, NodeFileSystem.layer, NodePath.layer, Etag.layerWeak)
  ])
)

type Environment = Readonly<Record<string, string | undefined>>

/**
 * What is done on the storage when the address is taken and before the first request is answered, by a server without
 * further workers. Returns lines that are printed at the start. The scope is that of the server.
 */
export type BeforeRequests = (start: {
  readonly url: string
  readonly sandboxKey: Option.Option<Redacted.Redacted<string>>
}) => Effect.Effect<
  ReadonlyArray<string>,
  StartFailure | StorageError,
  | Pointsman
  | SandboxRecords
  | Directory
  | Secrets
  | Scope.Scope
  | FileSystem.FileSystem
  | Path.Path
  | SecureRandom.SecureRandom
  | Mac.Mac
>

const nothingBefore: BeforeRequests = () => Effect.succeed([])

const serveAlone = Effect.fnUntraced(function* (
  settings: Settings,
  environment: Environment,
  beforeRequests: BeforeRequests,
  given: ReadonlyArray<LoadedConnector>
) {
  const { configuration, encryptionKeys, listeners, loaded } = yield* begin(settings, environment)
  const connectors = loaded ?? given
  const { url } = listeners.api
  return yield* Effect.gen(function* () {
    const prepared = yield* prepare(settings, configuration)
    const { link, told } = yield* Effect.gen(function* () {
      return {
        told: yield* beforeRequests({ url, sandboxKey: prepared.sandboxKey }),
        link: Option.isNone(prepared.sandboxKey)
          ? Option.none<string>()
          : yield* ConsoleRoutes.demoLink(settings, listeners)
      }
    }).pipe(Effect.provide(Pointsman.layer(pointsmanOptions(settings))))
    const started = { ...prepared, console: configuration?.console, docsNote: docsNoteOf(prepared.sandboxKey) }
    yield* answerRequests(settings, url, started, (handlers) => serveAll(listeners, handlers))
    yield* Console.log(greeting(settings, listeners, prepared, told, link))
    return yield* Effect.never
  }).pipe(onStorage(settings, encryptionKeys, connectors, { archive: configuration?.archive }))
})

/** The process that has workers: it does what is done once, in the order of a server alone, and leaves the rest to them. */
const serveByWorkers = Effect.fnUntraced(function* (settings: Settings, environment: Environment) {
  const holding = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
  const begun = yield* Scope.provide(begin(settings, environment), holding)
  const { configuration, encryptionKeys, listeners, loaded: connectors = [] } = begun
  const { admin, api } = listeners
  const prepared = yield* prepare(settings, configuration).pipe(onStorage(settings, encryptionKeys, connectors))
  return yield* keepWorkers({
    count: settings.workers,
    address: {
      host: settings.host,
      port: api.port,
      url: api.url,
      adminPort: admin?.port ?? null,
      fileHash: prepared.fileHash,
      console: configuration?.console ?? null,
      archive: configuration?.archive ?? null,
      connectors: connectors.map(({ entry, url }) => ({ entry, url }))
    },
    release: Scope.close(holding, Exit.void),
    onListening: Console.log(greeting(settings, listeners, prepared))
  })
})

/**
 * One of the processes that answer. It leaves the configuration file alone: who takes the place of a worker that died
 * would apply its contents of that time, and might not start because of a mistake in it.
 */
const serveAsWorker = Effect.fnUntraced(function* (settings: Settings) {
  yield* endAfterPrimary
  const { archive, connectors, console, fileHash, url } = yield* askPrimary("Address")
  const loaded = yield* connectorsOfWorker(connectors)
  return yield* Effect.gen(function* () {
    const contents = yield* (yield* Directory).contents
    yield* answerRequests(settings, url, { contents, fileHash, console: console ?? undefined }, (handlers) =>
      Effect.flatMap(askPrimary("Turn"), ({ adminPort, host, port }) =>
        listenAll({ ...settings, adminPort, host, port }, handlers)
      )
    )
    return yield* Effect.never
  }).pipe(
    onStorage(settings, yield* obtainEncryptionKeys(settings), loaded, {
      existing: true,
      archive: archive ?? undefined
    }),
    Effect.annotateLogs({ pid: process.pid }),
    // One of several processes responds to a scrape, and the scraper has to see which.
    Effect.provideService(Metric.CurrentMetricAttributes, { pid: String(process.pid) })
  )
})

/** Whatever may be wrong before anything is changed. */
const begin = Effect.fnUntraced(function* (settings: Settings, environment: Environment) {
  const read =
    settings.configuration === null
      ? undefined
      : yield* readConfiguration(settings.configuration, {
          claimWindowMillis: settings.claimWindowMillis,
          providerTimeoutMillis: settings.providerTimeoutMillis,
          environment
        })
  const volatile = read === undefined ? undefined : volatileFault(settings, read.file)
  if (volatile !== undefined) return yield* new StartFailure({ message: volatile })
  const findings = read === undefined ? [] : configurationFindings(read.file, read.connectors)
  yield* Effect.forEach(findings, (finding) => Console.error(formatFinding(finding)), { discard: true })
  const listeners = yield* listenAll(settings)
  for (const fault of connectionFaults(settings)) yield* Effect.logWarning(fault)
  yield* ensureFolder(settings.database)
  const begun = { configuration: read?.file, loaded: read?.loaded, listeners }
  return { ...begun, encryptionKeys: yield* obtainEncryptionKeys(settings) }
})

interface OnStorageOptions {
  readonly existing?: boolean
  readonly archive?: ArchiveFile | undefined
}

const onStorage =
  (
    settings: Settings,
    encryptionKeys: SecretsLayer.EncryptionKeys,
    connectors: ReadonlyArray<LoadedConnector>,
    { archive, ...options }: OnStorageOptions = {}
  ) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.scoped(effect).pipe(
      Effect.provide(
        Layer.mergeAll(
          secretsLayer(encryptionKeys).pipe(
            Layer.provideMerge(
              storageLayer(settings.database, {
                ...options,
                allowAsyncCommit: settings.allowAsyncCommit,
                batchCommits: settings.batchCommits,
                connections: settings.databaseConnections,
                ...standbyOf(settings)
              })
            )
          ),
          archiveLayer(archive),
          InstalledConnectors.layer(settings.database, connectors),
          NodeTransport.layer(),
          reportReaderLayer,
          NodeTransport.NodeWebhookSender.layer({ allowPrivate: settings.allowPrivateWebhooks })
        ).pipe(Layer.provideMerge(Ids.layer))
      ),
      Effect.catchIf(isStorageError, (error) => storageFailure(settings.database, error.cause))
    )

const isStorageError = (error: unknown): error is StorageError => error instanceof StorageError

/** Brings the directory to what the settings say, once for all processes. */
const prepare = Effect.fnUntraced(function* (settings: Settings, configuration: ConfigurationFile | undefined) {
  const directory = yield* Directory
  const present = yield* directory.contents
  yield* checkSeals(present)
  if (settings.configuration === null || configuration === undefined) {
    yield* checkStoredTimeouts(settings, present, undefined)
    const sandboxKey = yield* ensureDemo(settings, present)
    const contents = yield* directory.contents
    yield* warnOfUnreadable(contents)
    return { sandboxKey, contents, fileHash: null } satisfies Prepared
  }
  const { _tag } = yield* configurationStanding(configuration)
  yield* checkStoredTimeouts(settings, present, _tag === "Older" ? undefined : configuration)
  const { hash } = yield* applyAtStart(settings.configuration, configuration)
  const contents = yield* directory.contents
  yield* warnOfUnreadable(contents)
  return { sandboxKey: Option.none(), contents, fileHash: hash } satisfies Prepared
})

interface Started {
  readonly contents: DirectoryContents
  /** Of the configuration file; `null` for none. */
  readonly fileHash: string | null
  readonly console?: ConsoleFile | undefined
  /** Markdown that the reference page begins with. */
  readonly docsNote?: string | undefined
}

interface Prepared extends Started {
  /** Of the demo. */
  readonly sandboxKey: Option.Option<Redacted.Redacted<string>>
}

/** Enough to keep the processor busy while others wait for the database, and for each of its connections. */
const leastPlaces = 32
const placesPerConnection = 2
const placesOf = ({ databaseConnections }: Settings): number =>
  Math.max(leastPlaces, databaseConnections * placesPerConnection)

/** Answers requests at the listeners until the scope closes, which waits for those that are under way. */
const answerRequests = Effect.fnUntraced(function* <R>(
  settings: Settings,
  url: string,
  { console, contents, docsNote, fileHash }: Started,
  bind: (handlers: Handlers) => Effect.Effect<Listeners, StartFailure, R>
) {
  const requests = yield* Scope.make()
  const lasting = yield* Scope.make()
  const stopping = yield* Scope.provide(Effect.abortSignal, lasting)
  const admission = makeAdmission({ places: placesOf(settings), onRefused: yield* countRefused })
  const admitted = yield* admitRequests(admission)
  const admin = adminRoutes(settings.adminPort !== null)
  const baseUrl = settings.baseUrl ?? url
  const health = { fileHash, seesDetails: admin.seesDetails }
  const handler = yield* routes(settings, { baseUrl, console, docsNote, stopping }, health).pipe(
    Effect.provideService(Admission, admission),
    Effect.flatMap((app) => NodeHttpServer.makeHandler(admitted.answer(admin.answer(app)), { scope: requests }))
  )
  yield* Effect.acquireRelease(
    bind({ api: admitted.listener(handler), admin: admin.atAdminAddress(handler) }),
    ({ api }) => Effect.andThen(Scope.close(lasting, Exit.void), stop(api, requests, settings, contents)),
    {
      interruptible: true
    }
  )
})

const checkStoredTimeouts = Effect.fnUntraced(function* (
  settings: Settings,
  present: DirectoryContents,
  configuration: ConfigurationFile | undefined
) {
  const slow = tooSlowConnection(present, configuration, settings.claimWindowMillis)
  if (slow === undefined) return
  return yield* new StartFailure({
    message:
      `The stored connection "${slow.id}" has a timeout of ${slow.timeoutMillis} ms: expected less than ` +
      `the claim window of ${settings.claimWindowMillis} ms. Increase POINTSMAN_CLAIM_WINDOW ` +
      "(--claim-window), or give the connection a shorter timeout in the configuration file."
  })
})

interface Pages {
  readonly baseUrl: string
  readonly console: ConsoleFile | undefined
  readonly docsNote: string | undefined
  readonly stopping: AbortSignal
}

const routes = (settings: Settings, { baseUrl, console, docsNote, stopping }: Pages, health: Health.HealthOptions) =>
  HttpRouter.toHttpEffect(
    Layer.mergeAll(
      PointsmanHttp.layer({
        paths: { ...Health.healthPaths, ...Metrics.metricsPaths, ...ConsoleRoutes.consolePaths },
        baseUrl,
        docsNote,
        home: settings.adminPort === null ? { console: `.${ConsoleRoutes.consoleMount}` } : true,
        accessLog: settings.accessLog
      }),
      Health.layer(health),
      ConsoleRoutes.layer(settings, baseUrl, console, stopping),
      Layer.unwrap(
        Effect.map(Backlog.make, (readBacklog) =>
          Metrics.layer({ readBacklog, refresh: settings.otlpEndpoint !== null, fileHash: health.fileHash })
        )
      ),
      Pointsman.background()
    ).pipe(
      Layer.provide(Pointsman.layer(pointsmanOptions(settings))),
      Layer.provide([
        limits(settings),
        PointsmanHttp.RateLimit.layerFailures(),
        settings.rateLimit === null ? Layer.empty : PointsmanHttp.RateLimit.layerOperators(),
        sourceLayer(settings)
      ])
    )
  )

const limits = (settings: Settings): Layer.Layer<never, StartFailure> => {
  const { database, inboundRateLimit, rateLimit: perSecond, sharedLimits } = settings
  if (!sharedLimits || database._tag !== "Postgres") {
    return Layer.merge(
      perSecond === null ? Layer.empty : PointsmanHttp.RateLimit.layer({ perSecond }),
      PointsmanHttp.RateLimit.layerMessages({ perConnection: inboundRateLimit })
    )
  }
  return Layer.unwrap(
    // Loaded only here: SQLite needs no client of PostgreSQL.
    Effect.map(
      Effect.promise(() => import("./SharedLimits.ts")),
      (SharedLimits) => SharedLimits.layer({ database, perSecond, perConnection: inboundRateLimit })
    )
  )
}

/** What a request may take besides its provider calls, in milliseconds. */
const answerWithinMillis = 5_000

const stop = Effect.fnUntraced(function* (
  listener: Listener,
  requests: Scope.Closeable,
  settings: Settings,
  started: DirectoryContents
) {
  const directory = yield* Directory
  // The command line may have changed it since the start.
  const contents = yield* directory.contents.pipe(Effect.orElseSucceed(() => started))
  const left = yield* listener.drain(longestCallsMillis(contents, settings.providerTimeoutMillis) + answerWithinMillis)
  if (left > 0) yield* Console.error(`Pointsman stopped before ${left} request(s) had completed.`)
  // Those whose client went away are not among the above; what must not be interrupted of them is waited for here.
  yield* Scope.close(requests, Exit.void)
})
