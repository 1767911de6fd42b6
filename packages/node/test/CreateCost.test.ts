/** What one create runs, counted. Each file and function more is read by everybody who follows a payment. */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { assert, it } from "vitest"
import { folder } from "./support/Shop.ts"

const root = join(import.meta.dirname, "../../..")
const door = (name: string) => JSON.stringify(pathToFileURL(join(root, `packages/node/src/${name}.ts`)).href)

/** Prints, for each of some creates, the functions that ran by file, and the statements. */
const program = `
import { randomBytes } from "node:crypto"
import { Session } from "node:inspector/promises"
import { StatementSync } from "node:sqlite"
const [{ createPointsman }, { sqlite }, { sandbox }] = await Promise.all([
  import(${door("index")}), import(${door("sqlite")}), import(${door("sandbox")})
])
const pointsman = await createPointsman({
  storage: sqlite("payments.db"),
  connectors: [sandbox()],
  encryptionKey: randomBytes(32).toString("base64"),
  environment: "sandbox",
  workspaces: [{ id: "shop", connections: [{ id: "first", environment: "sandbox" }] }],
  log: () => {}
})
const order = { amount: 1999, currency: "EUR", country: "NL", reference: "order" }
const create = (number) => pointsman.create(order, { idempotencyKey: "order-" + number + "-key" })
for (let number = 0; number < 20; number++) await create(number)
let statements = 0
for (const method of ["run", "all", "get"]) {
  const original = StatementSync.prototype[method]
  StatementSync.prototype[method] = function (...values) {
    statements++
    return original.apply(this, values)
  }
}
const session = new Session()
session.connect()
await session.post("Profiler.enable")
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
const counted = []
for (let number = 20; number < 32; number++) {
  await session.post("Profiler.takePreciseCoverage")
  statements = 0
  await create(number)
  const { result } = await session.post("Profiler.takePreciseCoverage")
  const files = result.flatMap(({ functions, url }) => {
    const calls = functions.reduce((sum, { ranges }) => sum + ranges[0].count, 0)
    return calls === 0 || !url.startsWith("file:") ? [] : [[url, calls]]
  })
  const scheduler = result.find(({ url }) => url.endsWith("/effect/dist/Scheduler.js"))
  const asked = scheduler.functions.find(({ functionName }) => functionName === "shouldYield")
  counted.push({ files, statements, operations: asked.ranges[0].count })
}
console.log(JSON.stringify(counted))
await pointsman.close()`

interface Counted {
  readonly files: ReadonlyArray<readonly [url: string, calls: number]>
  readonly statements: number
  /** Of fibers: before each one, the scheduler is asked whether another fiber is to run. */
  readonly operations: number
}

const countsOf = ({ files, operations, statements }: Counted) => {
  const base = `${pathToFileURL(root).href}/`
  const under = (path: string) => files.filter(([url]) => url.startsWith(base + path))
  const callsOf = (those: Counted["files"]) => those.reduce((sum, [, calls]) => sum + calls, 0)
  return {
    files: under("packages/").length,
    filesOfCore: under("packages/core/").length,
    functions: callsOf(under("packages/")),
    functionsOfEffect: callsOf(under("node_modules/effect/")),
    operations,
    statements
  }
}

/** Raise a number together with what needs it in every create, and not for what is rare. */
const most = {
  files: 60,
  filesOfCore: 34,
  functions: 1_064,
  functionsOfEffect: 1_737,
  operations: 132,
  statements: 14
}

it("a create over SQLite runs no more files, functions and statements than before", () => {
  const flags = ["--conditions=@pointsman/source", "--no-warnings", "--input-type=module", "--eval", program]
  const printed = execFileSync(process.execPath, flags, { cwd: folder(), encoding: "utf8" })
  // What runs in the background meanwhile is in some of them.
  const [least] = (JSON.parse(printed) as ReadonlyArray<Counted>)
    .map(countsOf)
    .toSorted((one, other) => one.functionsOfEffect - other.functionsOfEffect)
  assert.isDefined(least)
  for (const [name, count] of Object.entries(least)) assert.isAtMost(count, most[name as keyof typeof most], name)
})
