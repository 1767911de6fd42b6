/** `pointsman doctor`: where there is nothing yet, beside a server that is well, and on what is not as it should be. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Connection, ConnectionAccount } from "@pointsman/core"
import { assert, describe, it } from "vitest"
import { type CheckLine, checkupText, eachOr, ok, warning, wrong } from "../src/commands/Checkup.ts"
import { lossLine } from "../src/commands/DatabaseLines.ts"
import {
  accountLines,
  baseUrlLines,
  environmentFault,
  fourEyesLines,
  timeoutLines,
  webhookLines
} from "../src/commands/DirectoryChecks.ts"
import { clockLine, durabilityLines, messagesLine, reviewsLine, schemaOf } from "../src/commands/Doctor.ts"
import { lateLines } from "../src/commands/ReportLines.ts"
import { runHere } from "./support/CommandInProcess.ts"
import { type CommandEnd, runCommand } from "./support/CommandProcess.ts"
import { connectionTo, liveKey, workspaceWith } from "./support/Configurations.ts"
import { encryptionKeyOf } from "./support/EncryptionKeys.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"
import { openShop } from "./support/ShopHere.ts"

/** Of a run in which something may be wrong. */
const checksOf = ({ code, stdout }: CommandEnd): ReadonlyArray<readonly [string, string, string]> => {
  const { checks, wrong: faults } = JSON.parse(stdout).data
  assert.strictEqual(code, faults > 0 ? 1 : 0)
  return checks.map(({ check, says, verdict }: CheckLine) => [verdict, check, says])
}

const verdictsOf = (end: CommandEnd) => checksOf(end).map(([verdict, check]) => `${verdict} ${check}`)

const saysOf = (end: CommandEnd, check: string): string =>
  checksOf(end)
    .filter(([, name]) => name === check)
    .map(([verdict, , says]) => `${verdict}: ${says}`)
    .join("\n")

/** In their order. */
const names = [
  "node",
  "settings",
  "server",
  "configuration",
  "archive",
  "database",
  "encryption key",
  "generation",
  "connections",
  "accounts",
  "timeouts",
  "webhooks",
  "base URL",
  "four eyes",
  "records",
  "payments",
  "messages",
  "deliveries",
  "reports"
]
const verdicts = (of: ReadonlyArray<string>, faults: Readonly<Record<string, "wrong" | "warning">> = {}) =>
  of.map((check) => `${faults[check] ?? "ok"} ${check}`)

describe("pointsman doctor", () => {
  it("doctor says what is so with any settings of a server, and changes nothing", async () => {
    const secret = "whsec_of_the_receiver"
    const settings = {
      POINTSMAN_ALLOW_PRIVATE_WEBHOOKS: "true",
      POINTSMAN_WEBHOOK_SCHEDULE: "0 seconds",
      POINTSMAN_BASE_URL: "https://pay.example.com"
    }
    const url = "http://127.0.0.1:9/hook?token=hidden"
    const { create, data, folder, provider, read, server } = await openShop({
      account: "acct_1",
      configured: (provider) => {
        const webhooks = [{ environment: "production", url, events: ["*"], secret }]
        const connections = [connectionTo(provider), connectionTo(provider, "backup")]
        return { workspaces: [{ ...workspaceWith(connections), webhooks }] }
      },
      environment: settings
    })
    const path = join(folder, ".pointsman", "pointsman.db")
    const run = (environment: Readonly<Record<string, string>>, ...words: ReadonlyArray<string>) =>
      runHere(folder, ["doctor", ...words], environment)
    const ownSettings = { ...settings, POINTSMAN_CONFIG: "pointsman.json" }

    const well = await run(ownSettings, "--json")
    assert.deepStrictEqual(verdictsOf(well), verdicts(names))
    assert.match(saysOf(well, "database"), /pointsman\.db, schema version \d+$/u)
    assert.strictEqual(saysOf(well, "connections"), "ok: 2 of 2 active, all usable")
    const answers = `ok: answers at ${server.url}`
    for (const [port, flags, said] of [
      ["9", [], "ok: none answers at http://127.0.0.1:9. If one runs elsewhere, set PORT"],
      [new URL(server.url).port, [], answers],
      ["0", ["--url", `${server.url}/`], answers],
      ["0", ["--url", "http://127.0.0.1:9"], "wrong: no server answers at http://127.0.0.1:9: start it"]
    ] as const) {
      assert.include(saysOf(await run({ ...ownSettings, PORT: port }, "--json", ...flags), "server"), said)
    }

    // A charge with an unknown result, whose webhook is exhausted; and a connection that this program cannot use.
    provider.next("charge", () => "drop")
    provider.always("lookUpCharge", () => "drop")
    assert.strictEqual((await read(await create("one"))).status, "UNKNOWN")
    const givenUp = ["webhooks", "list", "--environment", "production", "--status", "given_up"]
    // One that never is runs into the test's own time-out.
    while ((await data(...givenUp)).length < 2) {}
    await server.stop()
    const db = new DatabaseSync(path)
    db.exec("update connections set connector = 'gone' where id = 'backup'")
    db.close()
    writeFileSync(join(folder, "wrong.json"), JSON.stringify({ workspaces: [{ id: "acme", nmae: "Acme" }] }))
    const elsewhere = temporaryFolder()
    const before = [readdirSync(join(folder, ".pointsman")), readFileSync(path).toString("base64")]
    const asked = provider.calls.length

    const shorter = { POINTSMAN_CLAIM_WINDOW: "4 seconds", POINTSMAN_PROVIDER_TIMEOUT: "1 second" }
    const otherKey = encryptionKeyOf("other")
    const [ill, text, sealed, unreadable, nothing] = await Promise.all([
      run({ ...shorter, POINTSMAN_CONFIG: "wrong.json" }, "--json"),
      run(ownSettings),
      run({ POINTSMAN_ENCRYPTION_KEY: otherKey }, "--json"),
      run({ PORT: "none", POINTSMAN_WORKERS: "0" }, "--json"),
      // As an operator's, in a process of its own.
      runCommand(elsewhere, ["doctor", "--json"])
    ])
    assert.deepStrictEqual(
      verdictsOf(ill),
      verdicts(
        names.flatMap((name) => (name === "generation" ? [] : name === "timeouts" ? [name, name] : [name])),
        {
          ...{ configuration: "wrong", connections: "wrong", timeouts: "wrong", webhooks: "wrong" },
          ...{ "base URL": "warning", deliveries: "warning" }
        }
      )
    )
    for (const [check, said] of [
      ["configuration", /^wrong: wrong\.json: workspaces\[0\]/u],
      ["connections", /^wrong: "backup" of acme \(production\) cannot be used: connector "gone" is not installed$/u],
      ["timeouts", /"main" has a timeout of 5000 ms, but the claim window is 4000 ms: increase/u],
      ["webhooks", /^wrong: http:\/\/127\.0\.0\.1:9 \(whe_\S+\) of acme \(production\) is a private/u],
      ["base URL", /^warning: http:\/\/127\.0\.0\.1:3000 is a local address/u],
      ["payments", /^ok: 1 payment under review, the oldest for \d+ s; the server checks/u],
      ["deliveries", /^warning: 2 given up in the last 7 days: see `pointsman webhooks list --workspace acme/u]
    ] as const) {
      assert.match(saysOf(ill, check), said)
    }

    assert.deepStrictEqual([text.code, text.stderr], [1, "1 wrong, 1 warning.\n"])
    assert.match(text.stdout, /^RESULT +CHECK +DETAILS\nok +node +Node\.js \d/u)
    assert.match(text.stdout, /^wrong +connections +"backup" of acme/mu)
    assert.match(saysOf(sealed, "encryption key"), /^wrong: The encryption key does not match the database/u)
    assert.notInclude(verdictsOf(sealed).join(), "connections")
    assert.deepStrictEqual(verdictsOf(unreadable), ["ok node", "wrong settings", "wrong settings"])
    assert.match(saysOf(unreadable, "settings"), /^wrong: PORT \(--port\): expected .*\nwrong: POINTSMAN_WORKERS/u)

    // Before a first start nothing is wrong, and nothing is made.
    assert.deepStrictEqual(verdictsOf(nothing), verdicts(names.slice(0, 6), { database: "warning" }))
    assert.include(saysOf(nothing, "database"), `no database at ${join(elsewhere, ".pointsman/pointsman.db")}`)
    assert.deepStrictEqual(readdirSync(elsewhere), [])
    assert.deepStrictEqual([readdirSync(join(folder, ".pointsman")), readFileSync(path).toString("base64")], before)
    assert.strictEqual(provider.calls.length, asked)
    for (const { stderr, stdout } of [well, ill, text, sealed]) {
      for (const hidden of [secret, "hidden", provider.apiKey, liveKey, otherKey]) {
        assert.notInclude(stdout + stderr, hidden)
      }
    }
  })
})

describe("what the doctor says", () => {
  /** As many lines as are expected, each with its verdict before it. */
  const assertSaid = (lines: ReadonlyArray<CheckLine>, ...expected: ReadonlyArray<RegExp>) => {
    assert.lengthOf(lines, expected.length)
    for (const [at, { says, verdict }] of lines.entries()) assert.match(`${verdict}: ${says}`, expected[at] ?? /never/u)
  }

  it("a clock that differs is a warning, and wrong where the server takes no requests", () => {
    assertSaid([clockLine(0)], /^ok: 0 ms/u)
    assertSaid([clockLine(-2_000)], /^ok: 2000 ms/u)
    assertSaid([clockLine(2_001)], /^warning: the clock of this machine is 2001 ms behind the database clock/u)
    const ahead = /^wrong: the clock of this machine is 60000 ms ahead of the database clock: the server takes no req/u
    assertSaid([clockLine(-60_000)], ahead)
  })

  it("a database whose crash loses payments is wrong unless it is allowed", () => {
    const found = { faults: ["fsync is off"], warnings: ["full_page_writes is off"] }
    const warnings = [/^warning: fsync is off$/u, /^warning: full_page_writes is off$/u] as const
    assertSaid(durabilityLines(found, true), ...warnings)
    const isWrong = /^wrong: fsync is off\. .* POINTSMAN_ALLOW_ASYNC_COMMIT/u
    assertSaid(durabilityLines(found, false), isWrong, warnings[1])
    const isGood = /^ok: commits are on the database's disk before they are acknowledged$/u
    assertSaid(durabilityLines({ faults: [], warnings: [] }, false), isGood)
  })

  it.each<[number, boolean, RegExp]>([
    [8, false, /^warning: the file, schema version 8 is outdated; .* needs 9: start the server once to migrate$/u],
    [9, true, /^ok: the file, schema version 9$/u],
    [10, false, /^wrong: the file, schema version 10 was created by a newer release; this release supports up to 9/u]
  ])("schema number %d of 9 is recognized", (schema, isUsable, said) => {
    const found = schemaOf("the file", { schema, newest: 9 })
    assert.strictEqual(found.isUsable, isUsable)
    assertSaid(found.lines, said)
  })

  it("a payment that waits is a warning if a person is needed, or after a day", () => {
    const now = 3 * 86_400_000
    const waits = (since: number, needsOperator = false) => ({ review: { since, reasons: [] }, needsOperator })
    const said = (...waiting: ReadonlyArray<ReturnType<typeof waits>>) => [
      reviewsLine(waiting, waiting.length > 1, { now })
    ]
    assertSaid(said(), /^ok: no payments under review$/u)
    assertSaid(said(waits(now - 86_399_999)), /^ok: 1 payment under review, the oldest for 23 h 59 min/u)
    assertSaid(said(waits(now - 86_400_000)), /^warning: .* 1 d 0 h, 0 of them waiting for an operator/u)
    assertSaid(said(waits(now - 1), waits(now, true)), /^warning: more than 2 payments .* 1 of them waiting/u)
  })

  it("messages to look at are counted by outcome, and the first one is named", () => {
    const outcomes = ["unreadable", "unmatched", "contradicts"] as const
    const said = (...counts: ReadonlyArray<number>) => [
      messagesLine(outcomes.map((outcome, at) => ({ outcome, count: counts[at] ?? 0 })))
    ]
    assertSaid(said(0, 0, 0), /^ok: none unreadable, unmatched or contradicting in the last 7 days$/u)
    const many = /^warning: 2 unreadable, 99 unmatched, 100 or more contradicts in .* days: .* --outcome unreadable`$/u
    assertSaid(said(2, 99, 100), many)
    assertSaid(said(0, 0, 1), /^warning: 1 contradicts in the last 7 days: .* --outcome contradicts`$/u)
  })

  it.each<[string, boolean]>([
    ["http://127.0.0.1/hook", true],
    ["http://localhost./hook", true],
    ["https://shop.example/hook", false],
    ["https://9.9.9.9/hook", false]
  ])("a webhook to %s is private or not", (url, isPrivate) => {
    const tenant = { workspaceId: "acme", environment: "sandbox" } as const
    const endpoint = { ...tenant, id: "whe_1", url, events: ["*"], sealedSecret: "" }
    const said = (active: boolean, allowPrivateWebhooks: boolean) =>
      webhookLines({ webhookEndpoints: [{ ...endpoint, active }] }, { allowPrivateWebhooks })
    assertSaid(said(true, false), isPrivate ? /^wrong/u : /^ok/u)
    assertSaid(said(false, false), /^ok/u)
    assertSaid(said(true, true), /^ok/u)
  })

  it.each<[string | null, string, boolean]>([
    [null, "127.0.0.1", true],
    [null, "::", true],
    [null, "0.0.0.0", true],
    ["http://localhost:8080", "0.0.0.0", true],
    ["https://pay.example.com", "127.0.0.1", false],
    [null, "pay.example.com", false]
  ])("the base URL %s at %s matters only to production keys", (baseUrl, host, isLocal) => {
    const limits = { scopes: null, name: null, expiresAt: null, networks: null }
    const key = { ...limits, hash: "", workspaceId: "acme", source: "operator", createdAt: 0 } as const
    const at = { baseUrl, host, port: 3000, tlsCertificate: null }
    const said = (environment: "sandbox" | "production", revokedAt: number | null) =>
      baseUrlLines({ apiKeys: [{ ...key, environment, revokedAt }] }, at)
    assertSaid(said("production", null), isLocal ? /^warning/u : /^ok/u)
    assertSaid(said("sandbox", null), /^ok/u)
    assertSaid(said("production", 1), /^ok/u)
  })

  it("a changed account is wrong, and accounts that are not known are named", () => {
    const first = { id: "acct_1", mode: "live" } as const
    const current = { id: "acct_2", mode: "live" } as const
    const one = (id: string, account?: ConnectionAccount, active = true) =>
      ({ id, active, ...(account === undefined ? {} : { account }) }) as Connection
    const known = one("a", { first, current: first, changedAt: null })
    const said = (...connections: ReadonlyArray<Connection>) => accountLines({ connections })
    assertSaid(said(known), /^ok: known for all active connections$/u)
    const unknown =
      /^warning: the account of the connection "b" is not known: .* `GET \/health\/ready` lists those that/u
    assertSaid(said(known, one("b"), one("c", undefined, false)), unknown)
    const changed = /^wrong: .* connection "b" opened another account than acct_1 \(live\).* open acct_2 \(live\)/u
    assertSaid(said(known, one("b", { first, current, changedAt: 1 })), changed)
  })

  it("reports never fetched, or ended more than a day too early, are named", () => {
    const hour = 3_600_000
    const connection = { id: "main" }
    const now = 100 * hour
    /** Every six hours; `a` is listed within an hour, and `b` within a day. */
    const linesOf = (ends: Readonly<Record<"a" | "b", number | null>>) => {
      const reports = Object.entries(ends).map(([report, fetchedUntil]) => ({
        report,
        fetchedUntil,
        dueAt: fetchedUntil === null ? 0 : fetchedUntil + (report === "a" ? 7 : 30) * hour
      }))
      return lateLines([{ connection, reports }], now)
    }
    assertSaid(linesOf({ a: 69 * hour, b: 46 * hour }), /^ok: those of 1 connection are fetched in time$/u)
    const late = /^warning: a of the connection "main" ends 1 d 7 h ago, and is late: see the log/u
    assertSaid(linesOf({ a: 69 * hour - 1, b: 46 * hour }), late)
    const never = /^warning: b of the connection "main" was never fetched: see the log/u
    assertSaid(linesOf({ a: 99 * hour, b: null }), never)
    const refused = lateLines([{ connection, reports: "connection: it cannot be used" }], now)
    assertSaid(refused, /^warning: those of the connection "main" cannot be fetched: connection: it cannot be used$/u)
    assertSaid(lateLines([], now), /^ok: no connection has reports that are fetched/u)
  })

  it("a loss of records is named until it has ended", () => {
    const waits = { recovered: ["main"], refundsWait: [], ended: null } as const
    const loss = { ...waits, number: 1, since: 0, reason: "a test", declaredAt: 1 }
    assertSaid([lossLine(loss)], /^wrong: records since 1970-01-01T00:00:00\.000Z may be missing.*: main;/u)
    assertSaid([lossLine({ ...loss, ended: { outcome: "accepted", at: 2 } })], /^ok/u)
  })

  it("a workspace that needs two persons is named unless it has two operators", () => {
    const acme = { id: "acme", name: "Acme", country: null, category: null, suspended: false, partner: null }
    const of = (...roles: ReadonlyArray<"support" | "operations">) =>
      fourEyesLines(
        { workspaces: [{ ...acme, fourEyes: {} }] },
        roles.map((role) => ({ active: true, grants: [{ workspaceId: "acme", role }] }))
      )
    assertSaid(of("operations", "support"), /"acme" asks for a second person, and 1 operator may/u)
    assertSaid(of("operations", "operations"), /^ok: 1 workspace, each with two operators or more$/u)
    assertSaid(fourEyesLines({ workspaces: [acme] }, []), /^ok: no workspace asks for a second person$/u)
  })

  it("the first twenty of one kind are listed, and the worst of the rest counts", () => {
    const many = Array.from({ length: 23 }, (_, at) => (at === 22 ? wrong : warning)("webhooks", `${at}`))
    const told = eachOr(many, ok("webhooks", "good"))
    assert.lengthOf(told, 21)
    assert.deepStrictEqual(told.at(-1), wrong("webhooks", "and 3 more"))
    assert.deepStrictEqual(eachOr([], ok("webhooks", "good")), [ok("webhooks", "good")])
    assert.strictEqual(timeoutLines({ connections: [] }, { claimWindowMillis: 1 })[0]?.verdict, "ok")
    assert.isUndefined(environmentFault({ environment: "sandbox" }, ["sandbox"]))
    assert.match(environmentFault({ environment: "production" }, ["sandbox"]) ?? "", /does not support production/u)
    assert.notInclude(checkupText([ok("x", "a\u001b[2J")])({ columns: 80, isColoured: false }), "\u001b")
  })
})
