/** What a start loads, counted. Each module costs every program time and memory, whether or not it is used. */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { assert, describe, it } from "vitest"

const root = join(import.meta.dirname, "../../..")
const door = (name: string) => JSON.stringify(pathToFileURL(join(root, `packages/node/src/${name}.ts`)).href)

const program = `
import { registerHooks } from "node:module"
const loaded = []
registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
const [{ createPointsman }, { memory }, { sandbox }] = await Promise.all([
  import(${door("index")}), import(${door("memory")}), import(${door("sandbox")})
])
const workspaces = [{ id: "shop", connections: [{ id: "first", environment: "sandbox" }] }]
const pointsman = await createPointsman({ storage: memory(), connectors: [sandbox()], workspaces, log: () => {} })
console.log(JSON.stringify(loaded))
await pointsman.close()`

/** Paths below the root of the repository. */
const loadedByStart = (): ReadonlyArray<string> => {
  const flags = ["--conditions=@pointsman/source", "--no-warnings", "--input-type=module", "--eval", program]
  const loaded = JSON.parse(execFileSync(process.execPath, flags, { encoding: "utf8" })) as ReadonlyArray<string>
  const base = `${pathToFileURL(root).href}/`
  return loaded.filter((url) => url.startsWith(base)).map((url) => url.slice(base.length))
}

/** Loaded by the first call, request, report or page that needs it. */
const later = [
  "node_modules/@zxcvbn-ts/",
  "node_modules/undici/",
  "node_modules/csv-parse/",
  "packages/archive/",
  "packages/console/",
  "packages/http/src/hosted/HostedHandlers.ts",
  "packages/http/src/hosted/texts/",
  "packages/http/src/openapi/",
  "packages/http/src/PointsmanHttp.ts",
  "packages/node/src/OpenRoutes.ts",
  "packages/reconcile/",
  "packages/storage/postgres/",
  "packages/storage/sqlite/"
]

/** Files of this repository. Raise it together with what needs the new ones at every start, and not for what may wait. */
const mostFiles = 460

describe("a start over memory", () => {
  it("a start without calls and requests loads nothing that can wait", () => {
    const loaded = loadedByStart()
    assert.deepStrictEqual(
      loaded.filter((path) => later.some((prefix) => path.startsWith(prefix))),
      []
    )
    assert.isAtMost(loaded.filter((path) => path.startsWith("packages/")).length, mostFiles)
  })
})
