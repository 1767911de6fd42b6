/** `pointsman config check`, and what a start says of the same file. */
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { assertRefused, documentOf } from "./support/CommandProcess.ts"
import { liveKey } from "./support/Configurations.ts"
import { startServerHere } from "./support/ServerHere.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"

const connection = (id: string, more: object = {}) => ({
  id,
  environment: "production",
  connector: "http",
  credentials: { baseUrl: "http://127.0.0.1:9", apiKey: { $env: "API_KEY" } },
  ...more
})
const environment = { API_KEY: "visible-api-key" }

const good = {
  workspaces: [
    {
      id: "acme",
      keys: [{ environment: "production", secret: liveKey }],
      connections: [connection("main", { supports: { currencies: ["EUR"] } }), connection("backup")],
      routing: {
        production: {
          mode: "auto",
          auto: { exploration: 0.1 },
          rules: [{ name: "cards", when: { method: ["card"] }, use: { mode: "failover", order: ["backup"] } }]
        }
      }
    },
    { id: "globex", connections: [{ id: "play", environment: "sandbox" }] }
  ]
}

/** Still a file that a server starts with. */
const doubtful = {
  workspaces: [
    {
      id: "acme",
      country: "NL",
      connections: [connection("main", { supports: { currencies: ["EUR"] } }), connection("night", { active: false })],
      routing: {
        production: {
          rules: [
            { name: "dollars", when: { currency: ["USD"] }, use: { mode: "failover", order: ["main", "night"] } },
            { name: "cards", when: { method: ["card"] }, use: { mode: "failover" } },
            { name: "big\u001b cards", when: { method: ["card"], amount: { min: 5 } }, use: { mode: "failover" } }
          ],
          control: { share: 0.1, order: ["main", "night"] }
        }
      }
    }
  ]
}
const place = "workspaces[0].routing.production"
const lines = [
  `${place}.rules[0] "dollars" (dead): No connection can accept the payments that it decides: main does not accept USD; night is not active.`,
  `${place}.rules[2] "big\\u001b cards" (unreachable): Every payment that it matches is decided earlier by the rule "cards".`,
  `${place}.control (unused): night is never tried by the control group: it is not active.`
]

/** A folder that holds the files, by name. */
const folderWith = (files: Readonly<Record<string, unknown>>): string => {
  const folder = temporaryFolder()
  for (const [name, file] of Object.entries(files)) {
    writeFileSync(join(folder, name), typeof file === "string" ? file : JSON.stringify(file))
  }
  return folder
}

const check = ["config", "check"]

describe("pointsman config check", () => {
  it("checking a good file says what it covered, and leaves nothing behind", async () => {
    const folder = folderWith({ "good.json": good })
    // PostgreSQL would want a key of a start; nobody listens there either.
    const elsewhere = { ...environment, POINTSMAN_DATABASE_URL: "postgres://u:visible@127.0.0.1:9/x" }
    const [text, json] = await Promise.all([
      runHere(folder, [...check, "--strict"], { ...elsewhere, POINTSMAN_CONFIG: "good.json" }),
      runHere(folder, [...check, "--config", "good.json", "--json"], environment)
    ])
    assert.deepStrictEqual(text, { code: 0, stdout: "2 workspaces, 3 connections, 1 rule: no findings\n", stderr: "" })
    const checked = { workspaces: 2, connections: 3, rules: 1 }
    assert.deepStrictEqual(documentOf(json), { checked, mistakes: [], findings: [] })
    assert.deepStrictEqual(readdirSync(folder), ["good.json"])
  })

  it("parts that can never take effect are reported, and fail only with --strict", async () => {
    const folder = folderWith({ "doubtful.json": doubtful })
    const words = [...check, "--config", "doubtful.json"]
    const [text, strict] = await Promise.all([
      runHere(folder, words, environment),
      runHere(folder, [...words, "--strict", "--json"], environment)
    ])
    const found = lines.map((line) => `  ${line}\n`).join("")
    const stdout = `Findings in doubtful.json:\n${found}1 workspace, 2 connections, 3 rules: 3 findings\n`
    assert.deepStrictEqual(text, { code: 0, stdout, stderr: "" })
    assert.deepStrictEqual([strict.code, strict.stderr], [1, ""])
    const { findings, mistakes } = JSON.parse(strict.stdout)
    assert.deepStrictEqual(mistakes, [])
    assert.lengthOf(findings, 3)
    const reason = 'Every payment that it matches is decided earlier by the rule "cards".'
    const unreachable = { path: `${place}.rules[2]`, rule: "big\u001b cards", kind: "unreachable", reason }
    assert.deepStrictEqual(findings[1], unreachable)
  })

  it("a check reports public production providers without encryption", async () => {
    const at = (id: string, baseUrl: string, fields: object = {}) =>
      connection(id, { credentials: { baseUrl, apiKey: { $env: "API_KEY" } }, ...fields })
    const connections = [
      at("name", "http://payments.example.com"),
      at("address", "http://93.184.215.14:8080"),
      at("own-name", "http://payments.internal"),
      at("own-address", "http://10.0.0.7:8080"),
      at("beside", "http://adapter:8080"),
      at("encrypted", "https://payments.example.com"),
      at("sandbox", "http://payments.example.com", { environment: "sandbox" })
    ]
    const folder = folderWith({ "open.json": { workspaces: [{ id: "acme", connections }] } })
    const { code, stdout } = await runHere(folder, [...check, "--config", "open.json", "--strict"], environment)
    const lineOf = (index: number) =>
      `  workspaces[0].connections[${index}].credentials.baseUrl (insecure): Its payments and its secret reach the provider over the public internet without encryption. Use https.`
    const said = ["Findings in open.json:", lineOf(0), lineOf(1), "1 workspace, 7 connections, 0 rules: 2 findings\n"]
    assert.deepStrictEqual([code, stdout], [1, said.join("\n")])
  })

  it("a check of a file with mistakes, of none, or none named ends with 1 and says so", async () => {
    const folder = folderWith({ "good.json": good, "broken.json": `{ "workspaces": visible }` })
    const named = (name: string) => [...check, "--config", name]
    const [unset, unsetJson, broken, absent, none, setting] = await Promise.all([
      runHere(folder, named("good.json")),
      runHere(folder, [...named("good.json"), "--json"]),
      runHere(folder, named("broken.json")),
      runHere(folder, [...named("absent.json"), "--json"]),
      runHere(folder, check),
      runHere(folder, [...named("good.json"), "--claim-window", "x"], environment)
    ])
    const message = "the environment variable API_KEY is not set"
    const at = (index: number) => `workspaces[0].connections[${index}].credentials.apiKey`
    assert.deepStrictEqual(unset, {
      code: 1,
      stdout: `The configuration file good.json is invalid:\n  ${at(0)}: ${message}\n  ${at(1)}: ${message}\n`,
      stderr: ""
    })
    assert.deepStrictEqual(
      [unsetJson.code, JSON.parse(unsetJson.stdout)],
      [1, { checked: null, mistakes: [0, 1].map((index) => ({ path: at(index), message })), findings: [] }]
    )
    assert.deepStrictEqual([broken.code, absent.code], [1, 1])
    assert.match(broken.stdout, /^The configuration file broken\.json is not valid JSON/u)
    assert.notInclude(broken.stdout, "visible")
    const mistake = { path: null, message: "The configuration file absent.json cannot be read (NotFound)." }
    assert.deepStrictEqual(JSON.parse(absent.stdout), { checked: null, mistakes: [mistake], findings: [] })
    assertRefused(none, /^POINTSMAN_CONFIG \(--config\): expected the path of the configuration file to check\.\n$/u)
    assertRefused(setting, "POINTSMAN_CLAIM_WINDOW (--claim-window): expected")
  })

  it("a server prints parts that can never take effect, one per line, and serves", async () => {
    const server = await startServerHere({ configuration: doubtful, environment })
    assert.strictEqual((await server.request("GET", "/health/live", { key: null })).status, 200)
    const printed = server.stderr().trimEnd().split("\n")
    assert.deepStrictEqual(
      printed.filter((line) => !line.includes(" message=audit ")),
      lines
    )
    assert.notInclude(server.stdout(), place)
  })
})
