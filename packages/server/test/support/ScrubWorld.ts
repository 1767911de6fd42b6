/** A server with forty secrets planted in its settings and its configuration, and the sinks of all that it tells. */
import { createHash } from "node:crypto"
import { formatApiKey } from "@pointsman/core"
import { assert } from "vitest"
import { startCollector } from "./Collector.ts"
import { runHere } from "./CommandInProcess.ts"
import type { CommandEnd } from "./CommandProcess.ts"
import { startEchoingProvider, startEchoingReceiver } from "./EchoingProvider.ts"
import { sendJson, serveHttp } from "./HttpHere.ts"
import { sendSigned } from "./Pay.ts"
import { type Leak, leaksIn, leaksInBytes, type Planted } from "./Planted.ts"
import { startServerHere } from "./ServerHere.ts"
import { jsonRequestsTo, temporaryFolder } from "./ServerProcess.ts"

/** The same at every run, and with characters that URLs and Base64 write otherwise. */
const secretOf = (name: string): string => `${createHash("sha256").update(name).digest("base64").slice(0, 30)}+/`
const keyOf = (environment: "production" | "sandbox", byte: number) =>
  formatApiKey(environment, new Uint8Array(64).fill(byte))
const encryptionKeyOf = (text: string) => Buffer.alloc(32, text)

const named = Object.fromEntries(
  [
    ...["provider's key", "provider's webhook secret", "provider's key of another workspace"],
    ...["provider's secret before", "provider's webhook secret of another workspace", "merchant's webhook secret"],
    ...["merchant's secret before", "merchant's webhook secret of another workspace", "collector's key"],
    ...["instrument token", "password of a client", "key in a query", "header of a client", "cookie of a client"],
    ...["session of the provider's page", "client secret of a charge", "cookie of the provider"],
    ...["client secret of a message", "address of a message", "secret of an unreadable message"],
    ...["secret of a receiver", "signature of a client"]
  ].map((name) => [name, secretOf(name)])
)
const stripeKey = "sk_live_PLANTEDx8Kq2Wm5Tz9Rb4Nc7"
export const keys = {
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

export const planted: Planted = {
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
export const secret = (name: string): string => planted[name] ?? assert.fail(`no secret ${name}`)

/** May be everywhere. */
export const marker = "MARKER-of-the-shop-5Tz9"

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

/** What the provider is asked by (`EchoingProvider.ts`). */
export const references = "captured named authorized declined rejected unauthorized moved wrong text cut found".split(
  " "
)
/** It stays unknown. */
export const unsettled = references.indexOf("cut")

/** It has the prefix, the length and the check digit of a card. */
export const orderNumber = "4917610000000000"

const configurationOf = (provider: string, refusing: string, receiver: string) => ({
  workspaces: [
    {
      id: "acme",
      name: marker,
      country: "NL",
      partner: { allowance: 3 },
      keys: [
        { environment: "production", secret: { $env: "ACME_KEY" } },
        { environment: "production", secret: keys.reader, scopes: ["payments:read", "events:read"] },
        { environment: "production", secret: keys.expired, expires: "2026-01-01" },
        { environment: "production", secret: keys.elsewhere, networks: ["203.0.113.0/24"] },
        { environment: "sandbox", secret: keys.sandbox }
      ],
      connections: [
        {
          ...{ ...production, id: "main", connector: "http", webhookSecret: secret("provider's webhook secret") },
          previousWebhookSecret: secret("provider's secret before"),
          credentials: { baseUrl: provider, apiKey: { $env: "PROVIDER_KEY" } },
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

type Sinks = Map<string, Array<Uint8Array | string>>

export const leaksOf = (sinks: Sinks, secrets: Planted) =>
  [...sinks].flatMap(([where, told]) =>
    told.flatMap((one) =>
      (typeof one === "string" ? leaksIn(one, secrets) : leaksInBytes(one, secrets)).map(
        (leak): Leak & { where: string } => ({ where, ...leak })
      )
    )
  )

export const payment = { amount: 1999, currency: "EUR", country: "NL" }

/** A server on the database with everything planted, and where everything that it tells goes. */
export const open = async (database: Readonly<Record<string, string>>, more: Readonly<Record<string, string>> = {}) => {
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
    ...{ ACME_KEY: keys.live, PROVIDER_KEY: secret("provider's key") },
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
  const request = jsonRequestsTo(url, keys.live)
  /** A command; as a process says it, with the message of a defect (`main.ts`). */
  const run = async (where: string, ...words: ReadonlyArray<string>) => {
    const end = await runHere(folder, words, environment).catch(
      (defect: unknown): CommandEnd => ({ code: 1, stdout: "", stderr: String(defect) })
    )
    tell(where, end.stdout + end.stderr)
    return end
  }
  return {
    ...{ sinks, tell, collector, provider, receiver, folder, environment, server, url, request, run },
    ask: async (...of: Parameters<typeof request>) => {
      const answer = await request(...of)
      tell("API", JSON.stringify([...answer.headers, answer.body]))
      return answer
    },
    /** Everything that an arbitrary client may send. */
    send: async (method: string, path: string, headers: Readonly<Record<string, string>> = {}, body?: string) => {
      const sent = { method, headers, redirect: "manual" as const, ...(body === undefined ? {} : { body }) }
      const answer = await fetch(`${url}${path}`, sent)
      const text = await answer.text()
      tell("API", `${JSON.stringify([...answer.headers])} ${text}`)
      return text
    },
    /** A message of the provider. */
    signed: async (status: number, key: string, body: string) => {
      const answer = await sendSigned({ url }, "main", key, body)
      tell("API", `${JSON.stringify([...answer.headers])} ${answer.text}`)
      assert.strictEqual(answer.status, status, answer.text)
    },
    /** For people and for programs. */
    runBoth: async (ends: number, ...words: ReadonlyArray<string>) => {
      const { code, stderr } = await run("commands", ...words)
      assert.strictEqual(code, ends, `${words.join(" ")}\n${stderr}`)
      return (await run("commands", ...words, "--json")).stdout
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

export type Server = Awaited<ReturnType<typeof open>>

export const path = "/api/v1/payments"
