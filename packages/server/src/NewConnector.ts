/** The files of a connector that is to be written: its sources are those of `templates/connector`, under its own name. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"

export const inPackage = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))

export const connectorStyles = ["plain", "effect"] as const
/** `plain`: functions and promises, by `@pointsman/node/connector`. `effect`: with Effect, by `@pointsman/core/connector`. */
export type ConnectorStyle = (typeof connectorStyles)[number]

/** Versions of others' packages, as this repository has them. */
export const versionsOfOthers = {
  "@effect/vitest": "^4.0.5",
  "@types/node": "^24.19.2",
  effect: "^4.1.0",
  typescript: "^7.0.2",
  vitest: "^5.1.0"
} as const

/** What is wrong with the name of a new connector; `undefined` where nothing is. */
export const connectorNameFault = (name: string): string | undefined =>
  /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/u.test(name) && name.length <= 40
    ? undefined
    : `"${name}": expected a name of lower-case letters, digits and single dashes, a letter first, such as acme-pay`

export interface NewConnector {
  readonly name: string
  readonly style: ConnectorStyle
}

/** Lists for recovery exist with Effect alone, and the suite refuses what a connector cannot answer. */
const linesOfLists = /^ *\/\/ The provider's answers with these charges[^\n]*\n *lists:[^\n]*\n/mu

/** Sources, the contract test and the README, by their path in the connector's folder. */
export const connectorSources = ({ name, style }: NewConnector): ReadonlyMap<string, string> => {
  const folders = [style, "test"] as const
  const named = (text: string) => text.replaceAll("new-provider", name).replaceAll("NewProvider", pascalCase(name))
  const fitting = (text: string) => (style === "plain" ? text.replace(linesOfLists, "") : text)
  const templates = folders.flatMap((folder) => {
    const root = inPackage(`templates/connector/${folder}`)
    return readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted()
      .map((path) => {
        const inFolder = relative(root, path).replaceAll("\\", "/")
        return [folder === "test" ? `test/${inFolder}` : inFolder, readFileSync(path, "utf8")] as const
      })
  })
  return new Map([
    ["README.md", readme(name)],
    ...templates.map(([path, text]) => [named(path), named(fitting(text))] as const)
  ])
}

/** A package of its own, outside of this repository. */
export interface OwnConnector extends NewConnector {
  /** The version or file of one of Pointsman's packages. */
  readonly versionOf: (packageName: string) => string
}

export const ownConnectorFiles = (connector: OwnConnector): ReadonlyMap<string, string> =>
  new Map([
    ["package.json", json(manifest(connector))],
    ["tsconfig.json", json(compiler)],
    ["vitest.config.ts", testConfiguration("")],
    ...connectorSources(connector)
  ])

/** Of this release. */
export const publishedVersion = (): string => `^${ownManifest().version}`

/**
 * Takes each package from a folder of tarballs, as `npm pack` names them. `undefined` of a package that is not there.
 * `from`: the folder of the connector, to which the paths are relative.
 */
export const packedVersion =
  (tarballs: string, from: string) =>
  (packageName: string): string | undefined => {
    const { version } = ownManifest()
    const file = join(tarballs, `${packageName.replace("@", "").replace("/", "-")}-${version}.tgz`)
    return existsSync(file) ? `file:${relative(from, file).replaceAll("\\", "/")}` : undefined
  }

/** Those of Pointsman's packages that a connector of this style needs. */
export const packagesOf = (style: ConnectorStyle): ReadonlyArray<string> => [
  ...(style === "plain" ? ["@pointsman/node"] : []),
  "@pointsman/core",
  "@pointsman/contracts"
]

export const ownManifest = () =>
  JSON.parse(readFileSync(inPackage("package.json"), "utf8")) as {
    readonly version: string
    readonly engines: { readonly node: string }
  }

/** `acme-pay` is `AcmePay`. */
const pascalCase = (name: string): string =>
  name
    .split("-")
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join("")

export const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

const manifest = ({ name, style, versionOf }: OwnConnector) => {
  const core = { "@pointsman/core": versionOf("@pointsman/core") }
  const { "@effect/vitest": effectVitest, effect, ...tools } = versionsOfOthers
  const suite = { "@pointsman/contracts": versionOf("@pointsman/contracts") }
  const ofStyle =
    style === "effect"
      ? {
          dependencies: core,
          peerDependencies: { effect },
          devDependencies: { ...suite, effect, "@effect/vitest": effectVitest, ...tools }
        }
      : {
          dependencies: { "@pointsman/node": versionOf("@pointsman/node") },
          // npm installs what the suite needs besides, Effect among it. Of tarballs it finds only those that are named.
          devDependencies: { ...suite, ...tools },
          ...(isFile(core["@pointsman/core"]) ? { overrides: core } : {})
        }
  return {
    name: `pointsman-connector-${name}`,
    version: "0.0.0",
    description: `A Pointsman connector for ${name}.`,
    private: true,
    type: "module",
    sideEffects: false,
    engines: ownManifest().engines,
    exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" }, "./package.json": "./package.json" },
    files: ["dist", "src"],
    scripts: { test: "vitest run", typecheck: "tsc --noEmit", build: "tsc" },
    ...ofStyle
  }
}

const isFile = (version: string): boolean => version.startsWith("file:")

const compiler = {
  compilerOptions: {
    rootDir: "src",
    outDir: "dist",
    target: "es2024",
    lib: ["es2024", "dom"],
    types: ["node"],
    module: "nodenext",
    moduleDetection: "force",
    declaration: true,
    sourceMap: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    rewriteRelativeImportExtensions: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true
  },
  include: ["src"]
}

/** `more`: lines of the configuration. */
export const testConfiguration = (more: string): string => `import { defineConfig } from "vitest/config"

export default defineConfig({
${more}  test: {
    include: ["test/**/*.test.ts"],
    // One failure at a time, the next one to work on. Without these lines, vitest shows every test.
    bail: 1,
    reporters: ["minimal"]
  }
})
`

const readme = (name: string): string => `# ${name}

A connector of Pointsman for ${name}.

| | |
|---|---|
| Credentials of a connection | \`{ "url": "https://…", "apiKey": "…" }\` |
| Operations | still to be written |
| Messages | still to be written |
| Limits | still to be written |

Written against: (the version of the provider's API, and the address of its documentation).
`
