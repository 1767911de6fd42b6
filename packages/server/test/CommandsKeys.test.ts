/** `pointsman keys`, `workspaces` and `connections` beside a running server. */
import { createHash } from "node:crypto"
import type { ApiKey } from "@pointsman/core"
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { oneKey } from "../src/commands/KeysCommand.ts"
import { runHere } from "./support/CommandInProcess.ts"
import { assertRefused, documentOf } from "./support/CommandProcess.ts"
import { connectionTo, liveKey, testKey, workspaceWith } from "./support/Configurations.ts"
import { startServerHere } from "./support/ServerHere.ts"
import { each, temporaryFolder } from "./support/ServerProcess.ts"

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u
const idOf = (key: string): string => createHash("sha256").update(key).digest("hex").slice(0, 12)

const credential = "credential-of-the-provider"
const webhookSecret = "whsec_of_the_provider"
const previousWebhookSecret = "whsec_of_the_provider_before"
const dead = { url: "http://127.0.0.1:9", apiKey: credential }

const fees = [{ when: { cardBrand: ["visa"] }, percent: "1.45", fixed: { EUR: 25 } }, { percent: "3.25" }]
const supports = {
  currencies: ["EUR", "USD"],
  recurring: false,
  amount: { EUR: { min: 50, max: 1_000_000 } }
}

const configuration = {
  workspaces: [
    {
      ...workspaceWith([
        {
          ...connectionTo(dead),
          ...{ webhookSecret, previousWebhookSecret, supports, fees },
          ...{ restrictions: [{ when: { initiator: ["mit"], amount: { min: 9 } } }] }
        },
        connectionTo(dead, "backup")
      ]),
      category: "retail",
      keys: [
        { environment: "production", secret: liveKey },
        { environment: "sandbox", secret: testKey, scopes: ["payments:read"] }
      ]
    },
    { id: "globex", name: "Globex", suspended: true, partner: { allowance: 2 } }
  ]
}

describe("pointsman keys, workspaces and connections", () => {
  it("a running server takes a key made beside it, and refuses one revoked", async () => {
    const folder = temporaryFolder()
    const server = await startServerHere({ folder, configuration })
    const run = (...words: ReadonlyArray<string>) => runHere(folder, words)
    const ofAcme = ["--workspace", "acme", "--environment", "production"]

    const here = ["--name", "here", "--networks", "127.0.0.0/8, ::1", "--expires", "2099-12-31"]
    const [made, limited, elsewhere, badScope, workspaces, connections, shown] = await Promise.all([
      run("keys", "create", ...ofAcme),
      run("keys", "create", ...ofAcme, ...here, "--scopes", "events:read, payments:read", "--json"),
      run("keys", "create", ...ofAcme, "--networks", "203.0.113.0/24"),
      run("keys", "create", ...ofAcme, "--scopes", "payments:read,everything"),
      run("workspaces", "list", "--json"),
      run("connections", "list", "--workspace", "acme", "--environment", "production"),
      run("connections", "show", "main", "--json")
    ])
    // The key alone is on the standard output, and nothing of it anywhere else.
    assert.match(made.stdout, /^ps_live_[0-9A-Za-z]{38}\n$/u)
    const key = made.stdout.trim()
    assert.strictEqual(
      made.stderr,
      `Created the key ${idOf(key)} of acme (production) with all scopes. It is shown only once: only its hash is stored.\n`
    )
    const { created, key: reader, ...rest } = documentOf(limited).data
    assert.match(created, time)
    assert.deepStrictEqual(rest, {
      id: idOf(reader),
      workspace_id: "acme",
      environment: "production",
      scopes: ["payments:read", "events:read"],
      name: "here",
      expires: "2099-12-31T00:00:00.000Z",
      networks: ["127.0.0.0/8", "::1"],
      source: "operator",
      last_used: null,
      revoked: null
    })
    assert.notInclude(limited.stderr, reader)
    assertRefused(badScope, /Invalid value for flag --scopes.*payments:write, refunds:write/su)
    for (const [flag, value, said] of [
      ["--expires", "2026-01-01", "--expires: expected a time in the future"],
      ["--expires", "2027-02-30", "--expires"],
      ["--networks", "203.0.113.0/33", "comma-separated IP addresses or CIDR ranges"]
    ] as const) {
      assertRefused(await run("keys", "create", ...ofAcme, flag, value), said)
    }

    // Both work at once, each for what it may.
    const asks = async (held: string) => {
      const { status } = await server.request("GET", "/api/v1/payments", { key: held })
      return [status, (await server.request("POST", "/api/v1/payments", { key: held, body: {} })).status]
    }
    assert.deepStrictEqual(await asks(key), [200, 400])
    assert.deepStrictEqual(await asks(reader), [200, 403])
    assert.deepStrictEqual(await asks(elsewhere.stdout.trim()), [401, 401])

    const [acme, globex] = documentOf(workspaces).data
    assert.deepStrictEqual(acme, {
      id: "acme",
      name: "Acme",
      country: "NL",
      category: "retail",
      suspended: false,
      partner_allowance: null,
      sandbox: { keys: 1, connections: 0, webhooks: 0 },
      // Somebody else's command may have come first.
      production: { keys: acme.production.keys, connections: 2, webhooks: 0 }
    })
    assert.deepInclude(globex, { id: "globex", suspended: true, partner_allowance: 2 })
    assert.match(connections.stdout, /^CONNECTION .*\nbackup .* http .* yes .* no secret\nmain .* has a secret\n$/u)
    assert.deepStrictEqual(documentOf(shown).data, {
      id: "main",
      name: "main",
      workspace_id: "acme",
      environment: "production",
      connector: "http",
      active: true,
      priority: documentOf(shown).data.priority,
      webhook_path: "/api/v1/psp-webhooks/main",
      has_webhook_secret: true,
      has_previous_webhook_secret: true,
      timeout_ms: 5_000,
      has_own_timeout: true,
      account: null,
      current_account: null,
      account_changed_at: null,
      circuit_breaker: { failures: 5, open_ms: 30_000 },
      supports,
      restrictions: [{ initiator: ["mit"], amount: { min: 9 } }],
      fees,
      reports_every_ms: null
    })

    const [revoked, text, plain, oneText, noConnection] = await Promise.all([
      run("keys", "revoke", idOf(key)),
      run("keys", "list", "--workspace", "acme", "--environment", "sandbox"),
      run("workspaces", "show", "acme"),
      run("connections", "show", "main"),
      run("connections", "show", "nowhere")
    ])
    // The server writes uses beside requests.
    const [said, ofKey] = revoked.stdout.split("\n")
    assert.deepStrictEqual(
      [revoked.code, revoked.stderr, said],
      [0, "", `Revoked the key ${idOf(key)} of acme (production). Servers reject it from now on.`]
    )
    assert.match(ofKey ?? "", /^Scopes: all\. Expires: never\. Networks: any\. Last used: \S+\.$/u)
    assert.deepStrictEqual(await asks(key), [401, 401])
    assert.deepStrictEqual(await asks(reader), [200, 403])
    assert.match(
      text.stdout,
      new RegExp(`^KEY .*\\n${idOf(testKey)} +- +acme +sandbox +payments:read +any +configuration .*-\\n$`, "u")
    )
    assert.match(plain.stdout, /^Workspace +acme\n.*Partner +no\nSandbox +1 key, 0 connections/su)
    for (const said of [
      /^Time-out +5000 ms, its own$/mu,
      /^Circuit +opens for 30 s after 5 consecutive failures$/mu,
      /^currencies +EUR, USD$/mu,
      /^recurring +no$/mu,
      /^amount in EUR +from €0\.50 up to €10,000\.00$/mu,
      /^refuses +initiator mit; amount from 9 in minor units$/mu,
      /^Reports +not fetched on a schedule$/mu,
      /^1 +1\.45 % and €0\.25; cardBrand visa$/mu,
      /^2 +3\.25 %$/mu
    ]) {
      assert.match(oneText.stdout, said)
    }
    assertRefused(noConnection, /^Connection "nowhere" not found\.$/mu)

    const [again, fromFile, all, ofProduction] = await Promise.all([
      run("keys", "revoke", idOf(key).slice(0, 8)),
      run("keys", "revoke", idOf(liveKey), "--json"),
      run("keys", "list", "--workspace", "acme", "--all", "--json"),
      run("keys", "list", "--workspace", "acme", "--environment", "production")
    ])
    const limits = /^\w+ +here +acme +production .* +127\.0\.0\.0\/8,::1 .* 2099-12-31T00:00:00\.000Z +\S+ +-$/mu
    assert.match(ofProduction.stdout, limits)
    assert.strictEqual(again.code, 0)
    assert.match(
      again.stdout,
      new RegExp(`^The key ${idOf(key)} of acme \\(production\\) was already revoked at 2.*Z\\.\\nScopes: .*\\n$`, "u")
    )
    assert.deepInclude(documentOf(fromFile).data, { id: idOf(liveKey), source: "operator" })
    assert.match(fromFile.stderr, /^This key comes from a configuration file\. Remove it there too/u)
    assert.strictEqual(documentOf(all).data.length, 5)
    assert.include(each(documentOf(all).data, "id"), idOf(key))
    assert.deepStrictEqual(await asks(liveKey), [401, 401])

    for (const end of [workspaces, connections, shown, text, plain, oneText, all, again, fromFile]) {
      for (const secret of [credential, webhookSecret, previousWebhookSecret, key, reader, liveKey, testKey]) {
        assert.notInclude(end.stdout + end.stderr, secret)
      }
    }

    // The file still names it, and does not bring it back; the operator's key is no business of the file's.
    await server.stop()
    const next = await startServerHere({ folder, configuration })
    const statusOf = async (held: string) => (await next.request("GET", "/api/v1/payments", { key: held })).status
    assert.match(next.stderr(), new RegExp(`level=WARN .*stay revoked: ${idOf(liveKey)}`, "u"))
    const restored = await run("keys", "restore", idOf(liveKey))
    assertRefused(restored, /was revoked with `pointsman keys revoke`, which is permanent/u)
    assert.deepStrictEqual([await statusOf(liveKey), await statusOf(key), await statusOf(reader)], [401, 401, 200])
  })
})

describe("the key that is meant", () => {
  const keyOf = (hash: string): ApiKey => ({
    hash: hash.padEnd(64, "0"),
    workspaceId: "acme",
    environment: "sandbox",
    scopes: null,
    name: null,
    expiresAt: null,
    networks: null,
    revokedAt: null,
    source: "operator",
    createdAt: 0
  })
  const keys = ["3f9a1c04be77", "3f9a1c04be7788", "3f9a1c05"].map(keyOf)
  const said = (text: string): string =>
    Result.match(oneKey(keys, text), { onFailure: ({ message }) => message, onSuccess: ({ hash }) => hash })

  it("a beginning of only one of several keys is that key, and nothing else is taken", () => {
    const [first = "", second = "", third = ""] = keys.map(({ hash }) => hash)
    for (const [text, hash] of Object.entries({ "3f9a1c05": third, "3f9a1c04be7788": second, [first]: first })) {
      assert.strictEqual(said(text), hash)
    }
    const alike = said("3f9a1c04")
    assert.match(alike, /^More than one key begins with 3f9a1c04, so none was changed: /u)
    for (const hash of [first, second]) assert.include(alike, `${hash} of acme (sandbox)`)
    assert.notInclude(alike, third)
    assert.strictEqual(said("00000000ffff"), "Key 00000000ffff not found.")
    assert.match(said(liveKey), /^Expected a hash prefix from `pointsman keys list`, not the key itself/u)
    assert.notInclude(said(liveKey), liveKey)
  })

  it.each(["", "3f9a1c0", "3F9A1C05", "3f9a1c0g", "ps_live_x", `${"0".repeat(65)}`, "\u001b[2J"])(
    "%j is refused without being repeated",
    (text) => {
      assert.strictEqual(said(text), "Expected a hash prefix from `pointsman keys list`, with at least 8 characters.")
    }
  )
})
