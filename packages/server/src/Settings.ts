/**
 * What the environment and the flags of `pointsman serve` say. Every variable has a flag of the same meaning, and the
 * flag wins. A wrong value stops the start, named by its variable and its flag and never by its content, which may be
 * a secret.
 */
import { readDelay } from "@pointsman/configuration"
import type { BareCardNumbers } from "@pointsman/core"
import { type AfterRestore, SecretsLayer } from "@pointsman/core"
import { defaultWebhookScheduleMillis } from "@pointsman/core/internal"
import { Config, ConfigProvider, Effect, Option, type Redacted, Result } from "effect"
import { databaseVariables, distributedMistakes, sqliteMistakes, withShape } from "./DatabaseSettings.ts"
import {
  day,
  hostExpected,
  hour,
  interval,
  minute,
  readAddresses,
  readHost,
  readInteger,
  readKeys,
  readOneOf,
  readRate,
  readText,
  readUrl,
  second,
  share,
  toggle,
  variable
} from "./SettingKinds.ts"
import { StartFailure } from "./StartFailure.ts"

const readSchedule = (text: string): Option.Option<ReadonlyArray<number>> =>
  Option.all(text.split(",").map((delay) => readDelay(delay.trim())))

export const logFormats = ["text", "logfmt", "json"] as const
export type LogFormat = (typeof logFormats)[number]

export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "none"] as const
export type LogLevel = (typeof logLevels)[number]

/** More than any machine has processors for; each opens connections to the database. */
const maxWorkers = 64

export const variables = {
  port: variable<number>({
    variable: "PORT",
    flag: "port",
    meaning: "Port to listen on; 0 picks a free port",
    expected: "a port number from 0 to 65535",
    default: "3000",
    absent: 3000,
    read: readInteger(0, 65_535)
  }),
  host: variable<string>({
    variable: "HOST",
    flag: "host",
    meaning: "Address to listen on",
    expected: hostExpected,
    default: "127.0.0.1",
    absent: "127.0.0.1",
    read: readHost
  }),
  adminPort: variable<number | null>({
    variable: "POINTSMAN_ADMIN_PORT",
    flag: "admin-port",
    meaning:
      "Port for health, metrics and the console, which are then not served on PORT; 0 picks a free port. Without it, " +
      "metrics and the details of readiness are served on PORT to programs on this machine",
    expected: "a port number from 0 to 65535",
    default: "none",
    absent: null,
    read: readInteger(0, 65_535)
  }),
  adminHost: variable<string>({
    variable: "POINTSMAN_ADMIN_HOST",
    flag: "admin-host",
    meaning: "Address to listen on for health, metrics and the console, with POINTSMAN_ADMIN_PORT",
    expected: hostExpected,
    default: "127.0.0.1",
    absent: "127.0.0.1",
    read: readHost
  }),
  baseUrl: variable<string | null>({
    variable: "POINTSMAN_BASE_URL",
    flag: "base-url",
    meaning: "Public URL of this server, used in hosted pages and documents",
    expected: "an absolute http or https URL without user, query or fragment",
    default: "from the address",
    absent: null,
    read: readUrl
  }),
  tlsCertificate: variable<string | null>({
    variable: "POINTSMAN_TLS_CERTIFICATE",
    flag: "tls-certificate",
    meaning: "Path of the PEM certificate chain of PORT, which then serves HTTPS; read again when it changes",
    expected: "the path of a PEM file",
    default: "none",
    absent: null,
    read: readText
  }),
  tlsKey: variable<string | null>({
    variable: "POINTSMAN_TLS_KEY",
    flag: "tls-key",
    meaning: "Path of the PEM private key of the certificate, readable by its owner only",
    expected: "the path of a PEM file",
    default: "none",
    absent: null,
    read: readText
  }),
  ...databaseVariables,
  configuration: variable<string | null>({
    variable: "POINTSMAN_CONFIG",
    flag: "config",
    meaning: "Path of the configuration file (JSON), applied at every startup",
    expected: "the path of a JSON file",
    default: "none",
    absent: null,
    read: readText
  }),
  encryptionKey: variable<Redacted.Redacted<Uint8Array> | null>({
    variable: "POINTSMAN_ENCRYPTION_KEY",
    flag: "encryption-key",
    meaning: "Encrypts credentials and secrets at rest; prefer the variable: other users of the machine can see flags",
    expected: SecretsLayer.encryptionKeyExpected,
    default: "created beside the database file; required with postgres://",
    absent: null,
    read: SecretsLayer.parseEncryptionKey
  }),
  previousEncryptionKeys: variable<ReadonlyArray<Redacted.Redacted<Uint8Array>>>({
    variable: "POINTSMAN_ENCRYPTION_KEY_PREVIOUS",
    flag: "encryption-key-previous",
    meaning: "Other keys that open what they sealed, while `pointsman keys rotate-encryption` replaces them",
    expected: `comma-separated keys, each ${SecretsLayer.encryptionKeyExpected}`,
    default: "none",
    absent: [],
    read: readKeys
  }),
  claimWindowMillis: interval({
    variable: "POINTSMAN_CLAIM_WINDOW",
    flag: "claim-window",
    meaning: "How long an unanswered claim counts as fresh",
    default: "15 minutes",
    absent: 15 * minute
  }),
  providerTimeoutMillis: interval({
    variable: "POINTSMAN_PROVIDER_TIMEOUT",
    flag: "provider-timeout",
    meaning: "Timeout of a provider call if the connection sets none; must be shorter than the claim window",
    default: "30 seconds",
    absent: 30 * second
  }),
  unknownCheckIntervalMillis: interval({
    variable: "POINTSMAN_UNKNOWN_CHECK_INTERVAL",
    flag: "unknown-check-interval",
    meaning: "Interval between provider checks of UNKNOWN payments",
    default: "30 minutes",
    absent: 30 * minute
  }),
  pendingCheckIntervalMillis: interval({
    variable: "POINTSMAN_PENDING_CHECK_INTERVAL",
    flag: "pending-check-interval",
    meaning: "Interval between provider lookups of PENDING payments",
    default: "1 hour",
    absent: hour
  }),
  refundCheckIntervalMillis: interval({
    variable: "POINTSMAN_REFUND_CHECK_INTERVAL",
    flag: "refund-check-interval",
    meaning: "Interval between provider checks of accepted refunds",
    default: "1 day",
    absent: day
  }),
  deadRequestIntervalMillis: interval({
    variable: "POINTSMAN_DEAD_REQUEST_INTERVAL",
    flag: "dead-request-interval",
    meaning: "Interval between searches for requests that died during a provider call",
    default: "1 day",
    absent: day
  }),
  webhookScheduleMillis: variable<ReadonlyArray<number>>({
    variable: "POINTSMAN_WEBHOOK_SCHEDULE",
    flag: "webhook-schedule",
    meaning: "Delays before the delivery attempts of a webhook, separated by commas, each with 10% jitter",
    expected: 'comma-separated durations, such as "0 seconds, 5 seconds, 5 minutes"',
    default: "0 seconds, 5 seconds, 5 minutes, 30 minutes, 2 hours, 5 hours, 10 hours, 10 hours",
    absent: defaultWebhookScheduleMillis,
    read: readSchedule
  }),
  rateLimit: variable<number | null>({
    variable: "POINTSMAN_RATE_LIMIT",
    flag: "rate-limit",
    meaning: "Requests per second per API key, with a burst of twice as many; off disables the limit",
    expected: "a whole number of requests per second from 1 to 1000000, or `off`",
    default: "100",
    absent: 100,
    read: readRate
  }),
  inboundRateLimit: variable<number | null>({
    variable: "POINTSMAN_INBOUND_RATE_LIMIT",
    flag: "inbound-rate-limit",
    meaning:
      "Verified provider messages per second per connection, with a burst of twice as many; off disables the limit",
    expected: "a whole number of messages per second from 1 to 1000000, or `off`",
    default: "1000",
    absent: 1000,
    read: readRate
  }),
  lookUpsPerConnection: share({
    variable: "POINTSMAN_LOOKUPS_PER_CONNECTION",
    flag: "lookups-per-connection",
    meaning: "Payments of one connection that a process checks at once, each waiting for its provider",
    absent: 16
  }),
  messagesPerConnection: share({
    variable: "POINTSMAN_MESSAGES_PER_CONNECTION",
    flag: "messages-per-connection",
    meaning: "Provider messages of one connection that a process records at once; further ones wait",
    absent: 16
  }),
  deliveriesPerEndpoint: share({
    variable: "POINTSMAN_DELIVERIES_PER_ENDPOINT",
    flag: "deliveries-per-endpoint",
    meaning: "Webhooks in delivery to one endpoint at once, from all processes",
    absent: 4
  }),
  proofLookUpsPerDay: variable<number | null>({
    variable: "POINTSMAN_PROOF_LOOKUPS_PER_DAY",
    flag: "proof-lookups-per-day",
    meaning:
      "Closed payments of one connection that are compared with the provider's record in a day, by all processes; off " +
      "compares none",
    expected: "a whole number of lookups from 1 to 1000000, or `off`",
    default: "24",
    absent: 24,
    read: readRate
  }),
  sharedLimits: toggle({
    variable: "POINTSMAN_SHARED_LIMITS",
    flag: "shared-limits",
    meaning: "true shares rate limits and open circuits between all server processes on one PostgreSQL database"
  }),
  batchCommits: toggle({
    variable: "POINTSMAN_BATCH_COMMITS",
    flag: "batch-commits",
    meaning: "false writes each commit to PostgreSQL by its own statement, also when many are in flight",
    absent: true
  }),
  allowAsyncCommit: toggle({
    variable: "POINTSMAN_ALLOW_ASYNC_COMMIT",
    flag: "allow-async-commit",
    meaning: "true accepts a PostgreSQL database whose crash loses acknowledged payments, such as one with fsync=off"
  }),
  allowVolatileStorage: toggle({
    variable: "POINTSMAN_ALLOW_VOLATILE_STORAGE",
    flag: "allow-volatile-storage",
    meaning: "true accepts production connections over sqlite::memory:, whose payments are lost when the server stops"
  }),
  cardNumbers: variable<BareCardNumbers>({
    variable: "POINTSMAN_CARD_NUMBERS",
    flag: "card-numbers",
    meaning: "Digits in a payment's texts that may be a card number or an order number: warn once an hour, or refuse",
    expected: "`warn` or `refuse`",
    default: "warn",
    absent: "warn",
    read: readOneOf(["warn", "refuse"])
  }),
  afterRestore: variable<AfterRestore>({
    variable: "POINTSMAN_AFTER_RESTORE",
    flag: "after-restore",
    meaning:
      "After the database lost records: refuse or serve requests of workspaces with connections that are not recovered",
    expected: "`refuse` or `serve`",
    default: "refuse",
    absent: "refuse",
    read: readOneOf(["refuse", "serve"])
  }),
  allowPrivateWebhooks: toggle({
    variable: "POINTSMAN_ALLOW_PRIVATE_WEBHOOKS",
    flag: "allow-private-webhooks",
    meaning: "true allows webhooks to loopback and private addresses"
  }),
  keepAliveMillis: interval({
    variable: "POINTSMAN_KEEP_ALIVE",
    flag: "keep-alive",
    meaning: "How long an idle client connection is kept; longer than the load balancer in front keeps it",
    default: "75 seconds",
    absent: 75 * second
  }),
  trustedProxies: variable<ReadonlyArray<string>>({
    variable: "POINTSMAN_TRUSTED_PROXIES",
    flag: "trusted-proxies",
    meaning: "Proxies whose X-Forwarded-For names the source of a request, for limits by source",
    expected: "comma-separated IP addresses and CIDR ranges, such as `10.0.0.0/8, 2001:db8::/32`",
    default: "none",
    absent: [],
    read: readAddresses
  }),
  requestTimeoutMillis: interval({
    variable: "POINTSMAN_REQUEST_TIMEOUT",
    flag: "request-timeout",
    meaning: "How long a request may take to arrive, headers and body",
    default: "15 seconds",
    absent: 15 * second
  }),
  workers: variable<number>({
    variable: "POINTSMAN_WORKERS",
    flag: "workers",
    meaning: "Server processes that share the port; more than 1 requires PostgreSQL",
    expected: `a whole number from 1 to ${maxWorkers}`,
    default: "1",
    absent: 1,
    read: readInteger(1, maxWorkers)
  }),
  logFormat: variable<LogFormat>({
    variable: "POINTSMAN_LOG_FORMAT",
    flag: "log-format",
    meaning: "Log format on standard error: logfmt or json, one line per entry, or text for a person",
    expected: "`text`, `logfmt` or `json`",
    default: "text on a terminal, otherwise logfmt",
    absent: process.stderr.isTTY ? "text" : "logfmt",
    read: readOneOf(logFormats)
  }),
  logLevel: variable<LogLevel>({
    variable: "POINTSMAN_LOG_LEVEL",
    flag: "minimum-log-level",
    meaning: "Lowest level that is logged",
    expected: "`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `none`",
    default: "info",
    absent: "info",
    read: readOneOf(logLevels)
  }),
  accessLog: toggle({
    variable: "POINTSMAN_ACCESS_LOG",
    flag: "access-log",
    meaning: "true logs every request, with its route, status and duration"
  }),
  otlpEndpoint: variable<string | null>({
    variable: "OTEL_EXPORTER_OTLP_ENDPOINT",
    flag: "otlp-endpoint",
    meaning: "URL of the OTLP collector that receives traces, metrics and logs",
    expected: "an absolute http or https URL without user, query or fragment",
    default: "off",
    absent: null,
    // OpenTelemetry's own rule: an empty variable is an absent one.
    read: (text): Option.Option<string | null> => (text === "" ? Option.some(null) : readUrl(text))
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
