/**
 * Writes the beginnings of a connector, and a contract test that tells what is still to be done:
 *
 * ```sh
 * npm run new-connector acme-pay
 * npm run new-connector acme-pay -- --dir ../acme-pay --style plain
 * ```
 *
 * Without `--dir` it becomes a package of this repository, which is written with Effect. A folder elsewhere gets what
 * `pointsman new-connector` writes. Nothing that is there is replaced.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { parseArgs } from "node:util"
import {
  type ConnectorStyle,
  connectorNameFault,
  connectorStyles,
  ownConnectorFiles,
  publishedVersion
} from "../packages/server/src/NewConnector.ts"
import { connectorFilesHere } from "./new-connector/ConnectorFiles.ts"

const root = dirname(dirname(fileURLToPath(import.meta.url)))

const usage = "npm run new-connector <name> [-- --dir <folder>] [--style plain|effect]"

/** Writes the files, and gives what there is to say. Throws what is wrong. */
export const newConnector = (words: ReadonlyArray<string>): string => {
  const { positionals, values } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: { dir: { type: "string" }, style: { type: "string" } }
  })
  const [name, ...others] = positionals
  if (name === undefined || others.length > 0) throw new Error(`Expected one name: ${usage}`)
  const style = styleOf(values.style ?? "effect")
  if (style === "plain" && values.dir === undefined) {
    throw new Error("--style plain: expected --dir; the connectors of this repository are written with Effect")
  }
  const fault = connectorNameFault(name)
  if (fault !== undefined) throw new Error(fault)
  const folder = resolve(values.dir ?? join(root, "packages", "connectors", name))
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new Error(`${folder} is there and not empty: nothing was written.`)
  }
  const toRoot = relative(folder, root).replaceAll("\\", "/")
  const isInside = /^(?:\.\.(?:\/|$))+$/u.test(toRoot)
  const files = isInside
    ? connectorFilesHere({ name, style, toRoot, read })
    : ownConnectorFiles({ name, style, versionOf: publishedVersion })
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text, { flag: "wx" })
  }
  const shown = isInside ? relative(root, folder).replaceAll("\\", "/") : folder
  return [
    `Written to ${shown}:`,
    ...[...files.keys()].map((path) => `  ${path}`),
    "",
    ...(isInside ? nextInside(name, shown) : nextOutside(folder)),
    "",
    "The test has one failure, which says what to do first. The guide: docs/guides/write-a-connector.md"
  ].join("\n")
}

const styleOf = (text: string): ConnectorStyle => {
  const style = connectorStyles.find((one) => one === text)
  if (style === undefined) throw new Error(`--style ${text}: expected ${connectorStyles.join(" or ")}`)
  return style
}

const read = (path: string): string => readFileSync(join(root, path), "utf8")

const nextInside = (name: string, folder: string): ReadonlyArray<string> => [
  "Make it one of this repository's packages, and run its test:",
  `  vitest.workspace.ts     project("connector-${name}", "${folder}"),`,
  `  tsconfig.build.json     { "path": "${folder}" }`,
  "  npm run format",
  "  npm run lock && npm install",
  `  npm exec -- vitest run --project connector-${name}`
]

const nextOutside = (folder: string): ReadonlyArray<string> => [
  "Install what it needs, and run its test:",
  `  cd ${folder}`,
  "  npm install",
  "  npm test"
]

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  try {
    console.log(newConnector(process.argv.slice(2)))
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error))
    process.exitCode = 1
  }
}
