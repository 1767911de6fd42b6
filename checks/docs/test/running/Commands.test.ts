/**
 * The commands that pages show are run, in their order, by a shell and against a server that was started as the pages
 * say. What they answer is compared with what the page shows.
 */
import { execFile } from "node:child_process"
import { randomBytes } from "node:crypto"
import { readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it, onTestFinished } from "vitest"
import { bundledMain } from "../../../../packages/server/test/support/Bundle.ts"
import {
  type ServerProcess,
  startServer,
  temporaryFolder
} from "../../../../packages/server/test/support/ServerProcess.ts"
import { root, rootManifest } from "../../../tidy/Files.ts"
import { type Block, blocksOf } from "../../Blocks.ts"

const pageOf = (path: string) => blocksOf(path, readFileSync(join(root, path), "utf8"))

/** The block as a shell reads it, with the address of the server; a failure of HTTP is one of the command. */
const sh = (
  text: string,
  server?: ServerProcess,
  environment: Readonly<Record<string, string>> = {}
): Promise<string> =>
  new Promise((resolve, reject) => {
    const script = [
      "set -euo pipefail",
      'curl() { command curl --fail-with-body "$@"; }',
      text.replaceAll("http://127.0.0.1:3000", server?.url ?? "http://127.0.0.1:3000")
    ].join("\n")
    const key = server?.sandboxKey ?? ""
    const env = { ...process.env, POINTSMAN_API_KEY: key, ...environment }
    execFile("bash", ["-c", script], { env }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new Error(`${error.message}\n${stdout}\n${stderr}`))
    })
  })

/** Fields with the type of what they hold; of a list, what its first entry looks like. */
const shapeOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
  if (value === null) return "null"
  if (typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, shapeOf(inner)]))
  }
  return typeof value
}

interface Payment {
  readonly payment_id: string
  readonly status: string
  readonly payment_status: string
  readonly captured_amount: number
  readonly refunded_amount: number
  readonly routing?: {
    readonly attempts: ReadonlyArray<{ readonly connection_id: string; readonly outcome: string }>
  }
}

/** One for each request that the block sends. */
const bodiesIn = (output: string): ReadonlyArray<Payment> =>
  output
    .split(/(?<=\})\s*(?=\{)/u)
    .map((text) => JSON.parse(text))
    .map(({ data }) => data)

interface Expectation {
  /** A text that the block has, and no other on the page. */
  readonly has: string
  readonly is: (output: string) => void
}

/** What the commands of the first payment answer, but for the first, which is compared with the answer beside it. */
const expectations: ReadonlyArray<Expectation> = [
  { has: "'Idempotency-Key: order-1001'", is: (output) => assert.match(output, /^HTTP\/1\.1 201/u) },
  {
    has: '"simulate":{"charge":["soft_decline:do_not_honor","approve"]}',
    is: (output) => {
      const [payment] = bodiesIn(output)
      assert.strictEqual(payment?.status, "CAPTURED")
      assert.deepStrictEqual(
        payment?.routing?.attempts.map(({ connection_id, outcome }) => [connection_id, outcome]),
        [
          ["demo-first", "declined"],
          ["demo-second", "captured"]
        ]
      )
    }
  },
  {
    has: '/capture" -d \'{"amount":800}\'',
    is: (output) =>
      assert.deepStrictEqual(
        bodiesIn(output).map(({ captured_amount, refunded_amount, status }) => [
          status,
          captured_amount,
          refunded_amount
        ]),
        [
          ["CAPTURED", 800, 0],
          ["REFUNDED", 800, 800]
        ]
      )
  },
  { has: "payments?status=captured&limit=10", is: (output) => assert.match(output, /"next_cursor"/u) }
]

/** What a start prints, without what differs each time. */
const printed = (text: string) =>
  text
    .replaceAll(/ps_test_(?:…|[0-9A-Za-z]+)/gu, "<key>")
    .replaceAll(/console\/link\/(?:…|[\w-]+)/gu, "<link>")
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/gu, "<address>")
    .trim()

const shownStart = (blocks: ReadonlyArray<Block>) => blocks.find(({ text }) => text.includes("Base URL"))?.text ?? ""

/** Stopped after the test, which a server survives without an error. */
const startHere = async (options: Parameters<typeof startServer>[0] = { folder: temporaryFolder() }) => {
  const server = await startServer(options)
  onTestFinished(async () => assert.strictEqual((await server.stop()).code, 0))
  return server
}

const curlsOf = (path: string) =>
  pageOf(path).filter(({ language, text }) => language === "sh" && text.includes("curl "))

describe("the README", () => {
  it("the commands and the code of a screen print what it shows", async () => {
    const text = readFileSync(join(root, "README.md"), "utf8")
    assert.isAtMost(text.split("\n").length, 90)
    const blocks = pageOf("README.md")
    const commands = blocks.filter(({ language }) => language === "sh").map((block) => block.text)
    // The test that is running is part of the second one.
    assert.deepStrictEqual(commands, ["npm ci && npm start", "npm test"])
    assert.property(rootManifest().scripts, "test")

    const server = await startHere()
    assert.include(printed(server.stdout()), printed(shownStart(blocks)))

    const folder = temporaryFolder()
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }')
    writeFileSync(join(folder, "shop.ts"), blocks.find(({ language }) => language === "ts")?.text ?? "")
    const run = `cd '${folder}' && ENCRYPTION_KEY=${randomBytes(32).toString("base64")} '${process.execPath}' --conditions=@pointsman/source shop.ts | tail -n 1`
    assert.deepStrictEqual([await sh(run), await sh(run)], ["CAPTURED\n", "CAPTURED\n"])
  })
})

describe("the first payment", () => {
  it("commands of a start run in order answer what the page says", async () => {
    const blocks = pageOf("docs/start.md")
    const scripts = rootManifest().scripts ?? {}
    assert.strictEqual(blocks.find(({ text }) => text.includes("npm start"))?.text, "npm ci && npm start")
    assert.match(scripts["start"] ?? "", /^node .*scripts\/start\.mjs serve$/u)

    const server = await startHere()
    assert.include(printed(server.stdout()), printed(shownStart(blocks)))

    const example = JSON.parse(blocks.find(({ language }) => language === "json")?.text ?? "")
    const first = JSON.parse(await sh(server.curl ?? "", server))
    assert.deepStrictEqual(shapeOf(first), shapeOf(example))
    assert.strictEqual(first.data.status, example.data.status)

    const manual = await server.request("POST", "/api/v1/payments", {
      body: { amount: 1000, currency: "EUR", country: "NL", capture_method: "manual" }
    })
    const curls = curlsOf("docs/start.md")
    const expected = new Map<Block, Expectation | undefined>(
      curls.map((block) => [block, expectations.find(({ has }) => block.text.includes(has))])
    )
    assert.strictEqual(new Set(expected.values()).size, expectations.length, "every expectation has its block")
    for (const [block, expectation] of expected) {
      const output = await sh(block.text, server, { PAYMENT_ID: manual.body.data.payment_id })
      assert.isDefined(expectation, `${block.path}:${block.line}: nothing is said of what it answers`)
      expectation?.is(output)
      if (block.text.includes("Idempotency-Key: order-1001")) {
        assert.notMatch(output, /^idempotent-replay:/imu)
        assert.match(await sh(block.text, server), /^idempotent-replay: true/imu)
      }
    }
  })
})

describe("other pages", () => {
  it("a shown request is answered as the pages say", async () => {
    const server = await startHere()
    const [unknown, ...noMore] = curlsOf("docs/concepts/unknown.md")
    assert.isEmpty(noMore)
    const answers = [await sh(unknown?.text ?? "", server), await sh(unknown?.text ?? "", server)]
    for (const [payment] of answers.map(bodiesIn)) {
      assert.strictEqual(payment?.payment_status, "UNKNOWN")
      assert.lengthOf(payment?.routing?.attempts ?? [], 1)
    }

    const hosted = pageOf("docs/guides/hosted-page.md")
    const [create, read] = curlsOf("docs/guides/hosted-page.md")
    const example = JSON.parse(hosted.find(({ language }) => language === "json")?.text ?? "")
    const [created] = bodiesIn(await sh(create?.text ?? "", server))
    assert.deepStrictEqual(
      Object.fromEntries(Object.keys(example.data).map((field) => [field, shapeOf(Object(created)[field])])),
      shapeOf(example.data)
    )
    const command = (read?.text ?? "").replace(example.data.payment_id, String(created?.payment_id))
    assert.notStrictEqual(command, read?.text)
    const [seen] = bodiesIn(await sh(command, server))
    assert.strictEqual(seen?.payment_status, "REQUIRES_ACTION")
  })
})

describe("the guide to disputes", () => {
  it("the commands of pointsman dev's page win the dispute, with its webhooks", async () => {
    const server = await startHere({ folder: temporaryFolder(), command: "dev" })
    const [begun = "", ended = "", ...noMore] = pageOf("docs/guides/disputes.md")
      .filter(({ language }) => language === "sh")
      .map(({ text }) => text)
    assert.isEmpty(noMore)
    // Between the two, the page waits for the first reminder.
    const reminder = `for turn in {1..60}; do curl -sS ${server.url}/api/v1/events?limit=20 -H "Authorization: Bearer $POINTSMAN_API_KEY" | grep -q dispute.evidence_due && break; sleep 0.5; done`
    const output = await sh([begun, reminder, ended].join("\n"), server)
    assert.include(output, '"status":"won"')
    for (const type of ["opened", "evidence_due", "submitted", "won"]) {
      assert.match(server.stdout(), new RegExp(`^\\S+Z {2}dispute\\.${type} `, "mu"))
    }
  })
})

describe("the guide to close a month", () => {
  it("the commands of the sandbox's page reconcile and export a payment's month", async () => {
    const folder = temporaryFolder()
    const server = await startHere({ folder })
    const made = await server.request("POST", "/api/v1/payments", {
      body: { amount: 1999, currency: "EUR", country: "NL", reference: "order-1" }
    })
    assert.strictEqual(made.body.data.status, "CAPTURED")
    const connection = made.body.data.routing.attempts[0].connection_id
    const id = made.body.data.payment_id
    const refund = await server.request("POST", `/api/v1/payments/${id}/refunds`, { body: { amount: 500 } })
    assert.strictEqual(refund.status, 200)
    const events = await server.request("GET", `/api/v1/payments/${id}/events`)
    const [, refundId = "none"] = /"refund_id":"(rf_[0-9a-f-]+)"/u.exec(JSON.stringify(events.body)) ?? []
    // The page's report, of this payment and of now.
    const report = readFileSync(join(root, "docs/guides/reports/settlement-2026-11.csv"), "utf8")
      .replaceAll(/2026-11-[0-9]{2}T[0-9:]{8}Z/gu, new Date().toISOString())
      .replaceAll(/att_[0-9a-f-]+/gu, made.body.data.routing.attempts[0].attempt_id)
      .replaceAll(/rf_[0-9a-f-]+/gu, refundId)
    writeFileSync(join(folder, "settlement-2026-11.csv"), report)

    const commands = pageOf("docs/guides/finance.md")
      .filter(({ language }) => language === "sh")
      .flatMap(({ text }) => text.split("\n").filter((line) => line.startsWith("pointsman ")))
    assert.lengthOf(commands, 11)
    const shown = new Map<string, string>()
    for (const command of commands) {
      // As on the page, but of what the sandbox has now.
      const line = command
        .replace("--environment production", "--environment sandbox")
        .replace("acquirer-eu", connection)
        .replace("--from 2026-11-01 --to 2026-12-01", '--from "1 day"')
        .replace("--to 2026-12-01", "")
        .replace("--from 2026-11-01 --until 2026-12-01", '--from "1 day"')
        .replace("--from 2026-11-01", '--from "1 day"')
      const [asked = "", file] = line.split(" > ")
      const run = asked.startsWith("pointsman reconcile run ") ? `! ${asked}` : asked
      const script = `cd '${folder}'\npointsman() { '${process.execPath}' '${bundledMain}' "$@" 2>/dev/null; }\n${run}`
      shown.set(file ?? command, await sh(script, server))
    }
    const of = (words: string) => [...shown].flatMap(([command, text]) => (command.startsWith(words) ? [text] : []))
    const [before = "", after = ""] = of("pointsman books balance")
    assert.match(before, /Income:Sales:\S+ +-19\.99 /u)
    assert.match(after, /Income:Sales:\S+ +-19\.99 /u)
    assert.match(after, /Assets:Payouts:\S+ +21\.45 /u)
    assert.match(after, /Equity:Unexplained:\S+ +-7\.00 /u)
    assert.match(of("pointsman reconcile differences").join(""), /txn_3 +.*missing_here|missing_here.*txn_3/u)
    assert.match(of("pointsman reconcile close").join(""), /^Closed /u)
    assert.match(of("pointsman reconcile balance").join(""), / -€21\.45 /u)
    assert.include(of("pointsman reconcile payouts").join(""), "po_1")
    assert.include(shown.get("po_1.csv") ?? "", "po_1")
    const settled = await server.request("GET", `/api/v1/payments/${id}`)
    assert.deepInclude(settled.body.data.settlement, { payout_id: "po_1", fee: 34, net: 1965 })
    const exports = [...shown].filter(([name]) => name.startsWith("2026-11."))
    assert.lengthOf(exports, 3)
    for (const [, text] of exports) assert.include(text, "19.99")
    assert.match(shown.get("2026-11.beancount") ?? "", /^plugin "beancount\.plugins\.auto_accounts"$/mu)
    assert.match(shown.get("2026-11.ledger") ?? "", /^ {4}Income:Sales:\S+:EUR {2}-19\.99 EUR$/mu)
    assert.match(shown.get("2026-11.csv") ?? "", /^date,transaction_id,/u)
  })
})
