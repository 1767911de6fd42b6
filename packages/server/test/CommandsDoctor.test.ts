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
    assert.match(saysOf(ill, "configuration"), /^wrong: wrong\.json: workspaces\[0\]/u)
    assert.strictEqual(
      saysOf(ill, "connections"),
      'wrong: "backup" of acme (production) cannot be used: connector "gone" is not installed'
    )
    assert.match(saysOf(ill, "timeouts"), /"main" has a timeout of 5000 ms, but the claim window is 4000 ms: increase/u)
    assert.match(
      saysOf(ill, "webhooks"),
      /^wrong: http:\/\/127\.0\.0\.1:9 \(whe_\S+\) of acme \(production\) is a private/u
    )
    assert.match(saysOf(ill, "base URL"), /^warning: http:\/\/127\.0\.0\.1:3000 is a local address/u)
    assert.match(saysOf(ill, "payments"), /^ok: 1 payment under review, the oldest for \d+ s; the server checks/u)
    assert.match(
      saysOf(ill, "deliveries"),
      /^warning: 2 given up in the last 7 days: see `pointsman webhooks list --workspace acme/u
    )

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
  const verdict = ({ says, verdict }: CheckLine) => `${verdict}: ${says}`
  const tenant = { workspaceId: "acme", environment: "sandbox" } as const

  it.each<[number, RegExp]>([
    [0, /^ok: 0 ms/u],
    [-2_000, /^ok: 2000 ms/u],
    [2_001, /^warning: the clock of this machine is 2001 ms behind the database clock/u],
    [
      -60_000,
      /^wrong: the clock of this machine is 60000 ms ahead of the database clock: the server takes no requests/u
    ]
  ])("doctor reports a database whose clock is %d ms ahead", (ahead, said) => {
    assert.match(verdict(clockLine(ahead)), said)
  })

  it("a database whose crash loses payments is wrong unless it is allowed", () => {
    const found = { faults: ["fsync is off"], warnings: ["full_page_writes is off"] }
    const said = (allowed: boolean) => durabilityLines(found, allowed).map(verdict)
    assert.deepStrictEqual(said(true), ["warning: fsync is off", "warning: full_page_writes is off"])
    assert.match(said(false)[0] ?? "", /^wrong: fsync is off\. .* POINTSMAN_ALLOW_ASYNC_COMMIT/u)
    assert.deepStrictEqual(durabilityLines({ faults: [], warnings: [] }, false).map(verdict), [
      "ok: commits are on the database's disk before they are acknowledged"
    ])
  })

  it.each<[number, boolean, RegExp]>([
    [8, false, /^warning: the file, schema version 8 is outdated; .* needs 9: start the server once to migrate$/u],
    [9, true, /^ok: the file, schema version 9$/u],
    [10, false, /^wrong: the file, schema version 10 was created by a newer release; this release supports up to 9/u]
  ])("schema number %d of 9 is recognized", (schema, isUsable, said) => {
    const found = schemaOf("the file", { schema, newest: 9 })
    assert.strictEqual(found.isUsable, isUsable)
    assert.match(found.lines.map(verdict).join("\n"), said)
  })

  it("a payment that waits is a warning if a person is needed, or after a day", () => {
    const now = 3 * 86_400_000
    const waits = (since: number, needsOperator: boolean) => ({ review: { since, reasons: [] }, needsOperator })
    const said = (hasMore: boolean, ...waiting: ReadonlyArray<ReturnType<typeof waits>>) =>
      verdict(reviewsLine(waiting, hasMore, { now }))
    assert.strictEqual(said(false), "ok: no payments under review")
    assert.match(
      said(false, waits(now - 86_399_999, false)),
      /^ok: 1 payment under review, the oldest for 23 h 59 min/u
    )
    assert.match(
      said(false, waits(now - 86_400_000, false)),
      /^warning: .* 1 d 0 h, 0 of them waiting for an operator/u
    )
    assert.match(
      said(true, waits(now - 1, false), waits(now, true)),
      /^warning: more than 2 payments .* 1 of them waiting/u
    )
  })

  it("messages to look at are counted by outcome, and the first one is named", () => {
    const outcomes = ["unreadable", "unmatched", "contradicts"] as const
    const said = (...counts: ReadonlyArray<number>) =>
      verdict(messagesLine(outcomes.map((outcome, at) => ({ outcome, count: counts[at] ?? 0 }))))
    assert.strictEqual(said(0, 0, 0), "ok: none unreadable, unmatched or contradicting in the last 7 days")
    assert.strictEqual(
      said(2, 99, 100),
      "warning: 2 unreadable, 99 unmatched, 100 or more contradicts in the last 7 days: see `pointsman messages list " +
        "--outcome unreadable`"
    )
    assert.match(said(0, 0, 1), /^warning: 1 contradicts in the last 7 days: .* --outcome contradicts`$/u)
  })

  it.each<[string, boolean]>([
    ["http://127.0.0.1/hook", true],
    ["http://2130706433/hook", true],
    ["https://[::1]:8443/hook", true],
    ["https://192.168.1.7/hook", true],
    ["http://localhost./hook", true],
    ["https://shop.example/hook", false],
    ["https://9.9.9.9/hook", false]
  ])("a webhook to %s is private or not", (url, isPrivate) => {
    const endpoint = { id: "whe_1", ...tenant, url, events: ["*"], sealedSecret: "" }
    const said = (active: boolean, allowPrivateWebhooks: boolean) =>
      webhookLines({ webhookEndpoints: [{ ...endpoint, active }] }, { allowPrivateWebhooks }).map(
        ({ verdict }) => verdict
      )
    assert.deepStrictEqual(said(true, false), [isPrivate ? "wrong" : "ok"])
    for (const one of [said(false, false), said(true, true)]) assert.deepStrictEqual(one, ["ok"])
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
    const said = (environment: "sandbox" | "production", revokedAt: number | null) =>
      baseUrlLines(
        { apiKeys: [{ ...key, environment, revokedAt }] },
        { baseUrl, host, port: 3000, tlsCertificate: null }
      ).map(({ verdict }) => verdict)
    assert.deepStrictEqual(said("production", null), [isLocal ? "warning" : "ok"])
    assert.deepStrictEqual([said("sandbox", null), said("production", 1)], [["ok"], ["ok"]])
  })

  it("a changed account is wrong, and accounts that are not known are named", () => {
    const first = { id: "acct_1", mode: "live" } as const
    const current = { id: "acct_2", mode: "live" } as const
    const one = (id: string, account?: ConnectionAccount, active = true) =>
      ({ id, active, ...(account === undefined ? {} : { account }) }) as Connection
    const known = { first, current: first, changedAt: null }
    const told = (...connections: ReadonlyArray<Connection>) =>
      accountLines({ connections }).map(({ says, verdict }) => [verdict, says])
    assert.deepStrictEqual(told(one("a", known)), [["ok", "known for all active connections"]])
    assert.deepStrictEqual(told(one("a", known), one("b"), one("c", undefined, false)), [
      [
        "warning",
        'the account of the connection "b" is not known: a lookup that does not find a payment settles nothing there. ' +
          "Its provider has not answered a server yet, or names no account. `GET /health/ready` lists those that have " +
          "not answered"
      ]
    ])
    const [[verdict, says] = []] = told(one("a", known), one("b", { first, current, changedAt: 1 }))
    assert.strictEqual(verdict, "wrong")
    assert.match(says ?? "", /connection "b" opened another account than acct_1 \(live\).* open acct_2 \(live\)/u)
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
      return lateLines([{ connection, reports }], now).map(verdict)
    }
    const fine = ["ok: those of 1 connection are fetched in time"]
    assert.deepStrictEqual(linesOf({ a: 69 * hour, b: 46 * hour }), fine)
    const [first, ...others] = linesOf({ a: 69 * hour - 1, b: 46 * hour })
    assert.match(first ?? "", /^warning: a of the connection "main" ends 1 d 7 h ago, and is late: see the log/u)
    assert.deepStrictEqual(others, [])
    const [never, ...fetched] = linesOf({ a: 99 * hour, b: null })
    assert.match(never ?? "", /^warning: b of the connection "main" was never fetched: see the log/u)
    assert.deepStrictEqual(fetched, [])
    const refused = lateLines([{ connection, reports: "connection: it cannot be used" }], now).map(verdict)
    assert.deepStrictEqual(refused, [
      'warning: those of the connection "main" cannot be fetched: connection: it cannot be used'
    ])
    assert.match(lateLines([], now).map(verdict)[0] ?? "", /^ok: no connection has reports that are fetched/u)
  })

  it("a loss of records is named until it has ended", () => {
    const waits = { recovered: ["main"], refundsWait: [], ended: null } as const
    const loss = { ...waits, number: 1, since: 0, reason: "a test", declaredAt: 1 }
    assert.match(verdict(lossLine(loss)), /^wrong: records since 1970-01-01T00:00:00\.000Z may be missing.*: main;/u)
    assert.strictEqual(lossLine({ ...loss, ended: { outcome: "accepted", at: 2 } }).verdict, "ok")
  })

  it("a workspace that needs two persons is named unless it has two operators", () => {
    const workspaces = [{ id: "acme", name: "Acme", country: null, category: null, suspended: false, partner: null }]
    const of = (...roles: ReadonlyArray<"support" | "operations">) =>
      fourEyesLines(
        { workspaces: workspaces.map((one) => ({ ...one, fourEyes: {} })) },
        roles.map((role) => ({ active: true, grants: [{ workspaceId: "acme", role }] }))
      )
    assert.match(of("operations", "support")[0]?.says ?? "", /"acme" asks for a second person, and 1 operator may/u)
    assert.deepStrictEqual(of("operations", "operations"), [
      ok("four eyes", "1 workspace, each with two operators or more")
    ])
    assert.deepStrictEqual(fourEyesLines({ workspaces }, []), [
      ok("four eyes", "no workspace asks for a second person")
    ])
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
