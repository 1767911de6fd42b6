import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { assertRefused } from "./support/CommandProcess.ts"
import { configurationWith, connectionTo, testKey } from "./support/Configurations.ts"
import { serveHttp } from "./support/HttpHere.ts"
import { runServerHere, type ServerHere, startServerHere } from "./support/ServerHere.ts"
import { type JsonAnswer, startServer, temporaryFolder } from "./support/ServerProcess.ts"

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

/** The printed command, as a shell would read it. */
const runCurl = async (server: Pick<ServerHere, "curl">): Promise<Pick<JsonAnswer, "status" | "body">> => {
  const words = Array.from(
    (server.curl ?? "").matchAll(/'([^']*)'|(\S+)/gu),
    ([, quoted, bare]) => quoted ?? bare ?? ""
  )
  const valuesOf = (flag: string) => words.filter((_, at) => words[at - 1] === flag)
  const url = words.find((word) => word.startsWith("http://"))
  assert.deepStrictEqual(words.slice(0, 2), ["curl", "-sS"])
  const answer = await fetch(url as string, {
    method: "POST",
    headers: Object.fromEntries(valuesOf("-H").map((header) => header.split(": ") as [string, string])),
    body: valuesOf("-d")[0] as string
  })
  return { status: answer.status, body: await answer.json() }
}

describe("a start without configuration", () => {
  it("a server in an empty folder prints a command that makes a captured payment", async () => {
    const folder = temporaryFolder()
    const server = await startServer({ folder })
    assert.include(server.stdout(), `Base URL  ${server.url}\n`)
    assert.strictEqual(server.stderr(), "")
    const { status, body } = await runCurl(server)
    assert.strictEqual(status, 201)
    assert.strictEqual(body.data.status, "CAPTURED")
    assert.strictEqual(body.data.routing.mode, "failover")
    assert.lengthOf(body.data.routing.candidates, 2)

    const kept = join(folder, ".pointsman")
    assert.strictEqual(modeOf(kept), "700")
    assert.strictEqual(readFileSync(join(kept, ".gitignore"), "utf8"), "*\n")
    for (const file of [
      "pointsman.db",
      "pointsman.db.encryption-key",
      "pointsman.db.sandbox-key",
      "pointsman.db.sandbox-records"
    ]) {
      assert.strictEqual(modeOf(join(kept, file)), "600", file)
    }
    assert.deepStrictEqual(
      readdirSync(kept).filter((file) => file.endsWith(".draft")),
      []
    )
    assert.strictEqual((await server.stop()).code, 0)
  })

  it("/ and /docs of the demo say how to begin, and do not contain the key", async () => {
    const demo = await startServerHere()
    const [, printed = ""] = /^ {2}Docs {6}(\S+)$/mu.exec(demo.stdout()) ?? []
    assert.strictEqual(printed, `${demo.url}/docs`)
    const docs = await (await fetch(printed)).text()
    assert.include(docs, "the API key that the server printed at startup")
    const home = await fetch(demo.url)
    assert.strictEqual(home.status, 200)
    for (const page of [docs, await home.text()]) assert.notInclude(page, demo.sandboxKey ?? "no key was printed")

    await demo.stop()

    // A server of somebody's own printed no key.
    const configured = await startServerHere({
      configuration: { workspaces: [{ id: "acme", keys: [{ environment: "sandbox", secret: testKey }] }] }
    })
    assert.include(configured.stdout(), `  Docs      ${configured.url}/docs\n`)
    const plain = await (await fetch(`${configured.url}/docs`)).text()
    assert.include(plain, "<title>Pointsman: ")
    assert.notInclude(plain, "printed at startup")
  })

  it("a server that starts again keeps keys and payments; a lost key has a successor", async () => {
    const folder = temporaryFolder()
    const first = await startServerHere({ folder })
    const make = (server: ServerHere) =>
      server.request("POST", "/api/v1/payments", {
        idempotencyKey: "order-4711",
        body: { amount: 1000, currency: "EUR", country: "NL" }
      })
    const made = await make(first)
    assert.strictEqual(made.status, 201)
    assert.strictEqual((await first.stop()).code, 0)

    const second = await startServerHere({ folder })
    assert.strictEqual(second.sandboxKey, first.sandboxKey)
    const repeated = await make(second)
    assert.strictEqual(repeated.headers.get("idempotent-replay"), "true")
    const [kept, ...others] = (await second.request("GET", "/api/v1/payments")).body.data
    assert.deepStrictEqual([kept.id, kept.status, others], [made.body.data.id, "CAPTURED", []])
    assert.strictEqual(repeated.body.data.id, kept.id)
    await second.stop()

    rmSync(join(folder, ".pointsman/pointsman.db.sandbox-key"))
    const third = await startServerHere({ folder })
    assert.notStrictEqual(third.sandboxKey, first.sandboxKey)
    assert.strictEqual((await runCurl(third)).status, 201)
  })

  it("a start is not held up by what a crash left of the key files", async () => {
    const folder = temporaryFolder()
    const kept = join(folder, ".pointsman")
    mkdirSync(kept)
    writeFileSync(join(kept, "pointsman.db.encryption-key"), "AAAA")
    writeFileSync(join(kept, "pointsman.db.encryption-key.0011223344556677.draft"), "AAAA")
    writeFileSync(join(kept, "pointsman.db.sandbox-key"), "ps_test_XC5a")
    writeFileSync(join(kept, "pointsman.db"), "")
    const server = await startServerHere({ folder })
    assert.strictEqual((await runCurl(server)).status, 201)
    for (const file of ["pointsman.db.encryption-key", "pointsman.db.sandbox-key", "pointsman.db.sandbox-records"]) {
      assert.strictEqual(modeOf(join(kept, file)), "600", file)
    }
    await server.stop()
    const again = await startServerHere({ folder })
    assert.strictEqual(again.sandboxKey, server.sandboxKey)
  })

  it("a server's files lie beside its database, and one in memory has none", async () => {
    for (const [url, files, beside] of [
      ["sqlite::memory:", [], []],
      ["sqlite:data/shop.db", ["data"], ["shop.db", "shop.db.encryption-key", "shop.db.sandbox-key"]]
    ] as const) {
      const folder = temporaryFolder()
      const server = await startServerHere({ folder, flags: ["--database-url", url] })
      assert.strictEqual((await runCurl(server)).status, 201)
      await server.stop()
      assert.deepStrictEqual(readdirSync(folder), [...files])
      assert.includeMembers(readdirSync(join(folder, files[0] ?? ".")), [...beside])
    }
  })

  it("production in memory is refused unless allowed, which doctor reports", async () => {
    const folder = temporaryFolder()
    const configuration = configurationWith(connectionTo({ url: "http://127.0.0.1:9", apiKey: "key" }))
    const environment = { POINTSMAN_DATABASE_URL: "sqlite::memory:" }
    const refused = await runServerHere({ folder, configuration, environment })
    assertRefused(
      refused,
      /^POINTSMAN_DATABASE_URL \(--database-url\): expected a database that outlives the server, because the connection "main" is for production: .* or set POINTSMAN_ALLOW_VOLATILE_STORAGE \(--allow-volatile-storage\) to true/mu
    )
    const verdictOf = async (settings: Readonly<Record<string, string>>) => {
      const { stdout } = await runHere(folder, ["doctor", "--json", "--config", "pointsman.json"], settings)
      return JSON.parse(stdout).data.checks.find(({ check }: { readonly check: string }) => check === "database")
    }
    assert.deepInclude(await verdictOf(environment), { verdict: "wrong", says: refused.stderr.trim() })

    const allowed = { ...environment, POINTSMAN_ALLOW_VOLATILE_STORAGE: "true" }
    assert.deepInclude(await verdictOf(allowed), { verdict: "warning" })
    const server = await startServerHere({ folder, configuration, environment: allowed })
    await server.stop()
  })

  it("a start at a port that another program uses changes nothing and says so", async () => {
    const { port } = await serveHttp(() => {})
    const folder = temporaryFolder()
    const said = `Port ${port} on 127.0.0.1 is already in use. Stop the program that uses it, or set PORT (--port) to another port.\n`
    const ended = await runServerHere({ folder, flags: ["--port", String(port)] })
    assert.deepStrictEqual(ended, { code: 1, stdout: "", stderr: said })
    assert.deepStrictEqual(readdirSync(folder), [])
  })

  it("two servers that start at once in a new folder serve the same payments", async () => {
    const folder = temporaryFolder()
    const [one, two] = await Promise.all([startServer({ folder }), startServer({ folder })])
    const made = await runCurl(one)
    assert.strictEqual(made.status, 201)
    const read = await two.request("GET", `/api/v1/payments/${made.body.data.id}`)
    assert.strictEqual(read.status, 200)
    assert.strictEqual((await runCurl(two)).status, 201)
  })
})

describe("wrong settings", () => {
  it.each<[string, Record<string, string>, ReadonlyArray<string>, RegExp]>([
    [
      "PostgreSQL without a key",
      { POINTSMAN_DATABASE_URL: "postgres://u:visible@127.0.0.1:1/x" },
      [],
      /^POINTSMAN_ENCRYPTION_KEY \(--encryption-key\): expected base64 of 32 bytes.* required with PostgreSQL/
    ],
    ["a file that is not there", { POINTSMAN_CONFIG: "nowhere.json" }, [], /nowhere\.json cannot be read \(NotFound\)/],
    ["another machine's address", { HOST: "192.0.2.1" }, [], /HOST \(--host\): expected an address of this machine/],
    [
      "a folder for a database",
      { POINTSMAN_DATABASE_URL: "sqlite:." },
      [],
      /^POINTSMAN_DATABASE_URL \(--database-url\): expected the path of a file, but \. is a directory/
    ]
  ])("%s stops the start with 1 and says what is wrong", async (_, environment, flags, said) => {
    const exited = await runServerHere({ environment, flags })
    assertRefused(exited, said)
    assert.notInclude(exited.stderr, "visible")
  })
})
