/**
 * No secret comes out: unmistakable ones of every kind are planted, a server goes through all that may show them, and all
 * that it or a command tells is searched for them. `ScrubStores.test.ts` searches what is stored and sent.
 *
 * What may show a secret, and does: the response to its creator (`keys create`, a payment's own `next_action`), the
 * greeting of the demo, and the line of the log by which an invitation is passed on, which goes to no collector.
 */
import { createHmac } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib"
import { formatApiKey } from "@pointsman/core"
import { assert, describe, it } from "vitest"
import { startCollector } from "./support/Collector.ts"
import { runHere } from "./support/CommandInProcess.ts"
import type { CommandEnd } from "./support/CommandProcess.ts"
import { startEchoingProvider } from "./support/EchoingProvider.ts"
import { startEchoingReceiver } from "./support/EchoingReceiver.ts"
import { encryptionKeyOf } from "./support/EncryptionKeys.ts"
import { cardForms, cardNumbers, type Leak, leaksIn, leaksInBytes, type Planted, writings } from "./support/Planted.ts"
import { startServerHere } from "./support/ServerHere.ts"
import { jsonRequestsTo, temporaryFolder } from "./support/ServerProcess.ts"
import { until } from "./support/Until.ts"

/** Characters that URLs and Base64 write otherwise are in each that may have any. */
const planted = {
  "provider key": "pk+PLANTED/Zq7mV3kT9xW2",
  "instrument token": "tok+PLANTED/hJ4nB8cR6yD1",
  "provider's webhook secret": "whsec_PLANTED+wS5pL0gF2uK8",
  "merchant's webhook secret": "whsec_PLANTED+eN3vX7aQ9oM4",
  "provider's secret before": "whsec_PLANTED+uQ3kW7nZ4aT1",
  "merchant's secret before": "whsec_PLANTED+rB6tH1jC5iZ0",
  "live key": formatApiKey("production", new Uint8Array(64).fill(91)).slice(8),
  "test key": formatApiKey("sandbox", new Uint8Array(64).fill(92)).slice(8),
  "wrong key": formatApiKey("production", new Uint8Array(64).fill(93)).slice(8),
  "encryption key": Buffer.alloc(32, "PLANTED-encryption!").toString("base64"),
  "encryption key's bytes": Buffer.alloc(32, "PLANTED-encryption!").toString("latin1"),
  "database password": "PLANTEDpw-uY8sE2dG6lO3",
  "collector's key": "ck+PLANTED/fA9bN4mJ7wQ1"
} as const satisfies Planted

const liveKey = `ps_live_${planted["live key"]}`
const testKey = `ps_test_${planted["test key"]}`

/** Everything that was output, by place. */
const makeSinks = () => {
  const told: Array<{ readonly where: string; readonly text: string }> = []
  return {
    told,
    add: (where: string, text: string) => {
      told.push({ where, text })
    },
    leaks: (secrets: Planted, besides: (where: string) => boolean = () => false) =>
      told
        .filter(({ where }) => !besides(where))
        .flatMap(({ text, where }) =>
          leaksIn(text, secrets).map((leak): Leak & { where: string } => ({ where, ...leak }))
        )
  }
}

const configurationOf = (providerUrl: string, receiverUrl: string) => ({
  workspaces: [
    {
      id: "acme",
      name: "Acme",
      country: "NL",
      partner: { allowance: 3 },
      keys: [
        { environment: "production", secret: { $env: "ACME_KEY" } },
        { environment: "sandbox", secret: testKey }
      ],
      connections: [
        {
          id: "main",
          environment: "production",
          connector: "http",
          credentials: { baseUrl: providerUrl, apiKey: { $env: "PROVIDER_KEY" } },
          webhookSecret: planted["provider's webhook secret"],
          previousWebhookSecret: planted["provider's secret before"],
          timeout: "2 seconds",
          circuitBreaker: { failures: 100, open: "1 second" }
        },
        { id: "play", environment: "sandbox", connector: "sandbox" }
      ],
      routing: { production: { mode: "failover", order: ["main"], maxAttempts: 1 } },
      webhooks: [
        {
          environment: "production",
          url: receiverUrl,
          secret: planted["merchant's webhook secret"],
          previousSecret: planted["merchant's secret before"]
        }
      ]
    }
  ]
})

const environment = {
  PORT: "0",
  POINTSMAN_CONFIG: "pointsman.json",
  POINTSMAN_ENCRYPTION_KEY: planted["encryption key"],
  ACME_KEY: liveKey,
  PROVIDER_KEY: planted["provider key"]
}

const references = [
  "captured",
  "named",
  "authorized",
  "declined",
  "rejected",
  "unauthorized",
  "moved",
  "wrong",
  "text",
  "cut",
  "found"
]

/** It has the prefix, the length and the check digit of a card. */
const orderNumber = "4917610000000000"

describe("secrets", { timeout: 400_000 }, () => {
  it("a secret of every kind is in no output of a server or command, in no form", async () => {
    const sinks = makeSinks()
    const collector = await startCollector()
    const provider = await startEchoingProvider()
    const receiver = await startEchoingReceiver()
    const folder = temporaryFolder()
    const configuration = configurationOf(provider.url, receiver.url)
    const served = {
      ...environment,
      POINTSMAN_ALLOW_PRIVATE_WEBHOOKS: "true",
      POINTSMAN_UNKNOWN_CHECK_INTERVAL: "1 second",
      POINTSMAN_WEBHOOK_SCHEDULE: "0 seconds, 1 second",
      POINTSMAN_ACCESS_LOG: "true",
      POINTSMAN_LOG_LEVEL: "trace",
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_HEADERS: `x-collector-key=${encodeURIComponent(planted["collector's key"])}`
    }
    const server = await startServerHere({ folder, configuration, environment: served })
    const { url } = server
    const request = jsonRequestsTo(url, liveKey)
    /** Of the API, with what it answered told. */
    const ask: typeof request = async (method, path, options) => {
      const answer = await request(method, path, options)
      sinks.add(`${method} ${path.replace(/[0-9a-f-]{36}/u, ":id")}`, JSON.stringify([...answer.headers, answer.body]))
      return answer
    }
    /** Everything that an arbitrary client may send. */
    const send = async (
      method: string,
      path: string,
      headers: Readonly<Record<string, string>> = {},
      body?: string
    ) => {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers,
        redirect: "manual",
        ...(body === undefined ? {} : { body })
      })
      const text = await answer.text()
      sinks.add(`sent ${method}`, `${JSON.stringify([...answer.headers])} ${text}`)
      return { text, headers: answer.headers }
    }

    // Payments at a provider that shows what it was sent.
    const payments: Array<string> = []
    for (const reference of references) {
      const made = await ask("POST", "/api/v1/payments", {
        idempotencyKey: `order-${reference}`,
        body: {
          amount: 1999,
          currency: "EUR",
          country: "NL",
          reference: `${reference}:1`,
          capture_method: reference === "authorized" ? "manual" : "automatic",
          instruments: [{ connection: "main", token: planted["instrument token"] }]
        }
      })
      const { payment_id: id } = made.body.data
      payments.push(id)
      await ask("POST", `/api/v1/payments/${id}/${reference === "authorized" ? "capture" : "void"}`, { body: {} })
      await ask("POST", `/api/v1/payments/${id}/refunds`, { body: { amount: 100, reason: "a reason" } })
    }
    const held = payments[references.indexOf("authorized")]
    await ask("POST", `/api/v1/payments/${held}/void`, { body: {} })

    // A hosted page, which a customer pays on at the provider's own.
    const hosted = await request("POST", "/api/v1/payments", {
      idempotencyKey: "order-hosted",
      body: {
        amount: 500,
        currency: "EUR",
        country: "NL",
        reference: "hosted",
        return_url: "https://shop.example/back"
      }
    })
    const page = new URL(hosted.body.data.next_action.url)
    const secrets: Record<string, string> = { ...planted, "hosted token": page.pathname.split("/")[2] ?? "" }
    assert.isAbove(secrets["hosted token"]?.length ?? 0, 20)
    await fetch(`${url}${page.pathname}`)
    const pressed = await fetch(`${url}${page.pathname}`, {
      method: "POST",
      redirect: "manual",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: "action=continue"
    })
    sinks.add("the step to the provider's page", JSON.stringify([...pressed.headers]))
    await fetch(`${url}${page.pathname}/return`, { redirect: "manual" })
    await fetch(`${url}${page.pathname}?token=${secrets["hosted token"]}`, { method: "DELETE" })
    await send("GET", `/hosted/${secrets["hosted token"]}x`)
    await send("GET", `/elsewhere/${secrets["hosted token"]}`)
    await send("GET", `/api/v1/payments/${encodeURIComponent(planted["instrument token"])}?key=${liveKey}`, {
      authorization: `Bearer ${liveKey}`
    })

    // Malformed keys and invalid bodies.
    const wrongKey = `ps_live_${planted["wrong key"]}`
    await ask("GET", "/api/v1/payments", { key: wrongKey })
    await ask("GET", "/api/v1/payments", { key: planted["encryption key"] })
    await send("GET", "/api/v1/payments", { authorization: `Basic ${btoa(`${liveKey}:`)}` })
    const bad = {
      authorization: `Bearer ${liveKey}`,
      "content-type": "application/json",
      "idempotency-key": "order-bad"
    }
    const token = planted["instrument token"]
    await send("POST", "/api/v1/payments", bad, `{"amount": 1, "instruments": [{"token": "${token}"`)
    for (const instruments of [token, [token], [{ connection: "main", token: [token] }], [{ [token]: token }]]) {
      await ask("POST", "/api/v1/payments", {
        idempotencyKey: "order-worse",
        body: { amount: 1999, currency: "EUR", country: "NL", instruments }
      })
    }
    const again = { amount: 1, currency: "EUR", country: "NL", instruments: [{ connection: "main", token }] }
    await ask("POST", "/api/v1/payments", { idempotencyKey: "order-captured", body: again })
    await ask("POST", "/api/v1/payments", { key: testKey, body: { ...again, simulate: { charge: token } } })

    // The background jobs have looked up the unknown results.
    await until("three lookups", () => provider.lookUps() > 2)

    // Messages of a provider: not signed, wrongly signed, and signed with something in them that nobody can read.
    const message = (secret: string, text: string) => {
      const time = Math.floor(Date.now() / 1_000)
      const signature = createHmac("sha256", secret).update(`${time}.${text}`).digest("hex")
      return send("POST", "/api/v1/psp-webhooks/main", { "x-service-signature": `t=${time},v1=${signature}` }, text)
    }
    const known = planted["provider's webhook secret"]
    await send("POST", "/api/v1/psp-webhooks/main", { "x-service-signature": `t=1,v1=${known}` }, known)
    await send("POST", "/api/v1/psp-webhooks/main", { authorization: known }, "{}")
    await message("another", JSON.stringify({ secret: known, key: planted["provider key"] }))
    await message(known, planted["provider key"])
    await message(known, JSON.stringify({ id: "m1", type: known, created: known, data: known }))
    const created = new Date().toISOString()
    const decline = { code: known, category: "other", message: planted["provider key"], soft: false }
    for (const [at, attempt_id] of provider.attempts.entries()) {
      // One stays as it is: unknown.
      if (at === references.indexOf("cut")) continue
      const data = {
        attempt_id,
        provider_reference: at % 2 === 0 ? `ch ${known}` : `ch_of_${at}`,
        status: "declined",
        decline
      }
      await message(known, JSON.stringify({ id: `msg-${at}`, type: "charge.updated", created, data }))
    }

    // Card numbers in every text that takes one. Digits that may be an order number are taken, and not logged.
    for (const [at, card] of cardNumbers.entries()) {
      const text =
        [card, `${card.replaceAll(" ", "")} 12/27`, card.replaceAll(" ", "-")][Math.floor(at / 3) % 3] ?? card
      const fields = [
        { reference: text },
        { card_brand: card.slice(0, 20) },
        { return_url: `https://shop.example/?card=${encodeURIComponent(text)}` }
      ][at % 3]
      const body = { amount: 1999, currency: "EUR", country: "NL", ...fields }
      const refused = await ask("POST", "/api/v1/payments", { idempotencyKey: `order-card-${at}`, body })
      assert.strictEqual(refused.status, 422)
      Object.assign(secrets, cardForms(`card number ${at}`, card))
    }
    const bare = { amount: 1999, currency: "EUR", country: "NL", reference: orderNumber }
    await ask("POST", "/api/v1/payments", { idempotencyKey: "order-bare", body: bare })

    // Merchants of a partner, and the tokens by which they are invited.
    const invited = await ask("POST", "/api/v1/merchants", {
      body: { name: "Corner shop", email: "owner@shop.example", country: "NL" }
    })
    await ask("POST", `/api/v1/merchants/${invited.body.data.id}/invitation`, { body: {} })
    await ask("GET", "/api/v1/merchants")

    // What is left of it: looked at again by the background, sent to merchants, counted, and read.
    await until(
      "webhooks and an invitation",
      () => receiver.heard.length > 10 && server.stderr().includes("invitation_token")
    )
    for (const id of payments) {
      await ask("GET", `/api/v1/payments/${id}`)
      await ask("GET", `/api/v1/payments/${id}/events`)
    }
    await ask("GET", "/api/v1/events?limit=100")
    await ask("GET", "/api/v1/payments?limit=100")
    await send("GET", "/metrics")
    await send("GET", "/health/ready")
    await send("GET", "/docs")

    // Every command, for people and for programs.
    const run = async (ends: number, ...words: ReadonlyArray<string>) => {
      for (const line of [words, [...words, "--json"]]) {
        // What a process says of a defect as it ends: its message (`main.ts`).
        const end = await runHere(folder, line, environment).catch(
          (defect: unknown): CommandEnd => ({ code: 1, stdout: "", stderr: String(defect) })
        )
        assert.strictEqual(end.code, ends, `${line.join(" ")}\n${end.stderr}`)
        sinks.add(`pointsman ${line.join(" ")}`, end.stdout + end.stderr)
      }
      return sinks.told.at(-1)?.text ?? ""
    }
    const acme = ["--workspace", "acme", "--environment", "production"]
    await run(0, "workspaces", "list")
    await run(0, "workspaces", "show", "acme")
    await run(0, "keys", "list", "--all")
    await run(0, "connections", "list")
    await run(0, "connections", "show", "main")
    await run(0, "payments", "list", ...acme)
    await run(0, "unknown", "list")
    await run(0, "usage", "--workspace", "acme", "--from", "1 day")
    await run(0, "routing", "rates", "--workspace", "acme")
    await run(0, "routing", "replay", "--workspace", "acme", "--since", "1 hour")
    await run(1, "doctor")
    await run(0, "config", "check", "--config", "pointsman.json")
    for (const reference of ["captured", "declined", "cut"]) {
      const id = payments[references.indexOf(reference)] ?? ""
      await run(0, "payments", "show", id)
      await run(0, "routing", "explain", id)
      if (reference === "cut") await run(0, "unknown", "show", id)
    }
    const delivery = /dlv_[0-9a-f-]{36}/u.exec(await run(0, "webhooks", "list", ...acme))?.[0] ?? ""
    await run(0, "webhooks", "attempts", delivery)

    // A storage that fails under everything.
    const database = new DatabaseSync(join(folder, ".pointsman", "pointsman.db"))
    for (const table of ["payments", "charges", "events"]) database.exec(`ALTER TABLE ${table} RENAME TO ${table}_gone`)
    database.close()
    await ask("POST", "/api/v1/payments", { idempotencyKey: "order-storage", body: again })
    await ask("GET", `/api/v1/payments/${held}`)
    await ask("POST", `/api/v1/payments/${held}/capture`, { body: {} })
    await message(
      known,
      JSON.stringify({
        id: "m9",
        type: "charge.updated",
        created,
        data: { attempt_id: provider.attempts[0], provider_reference: known, status: "captured" }
      })
    )
    await fetch(`${url}${page.pathname}`)
    await run(1, "doctor")
    await run(1, "payments", "list", ...acme)

    const { text: metrics } = await send("GET", "/metrics")
    const guide = readFileSync(new URL("../../../docs/guides/monitoring.md", import.meta.url), "utf8")
    for (const [, name = ""] of guide.matchAll(/^\| `(pointsman_\w+)` \|/gmu)) {
      // No circuit opens here, no check is due, no message waits, no report is fetched,
      // and nothing is old enough to leave or to compare; other tests have them.
      // SQLite has no clock or standby.
      if (
        !/^pointsman_(?:circuit|storage_clock|standby|retention|checks_due|provider_messages_waiting|agreement_lookups|report_fetch)/u.test(
          name
        )
      )
        assert.include(metrics, `# TYPE ${name} `)
    }

    await server.stop()
    const tokens = [...server.stderr().matchAll(/invitation_token=(\S+)/gu)].map(([, text = ""]) => text)
    assert.isAbove(tokens.length, 0)
    tokens.forEach((text, at) => {
      secrets[`invitation token ${at}`] = text
    })
    // The control of the whole: the one line that may show a token does, and the search finds it.
    const found = leaksIn(server.stderr(), secrets).map(({ secret }) => secret)
    assert.deepStrictEqual(
      found,
      tokens.map((_, at) => `invitation token ${at}`)
    )
    sinks.add("the log", server.stderr().replaceAll(/invitation_token=\S+/gu, ""))
    assert.include(server.stderr(), "may be a card number")
    assert.notInclude(server.stderr(), orderNumber)
    sinks.add("standard output", server.stdout())
    for (const { body, path } of collector.requests) sinks.add(`OTLP ${path}`, body)

    // The output exists: the searched text contains what it should.
    const all = sinks.told.map(({ text }) => text).join("\n")
    for (const sign of [
      "***",
      "StorageError",
      "was refused",
      "cannot be read",
      "UNKNOWN",
      "DECLINED",
      "pointsman charge"
    ]) {
      assert.include(all, sign)
    }
    for (const path of ["/v1/traces", "/v1/metrics", "/v1/logs"]) {
      assert.isTrue(
        collector.requests.some((one) => one.path === path),
        path
      )
    }
    assert.deepStrictEqual(sinks.leaks(secrets), [])
  })

  it("wrong settings and files are in no output of a start or a check", async () => {
    const sinks = makeSinks()
    const folder = temporaryFolder()
    const run = async (words: ReadonlyArray<string>, variables: Readonly<Record<string, string>> = {}) => {
      const end = await runHere(folder, words, { PORT: "0", ...variables }).catch(
        (defect: unknown): CommandEnd => ({ code: 1, stdout: "", stderr: String(defect) })
      )
      assert.notStrictEqual(end.code, 0, words.join(" "))
      assert.isNotEmpty(end.stderr + end.stdout)
      sinks.add(`${words[0]} ${Object.keys(variables).join(" ")}`, end.stdout + end.stderr)
    }
    const password = planted["database password"]
    const key = planted["encryption key"]
    for (const database of [
      `postgres://user:${password}@127.0.0.1:1/payments`,
      `postgres://user:${password}@db.invalid:5432/payments`,
      `postgres://user:${password}`,
      `postgres://user:${password}@127.0.0.1:1/payments#${password}`,
      `postgres://user:p@${password}/x@127.0.0.1:1/payments`,
      `mysql://user:${password}@127.0.0.1/payments`,
      `${password}`
    ]) {
      await run(["serve"], { POINTSMAN_DATABASE_URL: database, POINTSMAN_ENCRYPTION_KEY: key })
      await run(["doctor"], { POINTSMAN_DATABASE_URL: database, POINTSMAN_ENCRYPTION_KEY: key })
      await run(["payments", "list", "--environment", "production", "--database-url", database], {
        POINTSMAN_ENCRYPTION_KEY: key
      })
    }
    for (const cut of [key.slice(1), `${key}=`, key.slice(0, -4)]) {
      await run(["serve"], { POINTSMAN_ENCRYPTION_KEY: cut })
      await run(["serve", "--encryption-key", cut])
      await run(["serve", `--encryption-kye=${cut}`])
    }
    for (const variable of [
      "PORT",
      "HOST",
      "POINTSMAN_BASE_URL",
      "POINTSMAN_RATE_LIMIT",
      "POINTSMAN_WEBHOOK_SCHEDULE"
    ]) {
      await run(["serve"], { [variable]: ` ${key}` })
    }
    const otlp = `https://user:${planted["collector's key"]}@collector.example/${planted["collector's key"]}`
    await run(["serve"], { OTEL_EXPORTER_OTLP_ENDPOINT: otlp })
    await run(["serve"], {
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
      OTEL_EXPORTER_OTLP_HEADERS: `x=${planted["collector's key"]}%ZZ`
    })

    const good = JSON.stringify(configurationOf("http://127.0.0.1:1", "http://127.0.0.1:1/hook"))
    const providerKey = planted["provider key"]
    const hook = planted["merchant's webhook secret"]
    const known = planted["provider's webhook secret"]
    const whole = good
      .replace('{"$env":"PROVIDER_KEY"}', `"${providerKey}"`)
      .replace('{"$env":"ACME_KEY"}', `"${liveKey}"`)
    const wrong = [
      whole.replace(`"${providerKey}"`, `{"value":"${providerKey}"}`),
      whole.replace(`"apiKey":"${providerKey}"`, `"apiKye":"${providerKey}","${providerKey}":true`),
      whole.replace(`"apiKey":"${providerKey}"`, `"apiKey":{"$env":"${providerKey}"}`),
      whole.replace('"baseUrl":"http://127.0.0.1:1"', `"baseUrl":"http://user:${encodeURIComponent(providerKey)}@x"`),
      whole.replace(`"webhookSecret":"${known}"`, `"webhookSecret":["${known}"]`),
      whole.replace(`"webhookSecret":"${known}"`, `"webhookSecret":"${known}","timeuot":"${known}"`),
      whole.replace('"timeout":"2 seconds"', `"timeout":"${known}"`),
      whole.replace('"connector":"http"', `"connector":"${providerKey}"`),
      whole.replace(`"secret":"${hook}"`, `"secret":{"${hook}":"${hook}"}`),
      whole.replace('"url":"http://127.0.0.1:1/hook"', `"url":"http://user:${hook}@127.0.0.1/hook?${hook}"`),
      whole.replace('"url":"http://127.0.0.1:1/hook"', `"url":"${hook}"`),
      whole.replace(`"secret":"${liveKey}"`, `"secret":"${liveKey}x"`),
      whole.replace(`"secret":"${liveKey}"`, `"secret":"${testKey}"`),
      whole.replace(`"secret":"${testKey}"`, `"secret":"${liveKey}"`),
      whole.replace(`"secret":"${testKey}"`, `"secret":"${testKey}","scopes":["${testKey}"]`),
      whole.replace('"mode":"failover"', `"mode":"${providerKey}"`),
      whole.replace('"order":["main"]', `"order":["${providerKey}"]`),
      whole.replace(`"apiKey":"${providerKey}"`, `"apiKey":"${providerKey}`),
      whole.slice(0, whole.indexOf(providerKey) + providerKey.length),
      `"${providerKey}"`,
      providerKey
    ]
    for (const [at, text] of wrong.entries()) {
      assert.notInclude(wrong.slice(0, at), text)
      writeFileSync(join(folder, "pointsman.json"), text)
      await run(["serve", "--config", "pointsman.json"], { POINTSMAN_DATABASE_URL: "sqlite::memory:" })
      await run(["config", "check", "--config", "pointsman.json"])
      await run(["config", "check", "--config", "pointsman.json", "--json"])
      await run(["doctor", "--config", "pointsman.json"], { POINTSMAN_DATABASE_URL: "sqlite::memory:" })
    }
    // A variable that is not there is named; so is a field. What they would hold is not.
    writeFileSync(join(folder, "pointsman.json"), good)
    await run(["serve", "--config", "pointsman.json"], {
      ACME_KEY: `${liveKey}x`,
      POINTSMAN_DATABASE_URL: "sqlite::memory:"
    })

    // Another key than the one that sealed what is stored.
    writeFileSync(join(folder, "pointsman.json"), whole)
    const sealed = { POINTSMAN_CONFIG: "pointsman.json", POINTSMAN_ENCRYPTION_KEY: key, PORT: "0" }
    await (await startServerHere({ folder, environment: sealed })).stop()
    await run(["serve"], { ...sealed, POINTSMAN_ENCRYPTION_KEY: encryptionKeyOf("other") })
    await run(["doctor"], { ...sealed, POINTSMAN_ENCRYPTION_KEY: encryptionKeyOf("other") })

    assert.deepStrictEqual(sinks.leaks(planted), [])
  })

  it.each(Object.entries(planted))("control: %s in the output is found in every form", (name, secret) => {
    for (const [form, text] of Object.entries(writings(secret))) {
      const line = `level=ERROR message="the provider said ${text} and no more"`
      const searched: Readonly<Record<string, ReadonlyArray<Leak>>> = {
        text: leaksIn(line, planted),
        bytes: leaksInBytes(Buffer.from(line), planted),
        gzip: leaksInBytes(gzipSync(line), planted),
        deflate: leaksInBytes(deflateSync(line), planted),
        brotli: leaksInBytes(brotliCompressSync(line), planted)
      }
      for (const [sink, leaks] of Object.entries(searched)) {
        assert.include(
          leaks.map((leak) => leak.secret),
          name,
          `${form}, ${sink}`
        )
      }
    }
    assert.deepStrictEqual(leaksIn('level=ERROR message="the provider said ***"', planted), [])
  })
})
