/**
 * Looks at everything that an operator would, and changes nothing. Each look says what is so by itself, so that one that
 * cannot be had hides no other: only what needs it is left out.
 */
import { openPayments, openPaymentsText, unreadableOf } from "@pointsman/configuration"
import { environments, Pointsman, type Review, SecretsLayer } from "@pointsman/core"
import { OpenConnections } from "@pointsman/core/internal"
import { Deliveries, Directory, type DirectoryContents } from "@pointsman/core/ports"
import { Clock, Effect, Layer, Option, Path, Result } from "effect"
import { checkFile } from "../CheckFile.ts"
import { checkSeals, secretsLayer } from "../CheckSeals.ts"
import { volatileFault } from "../ConfigurationFindings.ts"
import { besideSandbox } from "../DatabaseFile.ts"
import type { Database } from "../DatabaseUrl.ts"
import { isAbsentOrEmpty, obtainEncryptionKeys } from "../EncryptionKey.ts"
import { nodeFault } from "../NodeVersion.ts"
import { readConfigurationFile } from "../ReadConfiguration.ts"
import { type Flags, readSettings, type Settings } from "../Settings.ts"
import { StartFailure, storageFailure } from "../StartFailure.ts"
import { standbyOf } from "../StorageLayer.ts"
import { archiveLines } from "./ArchiveLines.ts"
import { type CheckLine, eachOr, line, ok, warning, wrong } from "./Checkup.ts"
import { connectorLines, connectorsForChecking, unsentConnections } from "./ConnectorLines.ts"
import { keyLines, recordLossLine, standbyLines, transportLines } from "./DatabaseLines.ts"
import { directoryLines, environmentFault } from "./DirectoryChecks.ts"
import { generationLines } from "./GenerationLine.ts"
import { databaseLayer, nowOf } from "./OpenDatabase.ts"
import { fetchLines } from "./ReportLines.ts"
import { type Now, reviewView } from "./ReviewView.ts"
import { serverLine, serverUrl } from "./ServerLine.ts"
import { ageOf, counted } from "./Words.ts"

type Lines = ReadonlyArray<CheckLine>
type Variables = Readonly<Record<string, string | undefined>>

/** `environment`: what the configuration file may refer to. `url`: of the server, where it is not that of the settings. */
export const examine = Effect.fnUntraced(function* (flags: Flags, environment: Variables, url: Option.Option<string>) {
  const node = nodeLine(process.versions.node)
  const read = yield* Effect.result(Effect.flatMap(readSettings(flags), besideSandbox))
  if (Result.isFailure(read)) return [node, ...settingsFaults(read.failure.message)]
  const server = yield* serverUrl(read.success, url)
  const settings = { ...read.success, baseUrl: read.success.baseUrl ?? server }
  return [
    node,
    ok("settings", "all settings are valid"),
    yield* serverLine(server, Option.isSome(url)),
    ...(yield* transportLines(settings)),
    ...(yield* fileLines(settings, environment)),
    ...(yield* connectorLines(settings, environment)),
    ...(yield* archiveLines(settings, environment)),
    ...(yield* databaseLines(settings, environment))
  ] satisfies Lines
})

const nodeLine = (version: string): CheckLine => {
  const fault = nodeFault(version)
  return fault === undefined ? ok("node", `Node.js ${version}`) : wrong("node", fault)
}

/** One line for each. */
const settingsFaults = (message: string): Lines =>
  message
    .replace(/^The settings are invalid:\n/u, "")
    .split("\n")
    .map((fault) => wrong("settings", fault.trim()))

const fileLines = Effect.fnUntraced(function* (settings: Settings, environment: Variables) {
  const path = settings.configuration
  if (path === null) return [ok("configuration", "no configuration file is set")]
  const { document, text } = yield* checkFile(path, settings, environment)
  return eachOr(
    [
      ...document.mistakes.map((one) =>
        wrong("configuration", one.path === null ? one.message : `${path}: ${one.path}: ${one.message}`)
      ),
      ...document.findings.map((one) => warning("configuration", `${path}: ${one.path} (${one.kind}): ${one.reason}`))
    ],
    ok("configuration", `${path}: ${text}`)
  )
})

const databaseLines = Effect.fnUntraced(function* (settings: Settings, environment: Variables) {
  const { isUsable, lines } = yield* inspect(settings, environment)
  if (!isUsable) return lines
  // The database is there: no key is made for it.
  const key = yield* Effect.result(obtainEncryptionKeys(settings))
  if (Result.isFailure(key)) return [...lines, wrong("encryption key", key.failure.message)]
  const inside = yield* Effect.result(contentLines(settings, key.success, environment))
  return [...lines, ...(Result.isFailure(inside) ? [wrong("database", inside.failure.message)] : inside.success)]
})

interface Inspected {
  /** Whether what is in it can be looked at. */
  readonly isUsable: boolean
  readonly lines: Lines
}

const unusable = (...lines: Lines): Inspected => ({ isUsable: false, lines })

const inspect = (settings: Settings, environment: Variables) => {
  const { database } = settings
  switch (database._tag) {
    case "SqliteMemory":
      return Effect.map(inspectMemory(settings, environment), unusable)
    case "SqliteFile":
      return Effect.catchTag(inspectFile(database), "pointsman/server/StartFailure", ({ message }) =>
        Effect.succeed(unusable(wrong("database", message)))
      )
    case "Postgres":
      return Effect.catchTag(inspectPostgres(database, settings), "pointsman/server/StartFailure", ({ message }) =>
        Effect.succeed(unusable(wrong("database", message)))
      )
  }
}

/** An invalid configuration file has lines of its own. */
const inspectMemory = Effect.fnUntraced(function* (settings: Settings, environment: Variables) {
  const path = settings.configuration
  const read =
    path === null ? Option.none() : yield* Effect.option(readConfigurationFile(path, { ...settings, environment }))
  const fault =
    Option.isSome(read) && Result.isSuccess(read.value) ? volatileFault(settings, read.value.success.file) : undefined
  return fault === undefined
    ? warning("database", "the database is in memory: its data is lost when the server stops")
    : wrong("database", fault)
})

const inspectFile = Effect.fnUntraced(function* (database: Extract<Database, { readonly _tag: "SqliteFile" }>) {
  const path = (yield* Path.Path).resolve(database.path)
  if (yield* isAbsentOrEmpty(database.path)) {
    return unusable(
      warning(
        "database",
        `no database at ${path}: the server creates it at first startup. If one should exist, correct ` +
          "POINTSMAN_DATABASE_URL (--database-url)"
      )
    )
  }
  const SqliteStorage = yield* Effect.promise(() => import("@pointsman/storage-sqlite"))
  const found = yield* Effect.catch(SqliteStorage.inspect(database.path), ({ cause }) =>
    storageFailure(database, cause)
  )
  return found.schema === null
    ? unusable(
        wrong(
          "database",
          `${path} is not a Pointsman database: set POINTSMAN_DATABASE_URL (--database-url) to the right file`
        )
      )
    : schemaOf(path, { ...found, schema: found.schema })
})

/** A clock that is further off than this makes leases and claims of one server end early, or late, for another. */
const clockMayDifferMillis = 2_000
/** As far as a server serves. */
const clockMustAgreeMillis = 30_000

const inspectPostgres = Effect.fnUntraced(function* (
  database: Extract<Database, { readonly _tag: "Postgres" }>,
  settings: Settings
) {
  const PostgresStorage = yield* Effect.promise(() => import("@pointsman/storage-postgres"))
  const found = yield* Effect.catch(
    PostgresStorage.inspect({ url: database.url, ...standbyOf(settings) }),
    ({ cause }) => storageFailure(database, cause)
  )
  const { isUsable, lines } =
    found.schema === null
      ? unusable(warning("database", `${database.name} has no tables yet: the server creates them at first startup`))
      : schemaOf(database.name, { ...found, schema: found.schema })
  const durability = durabilityLines(found.durability, settings.allowAsyncCommit)
  return {
    // The storage refuses to open it.
    isUsable: isUsable && durability.every(({ verdict }) => verdict !== "wrong"),
    lines: [...lines, clockLine(found.clockAheadMillis), ...durability, ...standbyLines(found.standby)]
  }
})

export const durabilityLines = (
  { faults, warnings }: { readonly faults: ReadonlyArray<string>; readonly warnings: ReadonlyArray<string> },
  allowAsyncCommit: boolean
): Lines =>
  eachOr(
    [
      ...faults.map((fault) =>
        allowAsyncCommit
          ? warning("durability", fault)
          : wrong("durability", `${fault}. Turn it on, or set POINTSMAN_ALLOW_ASYNC_COMMIT (--allow-async-commit)`)
      ),
      ...warnings.map((one) => warning("durability", one))
    ],
    ok("durability", "commits are on the database's disk before they are acknowledged")
  )

export const clockLine = (databaseAheadMillis: number): CheckLine => {
  const apart = Math.abs(databaseAheadMillis)
  if (apart <= clockMayDifferMillis) return ok("clock", `${apart} ms difference from the database clock`)
  const says = `the clock of this machine is ${apart} ms ${databaseAheadMillis > 0 ? "behind" : "ahead of"} the database clock`
  const remedy = "synchronize both with NTP"
  return apart <= clockMustAgreeMillis
    ? warning("clock", `${says}: ${remedy}`)
    : wrong("clock", `${says}: the server takes no requests. To correct it, ${remedy}`)
}

interface SchemaFound {
  readonly schema: number
  /** Of this release. */
  readonly newest: number
}

export const schemaOf = (name: string, { newest, schema }: SchemaFound): Inspected => {
  const says = `${name}, schema version ${schema}`
  if (schema === newest) return { isUsable: true, lines: [ok("database", says)] }
  return schema < newest
    ? unusable(
        warning("database", `${says} is outdated; this version needs ${newest}: start the server once to migrate`)
      )
    : unusable(
        wrong(
          "database",
          `${says} was created by a newer release; this release supports up to ${newest}: run the newer release`
        )
      )
}

const contentLines = (settings: Settings, keys: SecretsLayer.EncryptionKeys, environment: Variables) =>
  Effect.gen(function* () {
    const contents = yield* (yield* Directory).contents
    const seals = yield* Effect.result(checkSeals(contents))
    return [
      ...(Result.isFailure(seals)
        ? [wrong("encryption key", seals.failure.message)]
        : [
            ...(yield* keyLines),
            ...(yield* generationLines(settings, environment)),
            ...(yield* connectionLines(contents, settings))
          ]),
      ...directoryLines(contents, settings, yield* (yield* Pointsman).operators.list),
      yield* recordLossLine,
      yield* reviewLine(settings),
      yield* messageLine,
      ...(yield* deliveryLines(contents)),
      ...(yield* fetchLines(contents, settings, yield* Clock.currentTimeMillis))
    ] satisfies Lines
  }).pipe(
    Effect.provide(databaseLayer(settings, secretsFor(keys))),
    Effect.catchTags({
      "pointsman/StorageError": ({ cause }) => storageFailure(settings.database, cause),
      "pointsman/KeyUnavailable": ({ reason }) =>
        Effect.fail(new StartFailure({ message: `The encryption key is unavailable: ${reason}.` }))
    })
  )

/** Where no key opens what is stored, that is one line of several: nothing else is sealed or derived here. */
const secretsFor = (keys: SecretsLayer.EncryptionKeys) =>
  Layer.catchTag(secretsLayer(keys), "pointsman/server/StartFailure", () => SecretsLayer.layer(keys.current))

/** As a payment would open them, and with nowhere to send anything. An inactive one still holds payments. */
const connectionLines = Effect.fnUntraced(function* ({ connections }: DirectoryContents, settings: Settings) {
  const installed = yield* connectorsForChecking(settings)
  const openAt = yield* openPayments
  const faults = yield* Effect.gen(function* () {
    const opened = yield* OpenConnections
    return yield* Effect.forEach(
      connections,
      Effect.fnUntraced(function* (connection) {
        const connector = yield* Effect.result(opened.connector(connection))
        if (Result.isFailure(connector)) return { connection, fault: connector.failure.reason }
        if ((yield* unreadableOf(connection)) !== undefined) {
          return { connection, fault: "its webhook secret cannot be decrypted with this encryption key" }
        }
        const environmentsOf = Option.map(installed.definition(connection.connector), (one) => one.environments)
        const fault = Option.map(environmentsOf, (fitting) => environmentFault(connection, fitting))
        return { connection, fault: Option.getOrUndefined(fault) }
      })
    )
  }).pipe(Effect.provide(unsentConnections(installed, settings)))
  const active = connections.filter((connection) => connection.active).length
  return eachOr(
    faults.flatMap(({ connection: { active, environment, id, workspaceId }, fault }) => {
      if (fault === undefined) return []
      const open = active ? 0 : openAt(id)
      const says =
        `"${id}" of ${workspaceId} (${environment}${active ? "" : ", inactive"}) cannot be used: ${fault}` +
        (open === 0 ? "" : `. ${openPaymentsText(open)}`)
      return [line(active || open > 0 ? "wrong" : "warning")("connections", says)]
    }),
    ok("connections", `${active} of ${connections.length} active, all usable`)
  )
})

/** As many as are counted, and how many at a time. */
const reviewsAtMost = 1_000
const pageSize = 100

/** What ends by itself is given a day: a provider may be down for that long. */
const patienceMillis = 24 * 3_600_000

const reviewLine = Effect.fnUntraced(function* (settings: Settings) {
  const pointsman = yield* Pointsman
  const now = yield* nowOf(settings)
  const waiting: Array<Waiting> = []
  let after: { readonly since: number; readonly paymentId: string } | undefined
  do {
    const page = yield* pointsman.reviews({ after, limit: pageSize })
    for (const payment of page.items) {
      if (payment.review === null) continue
      waiting.push({ review: payment.review, needsOperator: reviewView(payment, now).needs_operator })
      after = { since: payment.review.since, paymentId: payment.id }
    }
    if (!page.hasMore) return reviewsLine(waiting, false, now)
  } while (waiting.length < reviewsAtMost)
  return reviewsLine(waiting, true, now)
})

interface Waiting {
  readonly review: Review
  readonly needsOperator: boolean
}

/** Those that wait longest first. */
export const reviewsLine = (
  waiting: ReadonlyArray<Waiting>,
  hasMore: boolean,
  { now }: Pick<Now, "now">
): CheckLine => {
  const [oldest] = waiting
  if (oldest === undefined) return ok("payments", "no payments under review")
  const age = now - oldest.review.since
  const operators = waiting.filter(({ needsOperator }) => needsOperator).length
  const many = hasMore ? `more than ${waiting.length} payments` : counted(waiting.length, "payment")
  const says = `${many} under review, the oldest for ${ageOf(oldest.review.since, now)}`
  return operators === 0 && age < patienceMillis
    ? ok("payments", `${says}; the server checks with their providers again`)
    : warning("payments", `${says}, ${operators} of them waiting for an operator: see \`pointsman unknown list\``)
}

/** A week: operators have seen older ones, or never look. */
const latelyMillis = 7 * 24 * 3_600_000

/** The outcomes of a provider's message that operators have to look at. */
const unsettledOutcomes = ["unreadable", "unmatched", "contradicts"] as const
type UnsettledOutcome = (typeof unsettledOutcomes)[number]

const messageLine = Effect.gen(function* () {
  const pointsman = yield* Pointsman
  const since = (yield* Clock.currentTimeMillis) - latelyMillis
  const counts = yield* Effect.forEach(unsettledOutcomes, (outcome) =>
    Effect.map(pointsman.messages({ outcome, limit: pageSize }), ({ items }) => ({
      outcome,
      count: items.filter(({ receivedAt }) => receivedAt >= since).length
    }))
  )
  return messagesLine(counts)
})

/** `count`: in the last 7 days, at most a page. */
export const messagesLine = (
  counts: ReadonlyArray<{ readonly outcome: UnsettledOutcome; readonly count: number }>
): CheckLine => {
  const found = counts.filter(({ count }) => count > 0)
  const [first] = found
  if (first === undefined) return ok("messages", "none unreadable, unmatched or contradicting in the last 7 days")
  const many = found.map(({ count, outcome }) => `${count}${count < pageSize ? "" : " or more"} ${outcome}`)
  const see = `see \`pointsman messages list --outcome ${first.outcome}\``
  return warning("messages", `${many.join(", ")} in the last 7 days: ${see}`)
}

const deliveryLines = Effect.fnUntraced(function* ({ webhookEndpoints }: DirectoryContents) {
  const deliveries = yield* Deliveries
  const since = (yield* Clock.currentTimeMillis) - latelyMillis
  const workspaces = new Set(webhookEndpoints.filter(({ active }) => active).map(({ workspaceId }) => workspaceId))
  const lines: Array<CheckLine> = []
  for (const workspaceId of workspaces) {
    for (const environment of environments) {
      const lost = yield* deliveries.list({ workspaceId, environment }, { state: "GivenUp", limit: pageSize })
      const count = lost.filter(({ createdAt }) => createdAt >= since).length
      if (count === 0) continue
      lines.push(
        warning(
          "deliveries",
          `${count}${count === pageSize ? " or more" : ""} given up in the last 7 days: see \`pointsman ` +
            `webhooks list --workspace ${workspaceId} --environment ${environment} --status given_up\``
        )
      )
    }
  }
  return eachOr(lines, ok("deliveries", "none given up in the last 7 days"))
})
