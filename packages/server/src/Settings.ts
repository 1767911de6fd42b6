/**
 * What the environment and the flags of `pointsman serve` say. Every variable has a flag of the same meaning, and the
 * flag wins. A wrong value stops the start, named by its variable and its flag and never by its content, which may be
 * a secret.
 */
import { type AfterRestore, type BareCardNumbers, SecretsLayer } from "@pointsman/core"
import { defaultWebhookScheduleMillis } from "@pointsman/core/internal"
import { Config, ConfigProvider, Effect, Option, Result } from "effect"
import { databaseVariables, distributedMistakes, sqliteMistakes, withShape } from "./DatabaseSettings.ts"
import {
  addresses,
  duration,
  durations,
  host,
  integer,
  type Kind,
  keys,
  oneOf,
  optional,
  path,
  port,
  rate,
  setting,
  share,
  toggle,
  webUrl
} from "./SettingKinds.ts"
import { StartFailure } from "./StartFailure.ts"

export const logFormats = ["text", "logfmt", "json"] as const
export type LogFormat = (typeof logFormats)[number]

export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "none"] as const
export type LogLevel = (typeof logLevels)[number]

/** More than any machine has processors for; each opens connections to the database. */
const maxWorkers = 64

const encryptionKey = { expected: SecretsLayer.encryptionKeyExpected, read: SecretsLayer.parseEncryptionKey }

/** OpenTelemetry's own rule: an empty variable is an absent one. */
const collector: Kind<string | null> = {
  ...webUrl,
  read: (text) => (text === "" ? Option.some(null) : webUrl.read(text))
}

export const variables = {
  port: setting(port, {
    variable: "PORT",
    meaning: "Port to listen on; 0 picks a free port",
    default: "3000"
  }),
  host: setting(host, {
    variable: "HOST",
    meaning: "Address to listen on",
    default: "127.0.0.1"
  }),
  adminPort: optional(port, {
    variable: "POINTSMAN_ADMIN_PORT",
    meaning:
      "Port for health, metrics and the console, which are then not served on PORT; 0 picks a free port. Without it, " +
      "metrics and the details of readiness are served on PORT to programs on this machine"
  }),
  adminHost: setting(host, {
    variable: "POINTSMAN_ADMIN_HOST",
    meaning: "Address to listen on for health, metrics and the console, with POINTSMAN_ADMIN_PORT",
    default: "127.0.0.1"
  }),
  baseUrl: setting(webUrl, {
    variable: "POINTSMAN_BASE_URL",
    meaning: "Public URL of this server, used in hosted pages and documents",
    default: "from the address",
    absent: null
  }),
  tlsCertificate: optional(path("PEM"), {
    variable: "POINTSMAN_TLS_CERTIFICATE",
    meaning: "Path of the PEM certificate chain of PORT, which then serves HTTPS; read again when it changes"
  }),
  tlsKey: optional(path("PEM"), {
    variable: "POINTSMAN_TLS_KEY",
    meaning: "Path of the PEM private key of the certificate, readable by its owner only"
  }),
  ...databaseVariables,
  configuration: optional(path("JSON"), {
    variable: "POINTSMAN_CONFIG",
    meaning: "Path of the configuration file (JSON), applied at every startup"
  }),
  encryptionKey: setting(encryptionKey, {
    variable: "POINTSMAN_ENCRYPTION_KEY",
    meaning: "Encrypts credentials and secrets at rest; prefer the variable: other users of the machine can see flags",
    default: "created beside the database file; required with postgres://",
    absent: null
  }),
  previousEncryptionKeys: setting(keys, {
    variable: "POINTSMAN_ENCRYPTION_KEY_PREVIOUS",
    meaning: "Other keys that open what they sealed, while `pointsman keys rotate-encryption` replaces them",
    default: "none",
    absent: []
  }),
  claimWindowMillis: setting(duration, {
    variable: "POINTSMAN_CLAIM_WINDOW",
    meaning: "How long an unanswered claim counts as fresh",
    default: "15 minutes"
  }),
  providerTimeoutMillis: setting(duration, {
    variable: "POINTSMAN_PROVIDER_TIMEOUT",
    meaning: "Timeout of a provider call if the connection sets none; must be shorter than the claim window",
    default: "30 seconds"
  }),
  unknownCheckIntervalMillis: setting(duration, {
    variable: "POINTSMAN_UNKNOWN_CHECK_INTERVAL",
    meaning: "Interval between provider checks of UNKNOWN payments",
    default: "30 minutes"
  }),
  pendingCheckIntervalMillis: setting(duration, {
    variable: "POINTSMAN_PENDING_CHECK_INTERVAL",
    meaning: "Interval between provider lookups of PENDING payments",
    default: "1 hour"
  }),
  refundCheckIntervalMillis: setting(duration, {
    variable: "POINTSMAN_REFUND_CHECK_INTERVAL",
    meaning: "Interval between provider checks of accepted refunds",
    default: "1 day"
  }),
  deadRequestIntervalMillis: setting(duration, {
    variable: "POINTSMAN_DEAD_REQUEST_INTERVAL",
    meaning: "Interval between searches for requests that died during a provider call",
    default: "1 day"
  }),
  webhookScheduleMillis: setting(durations, {
    variable: "POINTSMAN_WEBHOOK_SCHEDULE",
    meaning: "Delays before the delivery attempts of a webhook, separated by commas, each with 10% jitter",
    default: "0 seconds, 5 seconds, 5 minutes, 30 minutes, 2 hours, 5 hours, 10 hours, 10 hours",
    absent: defaultWebhookScheduleMillis
  }),
  rateLimit: setting(rate("requests per second"), {
    variable: "POINTSMAN_RATE_LIMIT",
    meaning: "Requests per second per API key, with a burst of twice as many; off disables the limit",
    default: "100"
  }),
  inboundRateLimit: setting(rate("messages per second"), {
    variable: "POINTSMAN_INBOUND_RATE_LIMIT",
    meaning:
      "Verified provider messages per second per connection, with a burst of twice as many; off disables the limit",
    default: "1000"
  }),
  lookUpsPerConnection: setting(share, {
    variable: "POINTSMAN_LOOKUPS_PER_CONNECTION",
    meaning: "Payments of one connection that a process checks at once, each waiting for its provider",
    default: "16"
  }),
  messagesPerConnection: setting(share, {
    variable: "POINTSMAN_MESSAGES_PER_CONNECTION",
    meaning: "Provider messages of one connection that a process records at once; further ones wait",
    default: "16"
  }),
  deliveriesPerEndpoint: setting(share, {
    variable: "POINTSMAN_DELIVERIES_PER_ENDPOINT",
    meaning: "Webhooks in delivery to one endpoint at once, from all processes",
    default: "4"
  }),
  proofLookUpsPerDay: setting(rate("lookups"), {
    variable: "POINTSMAN_PROOF_LOOKUPS_PER_DAY",
    meaning:
      "Closed payments of one connection that are compared with the provider's record in a day, by all processes; off " +
      "compares none",
    default: "24"
  }),
  sharedLimits: toggle({
    variable: "POINTSMAN_SHARED_LIMITS",
    meaning: "true shares rate limits and open circuits between all server processes on one PostgreSQL database"
  }),
  batchCommits: toggle({
    variable: "POINTSMAN_BATCH_COMMITS",
    meaning: "false writes each commit to PostgreSQL by its own statement, also when many are in flight",
    default: "true"
  }),
  allowAsyncCommit: toggle({
    variable: "POINTSMAN_ALLOW_ASYNC_COMMIT",
    meaning: "true accepts a PostgreSQL database whose crash loses acknowledged payments, such as one with fsync=off"
  }),
  allowVolatileStorage: toggle({
    variable: "POINTSMAN_ALLOW_VOLATILE_STORAGE",
    meaning: "true accepts production connections over sqlite::memory:, whose payments are lost when the server stops"
  }),
  cardNumbers: setting(oneOf<BareCardNumbers>("warn", "refuse"), {
    variable: "POINTSMAN_CARD_NUMBERS",
    meaning: "Digits in a payment's texts that may be a card number or an order number: warn once an hour, or refuse",
    default: "warn"
  }),
  afterRestore: setting(oneOf<AfterRestore>("refuse", "serve"), {
    variable: "POINTSMAN_AFTER_RESTORE",
    meaning:
      "After the database lost records: refuse or serve requests of workspaces with connections that are not recovered",
    default: "refuse"
  }),
  allowPrivateWebhooks: toggle({
    variable: "POINTSMAN_ALLOW_PRIVATE_WEBHOOKS",
    meaning: "true allows webhooks to loopback and private addresses"
  }),
  keepAliveMillis: setting(duration, {
    variable: "POINTSMAN_KEEP_ALIVE",
    meaning: "How long an idle client connection is kept; longer than the load balancer in front keeps it",
    default: "75 seconds"
  }),
  trustedProxies: setting(addresses, {
    variable: "POINTSMAN_TRUSTED_PROXIES",
    meaning: "Proxies whose X-Forwarded-For names the source of a request, for limits by source",
    default: "none",
    absent: []
  }),
  requestTimeoutMillis: setting(duration, {
    variable: "POINTSMAN_REQUEST_TIMEOUT",
    meaning: "How long a request may take to arrive, headers and body",
    default: "15 seconds"
  }),
  workers: setting(integer(1, maxWorkers), {
    variable: "POINTSMAN_WORKERS",
    meaning: "Server processes that share the port; more than 1 requires PostgreSQL",
    default: "1"
  }),
  logFormat: setting(oneOf(...logFormats), {
    variable: "POINTSMAN_LOG_FORMAT",
    meaning: "Log format on standard error: logfmt or json, one line per entry, or text for a person",
    default: "text on a terminal, otherwise logfmt",
    absent: process.stderr.isTTY ? ("text" as const) : ("logfmt" as const)
  }),
  logLevel: setting(oneOf(...logLevels), {
    variable: "POINTSMAN_LOG_LEVEL",
    flag: "minimum-log-level",
    meaning: "Lowest level that is logged",
    default: "info"
  }),
  accessLog: toggle({
    variable: "POINTSMAN_ACCESS_LOG",
    meaning: "true logs every request, with its route, status and duration"
  }),
  otlpEndpoint: setting(collector, {
    variable: "OTEL_EXPORTER_OTLP_ENDPOINT",
    flag: "otlp-endpoint",
    meaning: "URL of the OTLP collector that receives traces, metrics and logs",
    default: "off",
    absent: null
  })
} as const

export type SettingName = keyof typeof variables
export const settingNames = Object.keys(variables) as ReadonlyArray<SettingName>
export type Settings = { readonly [Name in SettingName]: (typeof variables)[Name]["absent"] }
export type Flags = { readonly [Name in SettingName]?: string | undefined }

/** "PORT (--port)" */
export const settingName = (name: SettingName): string => `${variables[name].variable} (--${variables[name].flag})`

/** Reads all of them, from the flags and then from the environment, and tells every wrong one at once. */
export const readSettings = Effect.fnUntraced(function* (flags: Flags) {
  const given = yield* Effect.forEach(Object.entries(variables), ([name, definition]) =>
    Config.option(Config.String(definition.variable)).pipe(
      Effect.map((text) => [name as SettingName, Option.getOrUndefined(text)] as const)
    )
  ).pipe(Effect.orDie)

  const values: Record<string, unknown> = {}
  const mistakes: Array<string> = []
  for (const [name, fromEnvironment] of given) {
    const text = flags[name] ?? fromEnvironment
    const value = text === undefined ? Result.succeed(variables[name].absent) : variables[name].read(text)
    if (Result.isSuccess(value)) values[name] = value.success
    else mistakes.push(`${settingName(name)}: expected ${value.failure}`)
  }
  const settings = values as Settings
  if (mistakes.length === 0 && settings.providerTimeoutMillis >= settings.claimWindowMillis) {
    mistakes.push(
      `${settingName("providerTimeoutMillis")}: expected less than ${settingName("claimWindowMillis")}, or a claim ` +
        "would expire during its provider call"
    )
  }
  if (mistakes.length === 0 && (settings.tlsCertificate === null) !== (settings.tlsKey === null)) {
    const [missing, given] =
      settings.tlsKey === null ? (["tlsKey", "tlsCertificate"] as const) : (["tlsCertificate", "tlsKey"] as const)
    mistakes.push(`${settingName(missing)}: expected the path of a PEM file, because ${settingName(given)} is set`)
  }
  if (mistakes.length === 0 && settings.database._tag !== "Postgres") {
    mistakes.push(...sqliteMistakes(settings, settingName))
  }
  if (mistakes.length === 0) mistakes.push(...distributedMistakes(settings, settingName))
  if (mistakes.length === 0) return withShape(settings)
  return yield* new StartFailure({ message: ["The settings are invalid:", ...mistakes].join("\n  ") })
})

/** The environment unchanged: an empty variable is a wrong value, not an absent one. */
export const environmentProvider = (environment: Readonly<Record<string, string | undefined>>) =>
  ConfigProvider.fromEnvRecord({ ...environment }, { preserveEmptyStrings: true })
