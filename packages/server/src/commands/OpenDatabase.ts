/**
 * Lets an operations command act on the database of the settings, beside the servers that run on it.
 *
 * Three rules. It makes no database and changes no schema: a mistyped path is an error. It reads the settings as
 * `serve` does, because what it writes is acted on by a server. It sends no requests unless it says so: without
 * providers there is no transport, and no connector but to read stored messages with, so that a command cannot charge,
 * and cannot take silence for a provider's answer.
 */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { sendsNothing } from "@pointsman/configuration"
import { Pointsman } from "@pointsman/core"
import {
  AuditVia,
  BeforeRemoval,
  Connectors,
  Directory,
  Ids,
  type Secrets,
  type StorageError,
  type StorageServices,
  Transport
} from "@pointsman/core/ports"
import * as NodeTransport from "@pointsman/transport-node"
import { Clock, Effect, type FileSystem, Layer, Path, References } from "effect"
import { archiveLayer, archiveOfFile } from "../ArchiveLayer.ts"
import { checkSeals, secretsLayer } from "../CheckSeals.ts"
import { collectAudit } from "../CollectAudit.ts"
import { besideSandbox } from "../DatabaseFile.ts"
import { isAbsentOrEmpty, obtainEncryptionKeys } from "../EncryptionKey.ts"
import { checkIntervals, pointsmanOptions } from "../PointsmanOptions.ts"
import { type Flags, readSettings, type SettingName, type Settings } from "../Settings.ts"
import { StartFailure, storageFailure } from "../StartFailure.ts"
import { storageLayer } from "../StorageLayer.ts"
import { type CommandFailure, endWith } from "./CommandFailure.ts"
import type { Now } from "./ReviewView.ts"

/** What names the database and opens it. */
export const databaseSettings = [
  "database",
  "databaseDistributed",
  "encryptionKey",
  "previousEncryptionKeys"
] as const satisfies ReadonlyArray<SettingName>

/** A stopped server has completed its work; a command may not have. The code is a shell's for Ctrl-C. */
export const endInterrupted = endWith(130)

/** The database without changes: without a connector, and without a way to send anything. */
export const databaseLayer = (
  settings: Settings,
  secrets: ReturnType<typeof secretsLayer>,
  providers: Providers = noProviders,
  archive: Layer.Layer<never, StartFailure> = unopenedArchive
) =>
  Pointsman.layer(pointsmanOptions(settings)).pipe(
    Layer.provideMerge(secrets),
    Layer.provideMerge(
      storageLayer(settings.database, { existing: true, allowAsyncCommit: settings.allowAsyncCommit })
    ),
    Layer.provide([archive, providers, Ids.layer, NodeTransport.NodePasswords.layer])
  )

/** A command that removes payments opens the archive that the servers write to, or removes none. */
const unopenedArchive = Layer.succeed(BeforeRemoval, () =>
  Effect.die("payments leave the store only by a command that opens the archive")
)

/** How a command reaches providers. */
type Providers = Layer.Layer<Connectors | Transport, StartFailure, FileSystem.FileSystem>

/** By the connectors of the settings: they are loaded by the commands that reach providers, and by no other. */
export const reachingProviders = (settings: Settings): Providers =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("../LoadConnectors.ts")),
      ({ connectorsLayer }) => Layer.merge(connectorsLayer(settings), NodeTransport.layer())
    )
  )

const noProviders: Providers = Layer.merge(Connectors.layer([]), Layer.succeed(Transport, sendsNothing))

/** What acts on the database may fail with, and uses. */
export interface OnDatabase {
  readonly failure: CommandFailure | StartFailure | StorageError
  readonly services: Pointsman | StorageServices | Secrets | FileSystem.FileSystem
}

export const onDatabase = Effect.fnUntraced(
  function* <A>(
    flags: Flags,
    act: (settings: Settings) => Effect.Effect<A, OnDatabase["failure"], OnDatabase["services"]>,
    /** Nothing is reached without them. */
    providersOf?: (settings: Settings) => Providers,
    /** What the configuration file may refer to. With it, the archive of the file is opened: payments may leave the store. */
    environment?: Readonly<Record<string, string | undefined>>
  ) {
    const settings = yield* besideSandbox(yield* readSettings(flags))
    const { database } = settings
    if (database._tag === "SqliteMemory") {
      return yield* new StartFailure({
        message:
          "POINTSMAN_DATABASE_URL (--database-url): expected the file of a server's database; an in-memory " +
          "database belongs to a single process."
      })
    }
    if (database._tag === "SqliteFile" && (yield* isAbsentOrEmpty(database.path))) {
      return yield* new StartFailure({
        message:
          `No database at ${(yield* Path.Path).resolve(database.path)}. POINTSMAN_DATABASE_URL ` +
          "(--database-url): expected the database of an existing server."
      })
    }
    const { configuration } = settings
    const archive =
      environment === undefined
        ? undefined
        : archiveLayer(configuration === null ? undefined : yield* archiveOfFile(configuration, environment))
    const secrets = secretsLayer(yield* obtainEncryptionKeys(settings))
    return yield* Effect.gen(function* () {
      yield* checkSeals(yield* (yield* Directory).contents)
      return yield* Effect.provideService(act(settings), AuditVia, "command")
    }).pipe(
      Effect.provide(databaseLayer(settings, secrets, providersOf?.(settings), archive)),
      Effect.catchTag("pointsman/StorageError", (error) => storageFailure(database, error.cause)),
      collectAudit(settings.otlpEndpoint)
    )
  },
  Effect.provide(NodeCrypto.layer),
  // A command says what it did by itself.
  Effect.provideService(References.MinimumLogLevel, "Warn"),
  Effect.onInterrupt(() => endInterrupted)
)

// When the server checks a payment again, for the commands that say so.

/** What the next check follows from. Those that are not given here are read from the environment all the same. */
export const checkSettings = [
  ...databaseSettings,
  "claimWindowMillis",
  "unknownCheckIntervalMillis",
  "pendingCheckIntervalMillis",
  "refundCheckIntervalMillis",
  "deadRequestIntervalMillis"
] as const satisfies ReadonlyArray<SettingName>

export const nowOf = (settings: Settings): Effect.Effect<Now> =>
  Effect.map(Clock.currentTimeMillis, (now) => ({
    now,
    checkIntervals: checkIntervals(settings),
    claimWindowMillis: settings.claimWindowMillis
  }))
