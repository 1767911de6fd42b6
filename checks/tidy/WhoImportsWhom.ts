/** Who may import whom. The table is the architecture: a line is changed there because the architecture changed. */
import { builtinModules } from "node:module"
import { dirname, posix } from "node:path"
import { declared, type Package, type TextFile } from "./Files.ts"
import { imports } from "./SourceText.ts"

export interface Allowance {
  /** Our modules, by their whole specifier; `*` for all. */
  readonly ours: ReadonlyArray<string> | "*"
  /** Names of packages of others, besides `effect`; `*` for whatever the package's own manifest declares. */
  readonly others: ReadonlyArray<string> | "*"
  /** Modules that Node brings; `*` for all. */
  readonly node: ReadonlyArray<string> | "*"
}

const ofOurs = (name: string): string => `@pointsman/${name}`
const core = ["@pointsman/core", "@pointsman/core/ports", "@pointsman/core/internal"]

/** By folder; a pattern ends in `/*`. */
const allowances: Readonly<Record<string, Allowance>> = {
  // The domain: it runs wherever JavaScript runs, and knows neither storage, nor providers, nor HTTP.
  "packages/core": { ours: [], others: ["credit-card-type", "currency-codes", "i18n-iso-countries"], node: [] },
  "packages/contracts": {
    ours: [...core, "@pointsman/core/connector", "@pointsman/core/testing"],
    others: ["@effect/vitest", "vitest"],
    // The connector suite plays a provider at a real socket: no HTTP library breaks a connection as a test wants it. The
    // simulator signs without leaving the thread, and checks with code that is not ours.
    node: ["node:crypto", "node:net", "node:tls"]
  },
  "packages/transport-node": {
    ours: ["@pointsman/core", "@pointsman/core/ports", "@pointsman/core/connector"],
    others: ["@zxcvbn-ts/core", "@zxcvbn-ts/language-common", "undici"],
    node: "*"
  },
  // Payments that leave the store. The client of S3 is loaded only where a bucket is configured.
  "packages/archive": { ours: core, others: ["@aws-sdk/client-s3"], node: "*" },
  // Providers' reports about money, read row by row from files, as they are delivered: some are compressed.
  "packages/reconcile": {
    ours: ["@pointsman/core", "@pointsman/core/connector", "@pointsman/core/internal"],
    others: ["csv-parse"],
    node: ["node:buffer", "node:crypto", "node:fs", "node:path", "node:zlib"]
  },
  // The configuration file, which the server and the front door read. No part of the domain, and no way out to anybody.
  "packages/configuration": { ours: core, others: [], node: [] },
  "packages/http": { ours: core, others: [], node: [] },
  // The dashboard for people. Its API says what the payment API says, in the same words and by the same tables; what is
  // found wrong about routing rules is what a check of the configuration file finds.
  "packages/console": {
    ours: [...core, "@pointsman/configuration", "@pointsman/http", "@pointsman/http/api"],
    others: ["@simplewebauthn/server", "openid-client"],
    node: []
  },
  // A front door over core, the API and the way out to the network. Storages and connectors are handed to it; each of
  // those of this repository has an entry of its own.
  "packages/node": {
    ours: [
      ...core,
      ...["archive", "client/contract", "configuration", "console", "core/connector", "http", "http/api"].map(ofOurs),
      ...["http/in-process", "reconcile", "transport-node"].map(ofOurs),
      ...["adyen", "checkout", "http", "mollie", "paypal", "sandbox", "stripe"].map((name) =>
        ofOurs(`connector-${name}`)
      ),
      ...["citus", "memory", "postgres", "sqlite"].map((name) => ofOurs(`storage-${name}`))
    ],
    others: "*",
    node: "*"
  },
  // The client of the API: it runs wherever there is `fetch`.
  "packages/client": { ours: [], others: [], node: [] },
  "packages/server": { ours: "*", others: "*", node: "*" },
  "packages/storage/memory": {
    ours: core,
    others: [],
    // The hashes of the audit trail.
    node: ["node:crypto"]
  },
  // The rows of every SQL storage; it knows no database.
  "packages/storage/sql": {
    ours: core,
    others: [],
    // The text of its `schema.sql`.
    node: ["node:fs"]
  },
  // The services of the storage in PostgreSQL, on the nodes of a cluster.
  "packages/storage/citus": {
    ours: [...core, "@pointsman/storage-postgres/internal", "@pointsman/storage-sql"],
    others: [],
    node: ["node:crypto"]
  },
  "packages/storage/*": { ours: [...core, "@pointsman/storage-sql"], others: "*", node: "*" },
  // The simulator's record is a provider's own database; every other connector reaches its provider by the port.
  "packages/connectors/sandbox": {
    ours: ["@pointsman/core/connector"],
    others: [],
    node: ["node:fs", "node:path", "node:sqlite"]
  },
  // PayPal signs its messages with an X.509 certificate, which the platform's own cryptography cannot read.
  "packages/connectors/paypal": {
    ours: ["@pointsman/core/connector"],
    others: [],
    node: ["node:crypto", "node:tls", "node:zlib"]
  },
  "packages/connectors/*": { ours: ["@pointsman/core/connector"], others: "*", node: [] },
  "examples/*": { ours: "*", others: "*", node: "*" }
}

/**
 * Families of modules that Effect marks unstable inside its long-term release, and who may use them. A
 * family that is not named here is open to the server alone.
 */
const unstable: Readonly<Record<string, ReadonlyArray<string>>> = {
  http: ["packages/console", "packages/http", "packages/node", "packages/server", "examples/*"],
  "http-api": ["packages/console", "packages/http", "packages/node", "packages/server", "examples/*"],
  sql: [
    "packages/storage/sql",
    "packages/storage/sqlite",
    "packages/storage/postgres",
    "packages/storage/citus",
    "packages/server"
  ],
  reactivity: ["packages/storage/sqlite", "packages/storage/postgres", "packages/server"],
  persistence: ["packages/http", "packages/server"]
}

/** Families that are open to all: none of our public types shows them. */
const open = ["crypto", "encoding", "schema", "testing"]

const matches = (pattern: string, dir: string) =>
  pattern === dir || (pattern.endsWith("/*") && dirname(dir) === pattern.slice(0, -2))

const allowanceOf = (dir: string): Allowance | undefined =>
  allowances[dir] ?? Object.entries(allowances).find(([pattern]) => matches(pattern, dir))?.[1]

const includes = (list: ReadonlyArray<string> | "*", name: string) => list === "*" || list.includes(name)

/** `a/b` of `a/b/c`, or `@a/b` of `@a/b/c`. */
const packageOf = (specifier: string) =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")

/** What is wrong with an import, or `undefined`. */
const importFault = (owner: Package, path: string, specifier: string): string | undefined => {
  const allowed = allowanceOf(owner.dir)
  if (allowed === undefined) return `${owner.dir} is not in the table of who may import whom`
  if (specifier.endsWith(".faults.ts")) return "is a list of planted faults, which only checks/mutations reads"
  if (specifier.startsWith(".")) {
    const target = posix.join(posix.dirname(path), specifier)
    return target.startsWith(`${owner.dir}/src/`) ? undefined : `leaves ${owner.dir}/src`
  }
  const name = packageOf(specifier)
  if (specifier.startsWith("node:") || builtinModules.includes(name)) {
    if (!specifier.startsWith("node:")) return `is Node's own and is written node:${specifier}`
    return includes(allowed.node, specifier) ? undefined : `${owner.dir} may not import this module of Node`
  }
  if (!(name in declared(owner))) return `${owner.dir}/package.json does not declare ${name}`
  if (name === "pointsman" || name.startsWith("@pointsman/")) {
    return includes(allowed.ours, specifier) ? undefined : `${owner.dir} may not import ${specifier}`
  }
  if (name === "effect") return effectFault(owner.dir, specifier)
  return includes(allowed.others, name) ? undefined : `${owner.dir} may not import ${name}`
}

const effectFault = (dir: string, specifier: string): string | undefined => {
  const family = specifier.split("/")[1]
  // `effect/Effect` is the stable module; families are lower case.
  if (family === undefined || /^[A-Z]/.test(family) || open.includes(family) || dir === "packages/server")
    return undefined
  return (unstable[family] ?? []).some((pattern) => matches(pattern, dir))
    ? undefined
    : `${dir} may not import effect/${family}, which Effect marks unstable`
}

export const importFaults = (owner: Package, sources: ReadonlyArray<TextFile>): ReadonlyArray<string> =>
  sources.flatMap((file) =>
    imports(file).flatMap(({ specifier, line }) => {
      const fault = importFault(owner, file.path, specifier)
      return fault === undefined ? [] : [`${file.path}:${line}: "${specifier}": ${fault}`]
    })
  )
