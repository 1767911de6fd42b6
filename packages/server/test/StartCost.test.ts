/** What a server loads until it has answered its first payment, counted. All of it costs each start time and memory. */
import { readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { assert, it } from "vitest"
import { configurationWith, connectionTo } from "./support/Configurations.ts"
import { pay } from "./support/Pay.ts"
import { startProvider } from "./support/ScriptedProvider.ts"
import { startServer, temporaryFolder } from "./support/ServerProcess.ts"

/** Writes the files and the modules of Node that the process has loaded when it ends. */
const watch = (to: string) => `
import { writeFileSync } from "node:fs"
import { registerHooks } from "node:module"
import { fileURLToPath } from "node:url"
const files = []
registerHooks({
  load: (url, context, next) => {
    if (url.startsWith("file:")) files.push(fileURLToPath(url))
    return next(url, context)
  }
})
process.on("exit", () => writeFileSync(${JSON.stringify(to)}, JSON.stringify({ files, modules: process.moduleLoadList })))`

interface Loaded {
  readonly files: ReadonlyArray<string>
  readonly modules: ReadonlyArray<string>
}

const loadedUntilFirstPayment = async (): Promise<Loaded> => {
  const folder = temporaryFolder()
  const to = join(folder, "loaded.json")
  const provider = await startProvider()
  const server = await startServer({
    folder,
    configuration: configurationWith(connectionTo(provider)),
    environment: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(watch(to))}` }
  })
  const body = { amount: 1_000, currency: "EUR", country: "NL" }
  const { status } = await pay(server, "first-order", body)
  assert.strictEqual(status, 201)
  await server.stop()
  return JSON.parse(readFileSync(to, "utf8")) as Loaded
}

/** Loaded by the first command, visit or request that needs it. The bundle names these files after their sources. */
const later =
  /^(?:AllCommands|Dev|DocsContent|Document|Doctor|HomeContent|HostedHandlers|Mcp|Otlp|RunCommand|httpApiScalar)-/u

/** Raise it together with what every start needs, and not for what may wait. */
const mostKilobytes = 2_660

it("a first payment on SQLite has loaded no more than the server needs", async () => {
  const { files, modules } = await loadedUntilFirstPayment()
  assert.isAbove(files.length, 20)
  assert.deepStrictEqual(
    files.filter((file) => later.test(basename(file))),
    []
  )
  assert.notInclude(modules, "NativeModule readline")
  const texts = files.map((file) => readFileSync(file))
  assert.isAtMost(texts.reduce((sum, { length }) => sum + length, 0) / 1_000, mostKilobytes)
  // One character beyond Latin-1, and V8 keeps two bytes for each character of the file.
  const wide = files.filter((_, index) => texts[index]?.some((byte) => byte > 0x7f))
  assert.deepStrictEqual(wide, [])
})
