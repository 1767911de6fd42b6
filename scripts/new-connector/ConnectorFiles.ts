/** The files of a new connector that becomes a package of this repository. */
import { connectorSources, type NewConnector, testConfiguration } from "../../packages/server/src/NewConnector.ts"

export interface ConnectorHere extends NewConnector {
  /** The way from its folder to this repository's root. */
  readonly toRoot: string
  /** A file of this repository, by its path from the root. */
  readonly read: (path: string) => string
}

/** Texts by their path in the connector's folder. */
export const connectorFilesHere = (connector: ConnectorHere): ReadonlyMap<string, string> =>
  new Map([
    ["package.json", json(manifest(connector))],
    ["tsconfig.json", json(compiler(connector.toRoot))],
    ["vitest.config.ts", testConfiguration('  ssr: { resolve: { conditions: ["@pointsman/source"] } },\n')],
    ["LICENSE", connector.read("LICENSE")],
    ...connectorSources(connector)
  ])

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** Of the packages in this repository, so that no version is written twice. */
const manifest = ({ name, read, style }: ConnectorHere) => {
  const like = JSON.parse(read("packages/connectors/http/package.json"))
  const exported = { types: "./dist/index.d.ts", default: "./dist/index.js" }
  return {
    name: `@pointsman/connector-${name}`,
    version: like.version,
    description: `A Pointsman connector for ${name}.`,
    license: like.license,
    type: "module",
    sideEffects: false,
    engines: like.engines,
    exports: { ".": { "@pointsman/source": "./src/index.ts", ...exported }, "./package.json": "./package.json" },
    files: like.files,
    publishConfig: like.publishConfig,
    dependencies: style === "effect" ? { "@pointsman/core": like.version } : { "@pointsman/node": like.version },
    peerDependencies: like.peerDependencies,
    devDependencies: { "@pointsman/contracts": like.version }
  }
}

const compiler = (toRoot: string) => ({
  extends: `${toRoot}/tsconfig.base.json`,
  compilerOptions: { rootDir: "src", outDir: "dist", tsBuildInfoFile: "dist/.tsbuildinfo", stripInternal: true },
  include: ["src"],
  references: [{ path: `${toRoot}/packages/core` }]
})
