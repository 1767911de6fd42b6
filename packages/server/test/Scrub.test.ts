/**
 * No secret comes out of a start that fails: unmistakable ones are planted in wrong settings and files, and all that a command
 * tells is searched for them. `ScrubStores.test.ts` searches what a server that runs tells, stores and sends.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib"
import { formatApiKey } from "@pointsman/core"
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import type { CommandEnd } from "./support/CommandProcess.ts"
import { encryptionKeyOf } from "./support/EncryptionKeys.ts"
import { type Leak, leaksIn, leaksInBytes, type Planted, writings } from "./support/Planted.ts"
import { startServerHere } from "./support/ServerHere.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"

/** Characters that URLs and Base64 write otherwise are in each that may have any. */
const planted = {
  "provider key": "pk+PLANTED/Zq7mV3kT9xW2",
  "provider's webhook secret": "whsec_PLANTED+wS5pL0gF2uK8",
  "merchant's webhook secret": "whsec_PLANTED+eN3vX7aQ9oM4",
  "provider's secret before": "whsec_PLANTED+uQ3kW7nZ4aT1",
  "merchant's secret before": "whsec_PLANTED+rB6tH1jC5iZ0",
  "live key": formatApiKey("production", new Uint8Array(64).fill(91)).slice(8),
  "test key": formatApiKey("sandbox", new Uint8Array(64).fill(92)).slice(8),
  "encryption key": Buffer.alloc(32, "PLANTED-encryption!").toString("base64"),
  "encryption key's bytes": Buffer.alloc(32, "PLANTED-encryption!").toString("latin1"),
  "database password": "PLANTEDpw-uY8sE2dG6lO3",
  "collector's key": "ck+PLANTED/fA9bN4mJ7wQ1"
} as const satisfies Planted

const liveKey = `ps_live_${planted["live key"]}`
const testKey = `ps_test_${planted["test key"]}`

const configuration = {
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
          credentials: { baseUrl: "http://127.0.0.1:1", apiKey: { $env: "PROVIDER_KEY" } },
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
          url: "http://127.0.0.1:1/hook",
          secret: planted["merchant's webhook secret"],
          previousSecret: planted["merchant's secret before"]
        }
      ]
    }
  ]
}

describe("secrets", { timeout: 400_000 }, () => {
  it("wrong settings and files are in no output of a start or a check", async () => {
    const leaks: Array<Leak & { readonly where: string }> = []
    const folder = temporaryFolder()
    const run = async (words: ReadonlyArray<string>, variables: Readonly<Record<string, string>> = {}) => {
      const end = await runHere(folder, words, { PORT: "0", ...variables }).catch(
        (defect: unknown): CommandEnd => ({ code: 1, stdout: "", stderr: String(defect) })
      )
      assert.notStrictEqual(end.code, 0, words.join(" "))
      assert.isNotEmpty(end.stderr + end.stdout)
      const where = `${words[0]} ${Object.keys(variables).join(" ")}`
      leaks.push(...leaksIn(end.stdout + end.stderr, planted).map((leak) => ({ where, ...leak })))
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

    const good = JSON.stringify(configuration)
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

    assert.deepStrictEqual(leaks, [])
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
