/**
 * Connectors that the configuration file names. The server runs from its bundle, which has a copy of Effect inside; the
 * connectors import the copy of this repository, as those of users import theirs.
 */
import { randomUUID } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { assert, describe, it, onTestFinished } from "vitest"
import { signedCharge, startPocketPay } from "../../../scripts/new-connector/PocketPayProvider.ts"
import { runHere } from "./support/CommandInProcess.ts"
import { runCommand } from "./support/CommandProcess.ts"
import { liveKey } from "./support/Configurations.ts"
import { isLong } from "./support/LongRuns.ts"
import { pay as create } from "./support/Pay.ts"
import { environmentOn, newDatabase, sharedPostgres } from "./support/PostgresServer.ts"
import { runServer, type ServerProcess, startServer, temporaryFolder } from "./support/ServerProcess.ts"

const inRepository = (path: string) => pathToFileURL(join(import.meta.dirname, "../../..", path)).href

/** The sources of this repository's packages, which are not built for a test. */
const bySources = { NODE_OPTIONS: "--conditions=@pointsman/source --disable-warning=ExperimentalWarning" }

const apiKey = "key_PLANTED/Zq7mV3"
const token = "tok_PLANTED/hJ4nB8"
const webhookSecret = "whsec_PLANTED+wS5pL0"

const writeIn = (folder: string, path: string, text: string): void => {
  mkdirSync(join(folder, path, ".."), { recursive: true })
  writeFileSync(join(folder, path), text)
}

/** One file in plain functions, and one installed package with Effect. */
const writeConnectors = (folder: string): void => {
  const plain = inRepository("scripts/new-connector/fixture-plain/src/PocketPayConnector.ts")
  const effect = inRepository("scripts/new-connector/fixture/src/index.ts")
  writeIn(
    folder,
    "connectors/pocketpay.ts",
    `import { definition } from "${plain}"\nconst connector: object = definition\nexport default connector\n`
  )
  const manifest = { name: "@acme/pocketpay", type: "module", exports: { ".": { import: "./main.js" } } }
  writeIn(folder, "node_modules/@acme/pocketpay/package.json", JSON.stringify(manifest))
  writeIn(
    folder,
    "node_modules/@acme/pocketpay/main.js",
    `import { definition } from "${effect}"\nexport const connectors = [{ ...definition, name: "pocket-pay-effect" }]\n`
  )
}

const connection = (url: string, id: string, connector: string) => ({
  id,
  environment: "production",
  connector,
  credentials: { url, apiKey },
  webhookSecret
})

const configurationAt = (url: string) => ({
  connectors: ["./connectors/pocketpay.ts", "@acme/pocketpay"],
  workspaces: [
    {
      id: "acme",
      keys: [{ environment: "production", secret: liveKey }],
      connections: [connection(url, "plain", "pocket-pay"), connection(url, "effect", "pocket-pay-effect")],
      routing: {
        production: {
          mode: "fixed",
          order: ["plain"],
          rules: [{ name: "yen", when: { currency: ["JPY"] }, use: { mode: "fixed", order: ["effect"] } }]
        }
      }
    }
  ]
})

const setUp = async () => {
  const folder = temporaryFolder()
  writeConnectors(folder)
  const provider = await startPocketPay()
  onTestFinished(provider.close)
  return { folder, provider, configuration: configurationAt(provider.url) }
}

const pay = async (server: ServerProcess, id: string, currency: string) => {
  const instruments = [{ connection: id, token }]
  const { body, status } = await create(server, randomUUID(), { amount: 1000, currency, method: "card", instruments })
  return [status, body.data?.status ?? body.error]
}

describe("connectors of the configuration file", () => {
  it("payments and messages use a file's and a package's connector, without secrets", async () => {
    const { configuration, folder, provider } = await setUp()
    const server = await startServer({ folder, configuration, environment: bySources })
    for (const [index, [id, currency]] of [["plain", "EUR"] as const, ["effect", "JPY"] as const].entries()) {
      assert.deepStrictEqual(await pay(server, id, currency), [201, "CAPTURED"], server.stderr())
      const charge = provider.charges[index]
      if (charge === undefined) return assert.fail("no charge came to the provider")
      assert.deepInclude(charge.body, { amount: 1000, currency, card: token })
      assert.strictEqual(charge.authorization, `Bearer ${apiKey}`)
      const message = signedCharge(charge, webhookSecret)
      const sent = { method: "POST", ...message }
      const answer = await fetch(`${server.url}/api/v1/psp-webhooks/${id}`, sent)
      assert.strictEqual(answer.status, 200, server.stderr())
      const forged = { ...sent, body: message.body.replace("1000", "2000") }
      assert.strictEqual((await fetch(`${server.url}/api/v1/psp-webhooks/${id}`, forged)).status, 401)
    }
    const doctor = await runCommand(folder, ["doctor", "--config", "pointsman.json", "--json"], bySources)
    const says = JSON.parse(doctor.stdout).data.checks.flatMap((line: Record<string, string>) =>
      line["check"] === "connectors" ? [`${line["verdict"]}: ${line["says"]}`] : []
    )
    const at = (path: string) => pathToFileURL(join(folder, path)).href
    assert.deepStrictEqual(says, [
      `ok: "pocket-pay" for sandbox and production, from ./connectors/pocketpay.ts (${at("connectors/pocketpay.ts")}): 1 connection`,
      `ok: "pocket-pay-effect" for sandbox and production, from @acme/pocketpay (${at("node_modules/@acme/pocketpay/main.js")}): 1 connection`
    ])
    const { stderr, stdout } = await server.stop()
    for (const secret of [apiKey, token, webhookSecret]) assert.notInclude(stdout + stderr + doctor.stdout, secret)
  })

  it("entries that cannot be loaded end the start with a line each, no stack trace", async () => {
    const folder = temporaryFolder()
    const defined = (fields: string) =>
      `import { definition } from "${inRepository("scripts/new-connector/fixture/src/index.ts")}"\n` +
      `export const connector = { ...definition, ${fields} }\n`
    const files: Readonly<Record<string, string>> = {
      "./throws.js": 'throw new Error("the key of Pocket Pay is missing\\nsecond line")',
      "./syntax.js": "export default {\n  name: ,\n}",
      "./nothing.js": "export const pocketPay = {}",
      "./number.js": "export default 42",
      "./needs.js": 'import "not-installed"\nexport default {}',
      "./taken.js": defined('name: "stripe"'),
      "./first.js": defined("environments: ['production']"),
      "./twice.js": defined("supports: {}"),
      "./supports.js": defined('name: "a", supports: { methods: "card" }'),
      "./place.js": defined('name: "b", environments: ["test"]'),
      "./plain.js": defined('name: "c", redact: undefined'),
      "./three.js": defined('name: "d", redact: (secret) => ({ _id: "Redacted", secret })'),
      "./enum.ts": "export enum Words { One }\nexport default {}",
      "./kind.js":
        `import { defineConnector } from "${inRepository("packages/node/src/connector.ts")}"\n` +
        'export default defineConnector({ name: "e", credentials: { apiKey: "password" }, charge() {}, lookUpCharge() {} })'
    }
    for (const [path, text] of Object.entries(files)) writeIn(folder, path, text)
    const entries = [...Object.keys(files), "./missing.js", "@acme/not-there"]
    const configuration = { connectors: entries, workspaces: [{ id: "acme", nmae: "Acme" }] }
    const { code, stderr } = await runServer({ folder, configuration, environment: bySources })
    assert.strictEqual(code, 1)
    assert.notMatch(stderr, /\n\s+at |second line/u)
    const said = stderr.split("\n").slice(1)
    const expected = [
      /throws\.js: it could not be loaded: the key of Pocket Pay is missing$/u,
      /syntax\.js: it could not be loaded: Unexpected token ','$/u,
      /nothing\.js: expected a connector definition as the default export, or as the export connector or connectors$/u,
      /number\.js: expected a connector definition, such as defineConnector of @pointsman\/node\/connector returns$/u,
      /needs\.js: it could not be loaded: Cannot find package 'not-installed' imported from \S+needs\.js$/u,
      /taken\.js: name: expected another name; "stripe" comes with the server$/u,
      /twice\.js: name: expected another name; "pocket-pay" is defined by \.\/first\.js$/u,
      /supports\.js: supports\.methods: expected /u,
      /place\.js: environments: expected a list with sandbox or production or both$/u,
      /plain\.js: redact: expected `Redacted\.make` of the `effect` that the connector imports$/u,
      /three\.js: it was made with another version of Effect: expected 4\.\d+\.\d+$/u,
      /enum\.ts: Node\.js \S+ cannot run this TypeScript file \(.+\): expected types that can be stripped/u,
      /kind\.js: it could not be loaded: defineConnector: credentials\.apiKey: expected secret, url, text$/u,
      /missing\.js: the file \S+missing\.js does not exist$/u,
      /connectors\[15\]: @acme\/not-there: the package was not found .+ begins with "\.\/"$/u,
      /workspaces\[0\]\.nmae: /u
    ]
    const check = await runCommand(folder, ["config", "check", "--config", "pointsman.json"], bySources)
    assert.strictEqual(check.code, 1)
    const lines = check.stdout.trim().split("\n").slice(1)
    assert.lengthOf(lines, expected.length, check.stdout)
    for (const [index, pattern] of expected.entries()) {
      assert.match(lines[index] ?? "", pattern)
      assert.strictEqual(said[index], lines[index])
    }
  })

  it.runIf(isLong)("credentials that a connector refuses are named by field, without the value", async () => {
    const { configuration, folder } = await setUp()
    const [workspace] = configuration.workspaces
    const wrong = {
      ...connection("https://pocket-pay.example", "plain", "pocket-pay"),
      credentials: { url: "ftp://x", apiKey }
    }
    const file = { ...configuration, workspaces: [{ ...workspace, connections: [wrong], routing: {} }] }
    writeIn(folder, "pointsman.json", JSON.stringify(file))
    const { code, stdout } = await runCommand(folder, ["config", "check", "--config", "pointsman.json"], bySources)
    assert.strictEqual(code, 1)
    assert.include(stdout, "workspaces[0].connections[0].credentials.url: expected an https URL")
    assert.notInclude(stdout, apiKey)
    assert.notInclude(stdout, "ftp://x")
  })

  it("a default definition beside a function connector is loaded", async () => {
    const folder = temporaryFolder()
    const redact = '() => ({ "~effect/Redacted": {} })'
    const fields = `name: "acme-pay", environments: ["sandbox"], supports: {}, connect: () => {}, redact: ${redact}`
    writeIn(folder, "mine.mjs", `export const connector = () => ({ ${fields} })\nexport default connector()`)
    writeIn(folder, "pointsman.json", JSON.stringify({ connectors: ["./mine.mjs"], workspaces: [] }))
    const { code, stdout } = await runHere(folder, ["config", "check", "--config", "pointsman.json"])
    assert.strictEqual(code, 0, stdout)
  })

  it.each([
    ["connectors[0]", ["pocket pay"]],
    ["connectors", ["./a.js", "./a.js"]],
    ["connectors", []],
    ["connectors", "./a.js"],
    ["connectors[0]", [{ $env: "NOT_SET" }]]
  ])("%s as %j is named as a mistake", async (path, connectors) => {
    const folder = temporaryFolder()
    writeIn(folder, "pointsman.json", JSON.stringify({ connectors, workspaces: [] }))
    const { code, stdout } = await runHere(folder, ["config", "check", "--config", "pointsman.json"])
    assert.strictEqual(code, 1)
    assert.include(stdout, `\n  ${path}: `)
  })

  it.runIf(isLong)("pointsman dev says that connectors need a restart, and payments succeed", async () => {
    const { configuration, folder, provider } = await setUp()
    writeIn(folder, "pointsman.json", JSON.stringify(configuration))
    const dev = await startServer({
      folder,
      environment: bySources,
      command: "dev",
      flags: ["--config", "pointsman.json"]
    })
    const applied = await runCommand(folder, ["config", "apply", "pointsman.json"], bySources)
    assert.strictEqual(applied.code, 0, applied.stderr)
    assert.include(applied.stderr, "Servers load connectors at their start: restart them")
    assert.deepStrictEqual(await pay(dev, "plain", "EUR"), [201, "CAPTURED"], dev.stderr())
    assert.lengthOf(provider.charges, 1)
  })
})

describe.skipIf(sharedPostgres.url === "" || !isLong)("connectors of the configuration file, in workers", () => {
  it("each of two workers has loaded the connectors for payments", async () => {
    const { configuration, folder, provider } = await setUp()
    const environment = { ...environmentOn(await newDatabase()), ...bySources, POINTSMAN_WORKERS: "2" }
    const server = await startServer({ folder, configuration, environment })
    for (let count = 1; count <= 12; count++) {
      assert.deepStrictEqual(await pay(server, "plain", "EUR"), [201, "CAPTURED"], server.stderr())
      assert.lengthOf(provider.charges, count)
    }
  })
})
