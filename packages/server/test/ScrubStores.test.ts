/**
 * Secrets and card numbers in what is stored and sent: forty secrets are planted in a configuration, in what clients,
 * providers and receivers send, and in what commands make. The bytes of the database and of a backup, the audit trail, the
 * message store, the bodies of webhooks and the telemetry, compressed as it is sent, are searched for them.
 *
 * The same word is planted where it may be, so that a sink that is empty or not searched fails the test.
 */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { formatApiKey } from "@pointsman/core"
import { assert, describe, it, vi } from "vitest"
import { startCollector } from "./support/Collector.ts"
import { runHere } from "./support/CommandInProcess.ts"
import { documentOf } from "./support/CommandProcess.ts"
import { type EchoingProvider, startEchoingProvider } from "./support/EchoingProvider.ts"
import { startEchoingReceiver } from "./support/EchoingReceiver.ts"
import { sendJson, serveHttp } from "./support/HttpHere.ts"
import { isLong } from "./support/LongRuns.ts"
import { sendSigned } from "./support/Pay.ts"
import { cardForms, cardNumbers, type Leak, leaksIn, leaksInBytes, type Planted } from "./support/Planted.ts"
import { environmentOn, newDatabase, postgresMissing, query } from "./support/PostgresServer.ts"
import { startServerHere } from "./support/ServerHere.ts"
import { jsonRequestsTo, temporaryFolder } from "./support/ServerProcess.ts"
import { newCertificate, writeTlsFiles } from "./support/TlsFiles.ts"

/** The same at every run, and with characters that URLs and Base64 write otherwise. */
const secretOf = (name: string): string => `${createHash("sha256").update(name).digest("base64").slice(0, 30)}+/`
const keyOf = (environment: "production" | "sandbox", byte: number) =>
  formatApiKey(environment, new Uint8Array(64).fill(byte))
const encryptionKeyOf = (text: string) => Buffer.alloc(32, text)

const named = Object.fromEntries(
  [
    ...["provider's key", "provider's webhook secret", "provider's key of another workspace"],
    ...["provider's webhook secret of another workspace", "merchant's webhook secret", "merchant's secret before"],
    ...[
      "merchant's webhook secret of another workspace",
      "collector's key",
      "instrument token",
      "password of a client"
    ],
    ...["key in a query", "header of a client", "cookie of a client", "session of the provider's page"],
    ...["client secret of a charge", "cookie of the provider", "client secret of a message", "address of a message"],
    ...["secret of an unreadable message", "secret of a receiver", "signature of a client"]
  ].map((name) => [name, secretOf(name)])
)
const stripeKey = "sk_live_PLANTEDx8Kq2Wm5Tz9Rb4Nc7"
const keys = {
  live: keyOf("production", 101),
  reader: keyOf("production", 102),
  expired: keyOf("production", 103),
  elsewhere: keyOf("production", 104),
  sandbox: keyOf("sandbox", 105),
  other: keyOf("production", 106),
  wrong: keyOf("production", 107)
}
const current = encryptionKeyOf("PLANTED-current-key!")
const previous = encryptionKeyOf("PLANTED-earlier-key!")

const planted: Planted = {
  ...named,
  "Stripe's key": stripeKey.slice(8),
  "Stripe's webhook secret": "whsec_PLANTEDh7Vd3Gs6Lf1Jp8",
  "Stripe's instrument token": "pm_PLANTEDc4Xz9Qw2Er7Ty5",
  "Adyen's key": "AQEPLANTED+Jk8Hn3Bv6Mx1/Zp",
  "Adyen's HMAC key": createHash("sha256").update("Adyen").digest("hex").toUpperCase(),
  ...Object.fromEntries(Object.entries(keys).map(([name, key]) => [`${name} API key`, key.slice(8)])),
  "encryption key": current.toString("base64"),
  "encryption key's bytes": current.toString("latin1"),
  "previous encryption key": previous.toString("base64"),
  "previous encryption key's bytes": previous.toString("latin1")
}
const secret = (name: string): string => planted[name] ?? assert.fail(`no secret ${name}`)

/** May be everywhere. */
const marker = "MARKER-of-the-shop-5Tz9"

/** A provider that refuses, and shows all that it was sent. */
const startRefusing = async () => {
  const { url } = await serveHttp((request, response, bytes) => {
    const body = String(bytes)
    const message = `${JSON.stringify(request.headers)} ${body} ${decodeURIComponent(body.replaceAll("+", " "))}`
    const error = { type: "invalid_request_error", code: "bad", message }
    sendJson(response, 422, { status: 422, errorCode: "bad", message, error }, { "x-echo": body })
  })
  return url
}

const production = { environment: "production", timeout: "2 seconds" }

const configurationOf = (provider: string, refusing: string, receiver: string) => ({
  workspaces: [
    {
      id: "acme",
      name: marker,
      country: "NL",
      partner: { allowance: 3 },
      keys: [
        { environment: "production", secret: keys.live },
        { environment: "production", secret: keys.reader, scopes: ["payments:read", "events:read"] },
        { environment: "production", secret: keys.expired, expires: "2026-01-01" },
        { environment: "production", secret: keys.elsewhere, networks: ["203.0.113.0/24"] },
        { environment: "sandbox", secret: keys.sandbox }
      ],
      connections: [
        {
          ...{ ...production, id: "main", connector: "http", webhookSecret: secret("provider's webhook secret") },
          credentials: { baseUrl: provider, apiKey: secret("provider's key") },
          circuitBreaker: { failures: 100, open: "1 second" }
        },
        {
          ...{ ...production, id: "stripe", connector: "stripe", webhookSecret: secret("Stripe's webhook secret") },
          credentials: { baseUrl: refusing, secretKey: stripeKey }
        },
        {
          ...{ ...production, id: "adyen", connector: "adyen", webhookSecret: secret("Adyen's HMAC key") },
          credentials: {
            ...{ baseUrl: refusing, apiKey: secret("Adyen's key"), merchantAccount: "ShopNL" },
            liveUrlPrefix: "1797a841fbb37ca7-Shop"
          }
        },
        { id: "play", environment: "sandbox", connector: "sandbox" }
      ],
      routing: { production: { mode: "failover", order: ["main", "stripe", "adyen"], maxAttempts: 3 } },
      webhooks: [
        {
          ...{ environment: "production", url: receiver, secret: secret("merchant's webhook secret") },
          previousSecret: secret("merchant's secret before")
        }
      ]
    },
    {
      id: "globex",
      name: "Globex",
      country: "NL",
      keys: [{ environment: "production", secret: keys.other }],
      connections: [
        {
          ...{ ...production, id: "globex", connector: "http" },
          webhookSecret: secret("provider's webhook secret of another workspace"),
          credentials: { baseUrl: provider, apiKey: secret("provider's key of another workspace") }
        }
      ],
      webhooks: [
        {
          ...{ environment: "production", url: receiver },
          secret: secret("merchant's webhook secret of another workspace")
        }
      ]
    }
  ]
})

/** A message that no connector could read is sealed whole, and this command is what opens it for an operator. */
const unreadableShown = "an unreadable message, shown"

type Sinks = Map<string, Array<Uint8Array | string>>

const leaksOf = (sinks: Sinks, secrets: Planted) =>
  [...sinks].flatMap(([where, told]) =>
    told.flatMap((one) =>
      (typeof one === "string" ? leaksIn(one, secrets) : leaksInBytes(one, secrets)).map(
        (leak): Leak & { where: string } => ({ where, ...leak })
      )
    )
  )

const payment = { amount: 1999, currency: "EUR", country: "NL" }

/** A server on the database with everything planted, and where everything that it tells goes. */
const open = async (database: Readonly<Record<string, string>>, more: Readonly<Record<string, string>> = {}) => {
  const sinks: Sinks = new Map()
  const tell = (where: string, text: Uint8Array | string) => sinks.set(where, [...(sinks.get(where) ?? []), text])
  const collector = await startCollector()
  const own = {
    checkout: secret("session of the provider's page"),
    charge: secret("client secret of a charge"),
    cookie: secret("cookie of the provider")
  }
  const provider = await startEchoingProvider(own)
  const receiver = await startEchoingReceiver(secret("secret of a receiver"))
  const folder = temporaryFolder()
  const configuration = configurationOf(provider.url, await startRefusing(), receiver.url)
  const environment = {
    ...{ PORT: "0", POINTSMAN_CONFIG: "pointsman.json", ...database },
    POINTSMAN_ENCRYPTION_KEY: secret("encryption key"),
    POINTSMAN_ENCRYPTION_KEY_PREVIOUS: secret("previous encryption key"),
    POINTSMAN_ALLOW_PRIVATE_WEBHOOKS: "true",
    POINTSMAN_UNKNOWN_CHECK_INTERVAL: "1 second",
    POINTSMAN_ACCESS_LOG: "true",
    POINTSMAN_LOG_LEVEL: "trace",
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
    OTEL_EXPORTER_OTLP_HEADERS: `x-collector-key=${encodeURIComponent(secret("collector's key"))}`,
    ...more
  }
  const server = await startServerHere({ folder, configuration, environment })
  const { url } = server
  return {
    ...{ sinks, tell, collector, provider, receiver, folder, environment, server, url },
    request: jsonRequestsTo(url, keys.live),
    ask: async (...of: Parameters<ReturnType<typeof jsonRequestsTo>>) => {
      const answer = await jsonRequestsTo(url, keys.live)(...of)
      tell("API", JSON.stringify([...answer.headers, answer.body]))
      return answer
    },
    run: async (where: string, ...words: ReadonlyArray<string>) => {
      const end = await runHere(folder, words, environment)
      tell(where, end.stdout + end.stderr)
      return end
    },
    /** After the end of the server. */
    tellOutputs: () => {
      tell("log", server.stderr().replaceAll(/invitation_token=\S+/gu, ""))
      tell("standard output", server.stdout())
      for (const { bytes, path } of collector.requests) tell(`OTLP ${path}`, bytes)
      for (const delivery of receiver.heard) tell("webhooks", delivery)
    }
  }
}

type Server = Awaited<ReturnType<typeof open>>

/** What clients send. Returns the payments, and what they were given that nobody else may see. */
const beClient = async ({ ask, request, tell, url }: Server) => {
  const payments: Array<string> = []
  const instruments = [
    { connection: "main", token: secret("instrument token") },
    { connection: "stripe", token: secret("Stripe's instrument token") }
  ]
  for (const kind of ["captured", "authorized", "declined", "rejected", "unauthorized", "cut", "text"]) {
    const body = { ...payment, reference: `${kind}:${marker}`, capture_method: "automatic", instruments }
    const made = await ask("POST", "/api/v1/payments", { idempotencyKey: `order-${kind}`, body })
    payments.push(made.body.data.payment_id)
    await ask("POST", `/api/v1/payments/${made.body.data.payment_id}/refunds`, {
      body: { amount: 100, reason: marker }
    })
  }
  for (const key of Object.values(keys)) await ask("GET", "/api/v1/payments", { key })
  const hosted = await request("POST", "/api/v1/payments", {
    idempotencyKey: "order-hosted",
    body: { ...payment, reference: marker, return_url: "https://shop.example/back" }
  })
  const page = new URL(hosted.body.data.next_action.url)
  const action = { "content-type": "application/x-www-form-urlencoded" }
  const pressed = await fetch(`${url}${page.pathname}`, {
    ...{ method: "POST", redirect: "manual", headers: action, body: "action=continue" }
  })
  assert.include(pressed.headers.get("location") ?? "", encodeURIComponent(secret("session of the provider's page")))
  const headers = {
    authorization: `Basic ${btoa(`client:${secret("password of a client")}`)}`,
    cookie: `session=${secret("cookie of a client")}`,
    "x-api-key": secret("header of a client"),
    "x-service-signature": `t=1,v1=${secret("signature of a client")}`
  }
  for (const path of [
    `/api/v1/payments?key=${encodeURIComponent(secret("key in a query"))}`,
    "/api/v1/psp-webhooks/main"
  ]) {
    const answer = await fetch(`${url}${path}`, { method: path.includes("psp") ? "POST" : "GET", headers })
    tell("API", `${JSON.stringify([...answer.headers])} ${await answer.text()}`)
  }
  const guest = { name: "Corner shop", email: "owner@shop.example", country: "NL" }
  const invited = await ask("POST", "/api/v1/merchants", { body: guest })
  await ask("POST", `/api/v1/merchants/${invited.body.data.id}/invitation`, { body: {} })
  return { payments, "hosted page token": page.pathname.split("/")[2] ?? "" }
}

/** Messages of the provider that hold more than is read, and one that cannot be read. */
const beProvider = async (url: string, provider: EchoingProvider) => {
  const send = async (body: string) => {
    const { status, text } = await sendSigned({ url }, "main", secret("provider's webhook secret"), body)
    assert.strictEqual(status, 200, text)
  }
  for (const [at, attempt_id] of provider.attempts.entries()) {
    const decline = { code: "05", category: "other", message: secret("provider's key"), soft: false }
    const data = {
      ...{ attempt_id, provider_reference: `ch_of_${at}`, status: "declined", decline },
      client_secret: secret("client secret of a message"),
      customer: { address: secret("address of a message") }
    }
    await send(
      JSON.stringify({ id: `msg-${at}-${marker}`, type: "charge.updated", created: new Date().toISOString(), data })
    )
  }
  await send(`{"id": "unreadable", "token": "${secret("secret of an unreadable message")}"`)
}

/** Every command that reads or writes what is stored. Returns the keys that were made. */
const beOperator = async ({ run, environment, folder }: Server, payments: ReadonlyArray<string>) => {
  const of = ["--workspace", "acme", "--environment", "production", "--by", marker]
  const make = async () => documentOf(await runHere(folder, ["keys", "create", ...of, "--json"], environment)).data
  const [kept, revoked] = [await make(), await make()]
  await run("commands", "keys", "revoke", revoked.id, "--by", marker)
  await run("commands", "keys", "rotate-encryption", "--by", marker)
  await run("commands", "config", "apply", "pointsman.json", "--by", marker)
  for (const json of [[], ["--json"]]) {
    await run("audit trail", "audit", "list", ...json)
    const list = await run("messages", "messages", "list", ...of.slice(0, 4), "--limit", "100", ...json)
    const known = new Set(list.stdout.match(/(?:msg-\d+-[\w-]+|sha256:[0-9a-f]{64})/gu))
    assert.isAbove(known.size, 2)
    for (const id of known) {
      await run(id.startsWith("sha256") ? unreadableShown : "messages", "messages", "show", "main", id, ...json)
    }
    for (const words of [["keys", "list", "--all"], ["connections", "show", "stripe"], ["doctor"]]) {
      await run("commands", ...words, ...json)
    }
    for (const id of payments) await run("commands", "payments", "show", id, ...json)
  }
  return { "created API key": kept.key.slice(8), "revoked API key": revoked.key.slice(8) }
}

interface Stored {
  readonly environment: Readonly<Record<string, string>>
  /** Everything that is stored, while the server runs. */
  readonly tellStored: (folder: string, tell: Server["tell"]) => Promise<void>
}

const sqlite = (): Stored => ({
  environment: {},
  tellStored: async (folder, tell) => {
    const file = join(folder, ".pointsman", "pointsman.db")
    for (const end of ["", "-wal", "-shm"]) tell("database", readFileSync(`${file}${end}`))
    const db = new DatabaseSync(file, { readOnly: true })
    db.exec(`VACUUM INTO '${join(folder, "backup.db")}'`)
    db.close()
    tell("backup", readFileSync(join(folder, "backup.db")))
  }
})

const postgres = (url: string): Stored => ({
  environment: environmentOn(url),
  tellStored: async (_folder, tell) => {
    const tables = await query(
      url,
      "select table_name as name from information_schema.tables where table_schema = 'public'"
    )
    for (const { name } of tables) {
      for (const { row } of await query(
        url,
        `select row_to_json(stored)::text as row from "${String(name)}" as stored`
      )) {
        for (const sink of ["database", "backup"]) tell(sink, String(row))
      }
    }
  }
})

/** The sinks, with a text that is in each: what the search finds there, it would find of a secret. */
const signs = (id: string): ReadonlyArray<readonly [where: string, sign: string]> => [
  ...["API", "audit trail", "messages", "webhooks", "database", "backup", "commands"].map(
    (where) => [where, marker] as const
  ),
  ["log", "route=/api/v1/payments"],
  ["OTLP /v1/traces", id],
  ["OTLP /v1/logs", marker],
  ["OTLP /v1/metrics", "pointsman_attempts_total"]
]

describe("what is stored and sent", { timeout: 300_000 }, () => {
  it.for(isLong ? (["SQLite", "PostgreSQL"] as const) : (["SQLite"] as const))(
    "none of forty secrets planted on %s is in stores, backup, trail or telemetry",
    async (kind, { skip }) => {
      if (kind === "PostgreSQL" && postgresMissing !== undefined) skip(postgresMissing)
      const stored = kind === "SQLite" ? sqlite() : postgres(await newDatabase())
      const world = await open(stored.environment)
      const { provider, receiver, server, sinks, tell } = world
      const { payments, ...given } = await beClient(world)
      await beProvider(world.url, provider)
      await vi.waitFor(() => assert.isAbove(receiver.heard.length, 10), { timeout: 60_000 })
      const made = await beOperator(world, payments)
      for (const path of ["/api/v1/events?limit=100", "/api/v1/payments?limit=100"]) await world.ask("GET", path)
      tell("metrics", await (await fetch(`${world.url}/metrics`)).text())
      await stored.tellStored(world.folder, tell)

      // The key of a certificate that does not fit.
      const [certificate, another] = [newCertificate(), newCertificate()]
      const files = writeTlsFiles(world.folder, { ...certificate, key: another.key })
      const end = await runHere(world.folder, ["serve"], { ...world.environment, ...files.environment })
      assert.strictEqual(end.code, 1)
      tell("commands", end.stdout + end.stderr)
      await server.stop()
      const tokens = [...server.stderr().matchAll(/invitation_token=(\S+)/gu)].map(([, token = ""], at) => [
        `invitation ${at}`,
        token
      ])
      world.tellOutputs()

      const keyLines = another.key.split("\n").filter((line) => line.length > 40)
      const secrets: Planted = {
        ...planted,
        ...given,
        ...made,
        ...Object.fromEntries(tokens),
        "TLS key": keyLines[1] ?? keyLines[0] ?? ""
      }
      const texts = Object.values(secrets)
      assert.isAtLeast(new Set(texts).size, 40)
      for (const text of texts) assert.isAtLeast(text.length, 16)
      for (const [where, sign] of signs(payments[0] ?? "")) {
        assert.isNotEmpty(leaksOf(new Map([[where, sinks.get(where) ?? []]]), { sign }), `${where} lacks ${sign}`)
      }
      const leaks = leaksOf(sinks, secrets)
      assert.deepStrictEqual(
        [...new Set(leaks.filter(({ where }) => where === unreadableShown).map((leak) => leak.secret))],
        ["secret of an unreadable message"]
      )
      assert.deepStrictEqual(
        leaks.filter(({ where }) => where !== unreadableShown),
        []
      )
    }
  )

  it("POINTSMAN_CARD_NUMBERS=refuse stores and sends none of twenty, in every field", async () => {
    // More requests than the usual limit takes at once.
    const world = await open({}, { POINTSMAN_CARD_NUMBERS: "refuse", POINTSMAN_RATE_LIMIT: "off" })
    const { ask, server, sinks, tell } = world
    const good = { ...payment, reference: `captured:${marker}` }
    const made = await ask("POST", "/api/v1/payments", { idempotencyKey: "order-captured", body: good })
    const id: string = made.body.data.payment_id
    const secrets: Record<string, string> = {}
    const returnUrl = "https://shop.example/back"
    for (const [at, card] of cardNumbers.entries()) {
      const forms = cardForms(`card number ${at}`, card)
      Object.assign(secrets, forms)
      for (const [how, text] of Object.entries(forms)) {
        const bodies: ReadonlyArray<object> = [
          { reference: text },
          { reference: `order ${text}` },
          { card_brand: text.slice(0, 20) },
          { return_url: `${returnUrl}?order=${encodeURIComponent(text)}` },
          { return_url: returnUrl, cancel_url: `${returnUrl}/${encodeURIComponent(text)}` },
          { instruments: [{ connection: "main", token: text }] }
        ]
        for (const fields of bodies) {
          const refused = await ask("POST", "/api/v1/payments", {
            idempotencyKey: "order-card",
            body: { ...payment, ...fields }
          })
          assert.strictEqual(refused.status, 422, `${how} ${Object.keys(fields).join()}`)
        }
        const refund = await ask("POST", `/api/v1/payments/${id}/refunds`, { body: { amount: 1, reason: text } })
        assert.strictEqual(refund.status, 422, `${how} reason`)
      }
    }
    await vi.waitFor(() => assert.isAbove(world.receiver.heard.length, 1), { timeout: 60_000 })
    await world.run("commands", "payments", "show", id)
    await sqlite().tellStored(world.folder, tell)
    await server.stop()
    world.tellOutputs()
    for (const where of ["API", "database", "backup", "webhooks", "commands"]) {
      assert.isNotEmpty(leaksOf(new Map([[where, sinks.get(where) ?? []]]), { marker }), where)
    }
    assert.deepStrictEqual(leaksOf(sinks, secrets), [])
  })
})
