import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Redacted } from "effect"
import { itRuns } from "../../core/test/support/ItIn.ts"
import { environmentProvider, type Flags, readSettings, variables } from "../src/Settings.ts"
import { encryptionKeyOf } from "./support/EncryptionKeys.ts"

const key = encryptionKeyOf("settings")

const read = (environment: Record<string, string>, flags: Flags = {}) =>
  readSettings(flags).pipe(Effect.provideService(ConfigProvider.ConfigProvider, environmentProvider(environment)))

describe("Settings", () => {
  itRuns("settings read without variables are the defaults of the documentation", function* () {
    assert.deepStrictEqual(yield* read({}), {
      port: 3000,
      host: "127.0.0.1",
      baseUrl: null,
      tlsCertificate: null,
      tlsKey: null,
      database: { _tag: "SqliteFile", path: ".pointsman/pointsman.db" },
      databaseDistributed: null,
      databaseConnections: 12,
      readDatabase: null,
      readLagMillis: 30_000,
      configuration: null,
      encryptionKey: null,
      previousEncryptionKeys: [],
      claimWindowMillis: 900_000,
      providerTimeoutMillis: 30_000,
      unknownCheckIntervalMillis: 1_800_000,
      pendingCheckIntervalMillis: 3_600_000,
      refundCheckIntervalMillis: 86_400_000,
      deadRequestIntervalMillis: 86_400_000,
      webhookScheduleMillis: [0, 5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 36_000_000],
      rateLimit: 100,
      inboundRateLimit: 1000,
      lookUpsPerConnection: 16,
      messagesPerConnection: 16,
      deliveriesPerEndpoint: 4,
      proofLookUpsPerDay: 24,
      sharedLimits: false,
      batchCommits: true,
      allowAsyncCommit: false,
      allowVolatileStorage: false,
      afterRestore: "refuse",
      cardNumbers: "warn",
      keepAliveMillis: 75_000,
      requestTimeoutMillis: 15_000,
      trustedProxies: [],
      adminPort: null,
      adminHost: "127.0.0.1",
      allowPrivateWebhooks: false,
      workers: 1,
      logFormat: "logfmt",
      logLevel: "info",
      accessLog: false,
      otlpEndpoint: null
    })
  })

  itRuns("the default of every variable in words is what an absent one means", function* () {
    const named = ["database", "claimWindowMillis", "providerTimeoutMillis", "webhookScheduleMillis"] as const
    const shares = ["lookUpsPerConnection", "messagesPerConnection", "deliveriesPerEndpoint"] as const
    const counted = [...shares, "port", "rateLimit", "inboundRateLimit", "workers", "databaseConnections"] as const
    for (const name of [...named, ...counted, "host", "deadRequestIntervalMillis"] as const) {
      const settings = yield* read({ [variables[name].variable]: variables[name].default })
      assert.deepStrictEqual(settings[name], variables[name].absent, name)
    }
  })

  itRuns("flags win over variables", function* () {
    const environment = {
      PORT: "4000",
      HOST: "::1",
      POINTSMAN_BASE_URL: "https://pay.example.com/x/",
      POINTSMAN_DATABASE_URL: "sqlite:///var/lib/pointsman.db",
      POINTSMAN_CLAIM_WINDOW: "1 minute",
      POINTSMAN_PROVIDER_TIMEOUT: "1500 millis",
      POINTSMAN_ENCRYPTION_KEY: key,
      POINTSMAN_RATE_LIMIT: "off",
      POINTSMAN_INBOUND_RATE_LIMIT: "off",
      POINTSMAN_LOOKUPS_PER_CONNECTION: "3",
      POINTSMAN_ALLOW_PRIVATE_WEBHOOKS: "true",
      OTEL_EXPORTER_OTLP_ENDPOINT: ""
    }
    const settings = yield* read(environment, { port: "0", claimWindowMillis: "2 minutes" })
    assert.strictEqual(settings.port, 0)
    assert.strictEqual(settings.host, "::1")
    assert.strictEqual(settings.baseUrl, "https://pay.example.com/x")
    assert.deepStrictEqual(settings.database, { _tag: "SqliteFile", path: "/var/lib/pointsman.db" })
    assert.strictEqual(settings.claimWindowMillis, 120_000)
    assert.strictEqual(settings.providerTimeoutMillis, 1_500)
    assert.deepStrictEqual(
      settings.encryptionKey && Redacted.value(settings.encryptionKey),
      new Uint8Array(Buffer.from(key, "base64"))
    )
    assert.strictEqual(settings.rateLimit, null)
    assert.strictEqual(settings.inboundRateLimit, null)
    assert.strictEqual(settings.lookUpsPerConnection, 3)
    assert.strictEqual(settings.allowPrivateWebhooks, true)
    assert.strictEqual(settings.otlpEndpoint, null)
  })

  it.effect.each([
    ["PORT", "--port", "http", "a port number from 0 to 65535"],
    ["PORT", "--port", "65536", "a port number from 0 to 65535"],
    ["PORT", "--port", "-1", "a port number from 0 to 65535"],
    ["PORT", "--port", "", "a port number from 0 to 65535"],
    ["HOST", "--host", "two words", "a host name or an IP address"],
    ["POINTSMAN_BASE_URL", "--base-url", "pay.example.com", "an absolute http or https URL"],
    ["POINTSMAN_BASE_URL", "--base-url", "ftp://pay.example.com", "an absolute http or https URL"],
    ["POINTSMAN_BASE_URL", "--base-url", "https://u:visible@pay.example.com", "an absolute http or https URL"],
    ["POINTSMAN_DATABASE_URL", "--database-url", "postgres://u:visible@db", "`postgres://user:password@host:port/"],
    ["POINTSMAN_DATABASE_URL", "--database-url", "postgres:///visible", "`postgres://user:password@host:port/"],
    ["POINTSMAN_DATABASE_URL", "--database-url", "postgres:u:visible@db/x", "`postgres://user:password@host:port/"],
    ["POINTSMAN_DATABASE_URL", "--database-url", "postgresql://u:12/visible@db/x", "such as `%40` for @"],
    ["POINTSMAN_DATABASE_URL", "--database-url", "postgres://u:12/visible@db", "such as `%40` for @"],
    ["POINTSMAN_DATABASE_URL", "--database-url", "postgres://u:12?visible@db/x", "such as `%40` for @"],
    ["POINTSMAN_DATABASE_URL", "--database-url", "postgres://u:12#visible@db/x", "such as `%40` for @"],
    ["POINTSMAN_DATABASE_URL", "--database-url", "postgres://u:100%visible@db/x", "such as `%40` for @"],
    ["POINTSMAN_DATABASE_URL", "--database-url", "mysql://u:visible@db/x", "`sqlite:<path>`, `sqlite::memory:` or"],
    ["POINTSMAN_DATABASE_URL", "--database-url", "sqlite:", "`sqlite:<path>`, `sqlite::memory:` or"],
    ["POINTSMAN_DATABASE_URL", "--database-url", "sqlite://data/x.db", "`sqlite:<path>`, `sqlite::memory:` or"],
    ["POINTSMAN_DATABASE_URL", "--database-url", "", "`sqlite:<path>`, `sqlite::memory:` or"],
    ["POINTSMAN_DATABASE_CONNECTIONS", "--database-connections", "2", "a whole number from 3 to 200"],
    ["POINTSMAN_DATABASE_CONNECTIONS", "--database-connections", "201", "a whole number from 3 to 200"],
    ["POINTSMAN_DATABASE_READ_URL", "--database-read-url", "sqlite:x.db", "`postgres://user:password@host:port/"],
    ["POINTSMAN_DATABASE_READ_URL", "--database-read-url", "postgres://u:visible@db", "`postgres://user:password@"],
    ["POINTSMAN_DATABASE_READ_LAG", "--database-read-lag", "2 hours", "a duration from 1 second to 1 hour"],
    ["POINTSMAN_DATABASE_READ_LAG", "--database-read-lag", "0 seconds", "a duration from 1 second to 1 hour"],
    ["POINTSMAN_CONFIG", "--config", "", "the path of a JSON file"],
    ["POINTSMAN_TLS_CERTIFICATE", "--tls-certificate", "", "the path of a PEM file"],
    ["POINTSMAN_TLS_KEY", "--tls-key", "", "the path of a PEM file"],
    ["POINTSMAN_ENCRYPTION_KEY", "--encryption-key", "visible", "base64 of 32 bytes"],
    ["POINTSMAN_ENCRYPTION_KEY", "--encryption-key", "", "base64 of 32 bytes"],
    ["POINTSMAN_CLAIM_WINDOW", "--claim-window", "15", "a duration such as"],
    ["POINTSMAN_CLAIM_WINDOW", "--claim-window", "0 seconds", "a duration such as"],
    ["POINTSMAN_CLAIM_WINDOW", "--claim-window", "Infinity", "a duration such as"],
    ["POINTSMAN_PROVIDER_TIMEOUT", "--provider-timeout", "-1 seconds", "a duration such as"],
    [
      "POINTSMAN_PROVIDER_TIMEOUT",
      "--provider-timeout",
      "15 minutes",
      "less than POINTSMAN_CLAIM_WINDOW (--claim-window)"
    ],
    ["POINTSMAN_UNKNOWN_CHECK_INTERVAL", "--unknown-check-interval", "soon", "a duration such as"],
    ["POINTSMAN_PENDING_CHECK_INTERVAL", "--pending-check-interval", "400 weeks", "a duration such as"],
    ["POINTSMAN_REFUND_CHECK_INTERVAL", "--refund-check-interval", "x", "a duration such as"],
    ["POINTSMAN_DEAD_REQUEST_INTERVAL", "--dead-request-interval", "x", "a duration such as"],
    ["POINTSMAN_WEBHOOK_SCHEDULE", "--webhook-schedule", "0 seconds,", "comma-separated durations"],
    ["POINTSMAN_RATE_LIMIT", "--rate-limit", "0", "or `off`"],
    ["POINTSMAN_RATE_LIMIT", "--rate-limit", "1.5", "or `off`"],
    ["POINTSMAN_INBOUND_RATE_LIMIT", "--inbound-rate-limit", "0", "or `off`"],
    ["POINTSMAN_LOOKUPS_PER_CONNECTION", "--lookups-per-connection", "0", "a whole number from 1 to 1000"],
    ["POINTSMAN_MESSAGES_PER_CONNECTION", "--messages-per-connection", "off", "a whole number from 1 to 1000"],
    ["POINTSMAN_DELIVERIES_PER_ENDPOINT", "--deliveries-per-endpoint", "1001", "a whole number from 1 to 1000"],
    ["POINTSMAN_ALLOW_PRIVATE_WEBHOOKS", "--allow-private-webhooks", "yes", "`true` or `false`"],
    ["POINTSMAN_WORKERS", "--workers", "0", "a whole number from 1 to 64"],
    ["POINTSMAN_WORKERS", "--workers", "65", "a whole number from 1 to 64"],
    ["POINTSMAN_WORKERS", "--workers", "2", "1 with SQLite"],
    ["POINTSMAN_SHARED_LIMITS", "--shared-limits", "1", "`true` or `false`"],
    ["POINTSMAN_SHARED_LIMITS", "--shared-limits", "true", '"false" with SQLite'],
    ["POINTSMAN_DATABASE_READ_URL", "--database-read-url", "postgres://u:visible@db/x", "no standby with SQLite"],
    ["POINTSMAN_DATABASE_DISTRIBUTED", "--database-distributed", "yes", '"citus"'],
    ["POINTSMAN_DATABASE_DISTRIBUTED", "--database-distributed", "citus", "no value with SQLite"],
    ["POINTSMAN_BATCH_COMMITS", "--batch-commits", "false", '"true" with SQLite'],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "--otlp-endpoint", "localhost:4318", "an absolute http or https URL"]
  ] as const)("%s (%s) = '%s' is refused", (row) =>
    Effect.gen(function* () {
      const [variable, flag, value, expected] = row
      const name = Object.entries(variables).find(([, definition]) => definition.variable === variable)?.[0] as string
      for (const attempt of [read({ [variable]: value }), read({}, { [name]: value })]) {
        const failure = yield* Effect.flip(attempt)
        const [title, line, ...more] = failure.message.split("\n")
        assert.strictEqual(title, "The settings are invalid:")
        assert.isTrue(line?.startsWith(`  ${variable} (${flag}): expected `), line)
        assert.include(line, expected)
        assert.deepStrictEqual(more, [])
        assert.notInclude(failure.message, "visible")
      }
    })
  )

  itRuns("a standby beside a cluster is refused, and both settings are named", function* () {
    const failure = yield* Effect.flip(
      read({
        POINTSMAN_DATABASE_URL: "postgres://u:visible@db/x",
        POINTSMAN_DATABASE_DISTRIBUTED: "citus",
        POINTSMAN_DATABASE_READ_URL: "postgres://u:visible@standby/x"
      })
    )
    assert.strictEqual(
      failure.message,
      "The settings are invalid:\n  POINTSMAN_DATABASE_READ_URL (--database-read-url): expected no standby with " +
        "POINTSMAN_DATABASE_DISTRIBUTED (--database-distributed)"
    )
  })

  itRuns("PostgreSQL has as many workers as are asked for", function* () {
    const environment = { POINTSMAN_DATABASE_URL: "postgres://u:p@db:5432/x", POINTSMAN_WORKERS: "4" }
    assert.strictEqual((yield* read(environment)).workers, 4)
  })

  it.effect.each([
    ["POINTSMAN_TLS_CERTIFICATE", "POINTSMAN_TLS_KEY (--tls-key)"],
    ["POINTSMAN_TLS_KEY", "POINTSMAN_TLS_CERTIFICATE (--tls-certificate)"]
  ] as const)("%s without %s has that named as missing", ([given, missing]) =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(read({ [given]: "visible.pem" }))
      assert.include(failure.message, `${missing}: expected the path of a PEM file`)
      assert.notInclude(failure.message, "visible")
    })
  )

  itRuns("two wrong values are both reported", function* () {
    const failure = yield* Effect.flip(read({ PORT: "x" }, { claimWindowMillis: "x" }))
    assert.include(failure.message, "PORT (--port)")
    assert.include(failure.message, "POINTSMAN_CLAIM_WINDOW (--claim-window)")
  })
})
