/**
 * The files of a connector that is to be written. Its sources are those of `template/`, which are checked with all
 * others here, under the new name.
 */
const templates = [
  "src/index.ts",
  "src/NewProviderConnector.ts",
  "src/Credentials.ts",
  "src/Exchange.ts",
  "test/new-provider.contract.test.ts"
] as const

export interface NewConnector {
  readonly name: string
  /** The way from its folder to this repository's root; `null` for a package of its own, somewhere else. */
  readonly toRoot: string | null
  /** A file of this repository, by its path from the root. */
  readonly read: (path: string) => string
}

export const nameFault = (name: string): string | undefined =>
  /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/u.test(name) && name.length <= 40
    ? undefined
    : `"${name}": expected a name of lower-case letters, digits and single dashes, a letter first, such as acme-pay`

/** Texts by their path in the connector's folder. */
export const connectorFiles = (connector: NewConnector): ReadonlyMap<string, string> => {
  const { name, read, toRoot } = connector
  const named = (text: string) => text.replaceAll("new-provider", name).replaceAll("NewProvider", pascalCase(name))
  return new Map([
    ["package.json", json(manifest(connector))],
    ["tsconfig.json", json(toRoot === null ? ownCompiler : compilerHere(toRoot))],
    ["vitest.config.ts", testConfiguration(toRoot !== null)],
    ["README.md", readme(name)],
    ...(toRoot === null ? [] : [["LICENSE", read("LICENSE")] as const]),
    ...templates.map((path) => [named(path), named(read(`scripts/new-connector/template/${path}`))] as const)
  ])
}

/** `acme-pay` is `AcmePay`. */
const pascalCase = (name: string): string =>
  name
    .split("-")
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join("")

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** Of the packages in this repository, so that no version is written twice. */
const manifest = ({ name, read, toRoot }: NewConnector) => {
  const like = JSON.parse(read("packages/connectors/http/package.json"))
  const root = JSON.parse(read("package.json"))
  const exported = { types: "./dist/index.d.ts", default: "./dist/index.js" }
  const isOurs = toRoot !== null
  const contracts = { "@pointsman/contracts": isOurs ? like.version : `^${like.version}` }
  return {
    name: isOurs ? `@pointsman/connector-${name}` : `pointsman-connector-${name}`,
    version: isOurs ? like.version : "0.0.0",
    description: `A Pointsman connector for ${name}.`,
    ...(isOurs ? { license: like.license } : { private: true }),
    type: "module",
    sideEffects: false,
    engines: like.engines,
    exports: {
      ".": isOurs ? { "@pointsman/source": "./src/index.ts", ...exported } : exported,
      "./package.json": "./package.json"
    },
    files: like.files,
    ...(isOurs
      ? { publishConfig: like.publishConfig }
      : { scripts: { test: "vitest run", typecheck: "tsc --noEmit", build: "tsc" } }),
    dependencies: { "@pointsman/core": isOurs ? like.version : `^${like.version}` },
    peerDependencies: like.peerDependencies,
    devDependencies: isOurs
      ? contracts
      : {
          ...contracts,
          "@effect/vitest": `^${root.devDependencies["@effect/vitest"]}`,
          effect: like.peerDependencies.effect,
          typescript: `^${versionOf(root.devDependencies["@typescript/native"])}`,
          vitest: `^${root.devDependencies.vitest}`
        }
  }
}

/** `npm:typescript@7.0.2` is a name and a version. */
const versionOf = (alias: string): string => alias.slice(alias.lastIndexOf("@") + 1)

const compilerHere = (toRoot: string) => ({
  extends: `${toRoot}/tsconfig.base.json`,
  compilerOptions: { rootDir: "src", outDir: "dist", tsBuildInfoFile: "dist/.tsbuildinfo", stripInternal: true },
  include: ["src"],
  references: [{ path: `${toRoot}/packages/core` }]
})

const ownCompiler = {
  compilerOptions: {
    rootDir: "src",
    outDir: "dist",
    target: "es2024",
    lib: ["es2024", "dom"],
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

const testConfiguration = (isOurs: boolean): string => `import { defineConfig } from "vitest/config"

export default defineConfig({
${isOurs ? '  ssr: { resolve: { conditions: ["@pointsman/source"] } },\n' : ""}  test: { include: ["test/**/*.test.ts"] }
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
