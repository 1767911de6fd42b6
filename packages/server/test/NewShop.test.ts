/** The shops that `pointsman init` writes: their types, a payment with the simulator, and one on a provider's test page. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { type Framework, frameworks } from "../src/ProjectFiles.ts"
import { type Provider, providers } from "../src/ProviderRows.ts"
import { runHere } from "./support/CommandInProcess.ts"
import { makeFormCustomer } from "./support/journeys/Customer.ts"
import { isLong } from "./support/LongRuns.ts"
import {
  checkTypes,
  enterKeys,
  install,
  openProvider,
  payAtProvider,
  payOnSimulator,
  startShop,
  writeShop
} from "./support/NewShop.ts"
import { startNext } from "./support/RunningNext.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const names = Object.keys(frameworks) as ReadonlyArray<Framework>

/** Each framework with one provider, and each provider with one framework; the first one in `npm test`. */
const projects: ReadonlyArray<readonly [Framework, Provider]> = [
  ["express", "stripe"],
  ...names.slice(1).map((framework) => [framework, "stripe"] as const),
  ...providers.slice(1).map((provider) => ["express", provider] as const)
]

it.each(isLong ? projects : projects.slice(0, 1))(
  "a shop on %s with %s has good types, and simulated and real customers pay",
  { timeout: 120_000 },
  async (framework, name) => {
    const folder = await writeShop(framework, name)
    install(folder)
    // `npm run typecheck` checks the templates too.
    if (isLong) await checkTypes(folder)
    const simulated = await startShop(folder)
    await payOnSimulator(simulated, makeFormCustomer())
    await simulated.stop()

    const opened = await openProvider(name)
    enterKeys(folder, name, opened.standIn)
    await payAtProvider(await startShop(folder), opened, makeFormCustomer())
  }
)

// Needs the packages built: `npm run build`, then POINTSMAN_NEXT=build.
it.runIf(process.env["POINTSMAN_NEXT"] === "build")(
  "a shop on Next run by Next is paid, and its settings stay as written",
  { timeout: 120_000 },
  async () => {
    const folder = await writeShop("next", "stripe")
    const settings = readFileSync(join(folder, "tsconfig.json"), "utf8")
    const url = await startNext(folder)
    const customer = makeFormCustomer()
    await customer.goTo(url)
    await customer.press("Buy tea")
    await customer.press("Approve")
    await customer.sees("Thank you")
    assert.strictEqual(readFileSync(join(folder, "tsconfig.json"), "utf8"), settings)
  }
)

/** Of util-linux: it gives a program a terminal. */
const terminal = "/usr/bin/script"
const hasTerminals = process.platform === "linux" && existsSync(terminal)

/** Answers the questions of `pointsman init` in a terminal, one after the other, and gives all that it printed. */
const answer = async (folder: string, answers: ReadonlyArray<readonly [RegExp, string]>): Promise<string> => {
  const command = `${process.execPath} --conditions=@pointsman/source ${join(root, "packages/server/src/main.ts")} init`
  const child = spawn(terminal, ["-qec", command, "/dev/null"], { cwd: folder, stdio: ["pipe", "pipe", "inherit"] })
  const ended = once(child, "exit")
  const [...left] = answers
  let printed = ""
  child.stdout.on("data", (chunk: Buffer) => {
    printed += chunk.toString("utf8")
    const [next] = left
    if (next?.[0].test(printed) !== true) return
    left.shift()
    child.stdin.write(next[1])
  })
  await ended
  return printed
}

describe("pointsman init", () => {
  it("files that are there are named, and nothing is written", async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, "server.ts"), "mine")
    mkdirSync(join(folder, "README.md"))
    const end = await runHere(folder, ["init", "--framework", "express", "--provider", "stripe"])
    assert.deepStrictEqual([end.code, end.stdout], [1, ""])
    assert.match(end.stderr, /^README\.md, server\.ts already exist in \S+; nothing was written\.\n$/u)
    assert.deepStrictEqual(readdirSync(folder).toSorted(), ["README.md", "server.ts"])
  })

  it("a call without a terminal and flags says which flag it expects", async () => {
    const folder = temporaryFolder()
    const bare = await runHere(folder, ["init"])
    assert.strictEqual(bare.code, 1)
    assert.match(bare.stderr, /^Missing required flag: --framework .*choices: express, fastify, hono, next, none/u)
    const half = await runHere(folder, ["init", "--framework", "hono"])
    assert.deepStrictEqual(half, {
      ...{ code: 1, stdout: "" },
      stderr: "--provider: expected one of stripe, adyen, mollie, paypal, checkout.\n"
    })
    const both = await runHere(folder, ["init", "--framework", "none", "--provider", "stripe"])
    assert.strictEqual(both.stderr, "--provider: expected a framework other than none.\n")
    assert.deepStrictEqual(readdirSync(folder), [])
  })

  it.runIf(hasTerminals)("a terminal asks for the framework and the provider", async () => {
    const folder = temporaryFolder()
    const asked = await answer(folder, [
      [/Which framework\?/u, "\u001b[B\r"],
      [/Which provider\?/u, "\u001b[B\u001b[B\r"]
    ])
    assert.match(asked, /Written: package\.json/u)
    const read = (name: string) => readFileSync(join(folder, name), "utf8")
    assert.include(read("server.ts"), 'from "fastify"')
    assert.include(read("shop.ts"), 'from "@pointsman/node/mollie"')
  })

  it.each(names)("a shop on %s has its secrets in .env only, which git does not see", async (framework) => {
    const folder = await writeShop(framework, "stripe")
    const read = (name: string) => readFileSync(join(folder, name), "utf8")
    assert.strictEqual(statSync(join(folder, ".env")).mode & 0o777, 0o600)
    assert.include(read(".gitignore").split("\n"), ".env")
    const secrets = Array.from(read(".env").matchAll(/^(\w+)=(\S{20,})$/gmu), ([, , value = ""]) => value)
    const drawn = secrets.filter((value) => !value.startsWith("http"))
    assert.lengthOf(drawn, 4)
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
      (path) => path !== ".env" && statSync(join(folder, path)).isFile()
    )
    for (const path of files) for (const value of drawn) assert.notInclude(read(path), value, path)
    assert.isAtMost(read("README.md").trimEnd().split("\n").length, 24)
  })
})

describe("the templates of new shops", () => {
  const read = (path: string) => readFileSync(join(root, path), "utf8")
  const template = (name: string) => read(`packages/server/templates/project/${name}`)

  it.each(names)("the packages of %s have the versions of its example", (framework) => {
    const { dependencies, devDependencies } = JSON.parse(read(`examples/${framework}/package.json`))
    const { "@pointsman/node": _, ...others } = dependencies
    assert.deepEqual({ ...frameworks[framework].dependencies }, others)
    assert.deepEqual({ ...frameworks[framework].devDependencies }, devDependencies ?? {})
  })

  /** What connects Pointsman with a framework is the same in the example, which has tests of its own. */
  it.each([
    ["express.ts", "examples/express/src/Shop.ts", ["app.use(pointsman.listener)"]],
    ["express.ts", "examples/express/src/main.ts", ["server.close()", "server.closeAllConnections()"]],
    [
      "fastify.ts",
      "examples/fastify/src/Shop.ts",
      [
        "api.removeAllContentTypeParsers()",
        'api.addContentTypeParser("*", (_request, _body, done) => done(null))',
        "reply.hijack()",
        "pointsman.listener(request.raw, reply.raw)",
        'app.addHook("preClose", () => pointsman.close())'
      ]
    ],
    ["hono.ts", "examples/hono/src/Shop.ts", ['app.all("/api/v1/*", (context) => pointsman.handler(context.req.raw))']],
    [
      "app/api/v1/[...path]/route.ts",
      "examples/next/app/api/v1/[...path]/route.ts",
      [
        "const handle = async (request: Request): Promise<Response> => (await pointsman()).handler(request)",
        "export { handle as DELETE, handle as GET, handle as PATCH, handle as POST, handle as PUT }"
      ]
    ]
  ] as const)("%s is connected as %s is", (name, example, lines) => {
    for (const line of lines) {
      assert.include(template(name), line)
      assert.include(read(example), line)
    }
  })

  it("the settings of the example of Next are those of a new shop", async () => {
    const folder = await writeShop("next", "stripe")
    assert.strictEqual(readFileSync(join(folder, "next.config.ts"), "utf8"), read("examples/next/next.config.ts"))
    assert.isTrue(existsSync(join(folder, "app/hosted/[...path]/route.ts")))
  })
})
