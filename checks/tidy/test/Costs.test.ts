/** `docs/reference/costs.md` has a row for everything that can be asked or given, and for nothing else. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { openApiDocument } from "@pointsman/http"
import { OpenApi } from "effect/http-api"
import { assert, describe, it } from "vitest"
import { ConsoleApi } from "../../../packages/console/src/api/ConsoleApi.ts"
import { pages } from "../../../packages/console/src/Console.ts"
import { files } from "../../../packages/console/src/frame/Files.ts"
import { hostedPaths } from "../../../packages/http/src/hosted/HostedRoutes.ts"
import { docsPath, homePath } from "../../../packages/http/src/StaticRoutes.ts"
import { healthPaths } from "../../../packages/server/src/Health.ts"
import { metricsPaths } from "../../../packages/server/src/Metrics.ts"
import { variables } from "../../../packages/server/src/Settings.ts"
import { allCommands } from "../../../scripts/generate/Commands.ts"
import { root } from "../Files.ts"

type Methods = Readonly<Record<string, ReadonlyArray<string>>>

const namesOf = (paths: Methods): ReadonlyArray<string> =>
  Object.entries(paths).flatMap(([path, methods]) => methods.map((method) => `${method.toUpperCase()} ${path}`))

const endpointsOf = ({ paths }: { readonly paths: object }): ReadonlyArray<string> =>
  namesOf(Object.fromEntries(Object.entries(paths).map(([path, item]) => [path, Object.keys(item)])))

const pagesOf = (routes: ReadonlyArray<{ readonly method: string; readonly path: string }>) =>
  routes.map(({ method, path }) => `${method} /console${path === "/" ? "" : path}`)

/** As the page writes it: a place in a path is `{name}`, and `…` is a workspace and an environment. */
const written = (name: string): string =>
  name
    .replaceAll(/:(\w+)/gu, "{$1}")
    .replace(/(?:workspaces\/)?\{workspace\}\/\{environment\}/u, "…")
    .replace(/^(\w+) \/api\/(?!v1\/)/u, "$1 /console/api/")

const asked = () => [
  ...endpointsOf(openApiDocument()),
  ...namesOf({ ...hostedPaths, ...healthPaths, ...metricsPaths, [docsPath]: ["GET"], [homePath]: ["GET"] }),
  ...endpointsOf(OpenApi.fromApi(ConsoleApi)),
  ...pagesOf([...pages, ...files])
]

/** Paths of files: arguments called so, and settings. What a form takes is with its form. */
const given = () => [
  ...allCommands().flatMap(({ described, path }) =>
    described.arguments.some(({ name }) => name === "file") ? [`${path} <file>`] : []
  ),
  ...Object.values(variables).flatMap(({ expected, flag }) => (expected.startsWith("the path of") ? [`--${flag}`] : []))
]

const expectedNames = () => [...asked().map(written), ...given(), ...allCommands().map(({ path }) => path)]

/** A name with each of its alternatives: `{a,b}`. */
const expanded = (name: string): ReadonlyArray<string> => {
  const [whole = "", alternatives] = /\{([^{}]*,[^{}]*)\}/u.exec(name) ?? []
  return alternatives === undefined
    ? [name]
    : alternatives.split(",").flatMap((one) => expanded(name.replace(whole, one)))
}

/** In the first cells of its tables, as code. */
const rowsOf = (page: string): ReadonlyArray<string> =>
  page
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .flatMap((line) => [...(line.split(" | ", 1)[0] as string).matchAll(/`([^`]+)`/gu)].map(([, name = ""]) => name))
    .flatMap(expanded)

const faultsOf = (page: string, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const rows = rowsOf(page)
  return [
    ...names.filter((name) => !rows.includes(name)).map((name) => `no row: ${name}`),
    ...rows.filter((row) => !names.includes(row)).map((row) => `gone: ${row}`),
    ...rows.filter((row, at) => rows.indexOf(row) !== at).map((row) => `twice: ${row}`)
  ]
}

describe("the page of costs", () => {
  const page = readFileSync(join(root, "docs/reference/costs.md"), "utf8")

  it("every endpoint, page, form, file and command has one row, and no row another", () => {
    assert.isAbove(expectedNames().length, 250)
    assert.deepStrictEqual(faultsOf(page, expectedNames()), [])
  })

  it("control: given one more, one less and one twice, then each is named", () => {
    const [first = "", ...others] = expectedNames()
    assert.deepStrictEqual(faultsOf(`${page}\n| \`GET /live\` |`, [...others, "GET /new", "GET /live"]), [
      "no row: GET /new",
      `gone: ${first}`
    ])
    assert.deepStrictEqual(faultsOf(`${page}\n| \`${first}\` |`, expectedNames()), [`twice: ${first}`])
    assert.deepStrictEqual(faultsOf(`${page}\n| \`{GET,POST} /live\` |`, expectedNames()), [
      "gone: GET /live",
      "gone: POST /live"
    ])
  })
})
