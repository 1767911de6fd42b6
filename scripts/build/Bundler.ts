/**
 * One package's JavaScript by tsup: its entries with the chunks that they share, in a folder that replaces nothing until
 * all of it is written.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { isBuiltin } from "node:module"
import { dirname, join, relative } from "node:path"
import { pathToFileURL } from "node:url"
import { build, type Options } from "tsup"
import { commonAmong } from "../../packages/transport-node/src/PasswordStrength.ts"
import { type Package, root } from "./Packages.ts"

/** What esbuild says of a file that it wrote. */
export interface Output {
  readonly imports: ReadonlyArray<{ readonly path: string; readonly kind: string; readonly external?: boolean }>
  /** By path, relative to the root of the repository. */
  readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>
  readonly entryPoint?: string
  readonly bytes: number
}

type Plugin = NonNullable<Options["esbuildPlugins"]>[number]

/**
 * Every module of Node comes from `process.getBuiltinModule`, which Node 22.3 and newer have
 * (https://nodejs.org/api/process.html#processgetbuiltinmoduleid). CommonJS inside of ECMAScript modules has no `require`,
 * and esbuild's stand-in for it throws where a user bundles again. An `import` is refused by a Node that lacks a name of
 * it, before `CheckNode.ts` says anything.
 */
const modulesOfNode: Plugin = {
  name: "modules of Node",
  setup: (bundler) => {
    bundler.onResolve({ filter: /^[a-z]/ }, ({ kind, path }) =>
      isBuiltin(path) && kind !== "dynamic-import"
        ? { path: path.replace(/^(?:node:)?/u, "node:"), namespace: "node", sideEffects: false }
        : undefined
    )
    bundler.onLoad({ filter: /./, namespace: "node" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)})`
    }))
  }
}

/** Replaces what modules hold, by their paths. */
const loading = (name: string, filter: RegExp, contentsOf: (path: string) => string | Promise<string>): Plugin => ({
  name,
  setup: (bundler) => {
    bundler.onLoad({ filter }, async ({ path }) => ({
      contents: await contentsOf(path),
      loader: path.endsWith(".ts") ? "ts" : "js"
    }))
  }
})

/**
 * `import { Effect } from "effect"` is a namespace inside of an entry, of which esbuild keeps all that it has. By
 * `import * as Effect from "effect/Effect"` it keeps what is used.
 */
const partsOfEffect = loading("parts of Effect", /[\\/]packages[\\/].*[\\/]src[\\/].*\.ts$/, (path) =>
  readFileSync(path, "utf8").replace(
    /^import \{([^}]*)\} from "(effect(?:\/[a-z-]+)?)"$/gmu,
    (_, names: string, entry: string) =>
      names
        .split(",")
        .map((name) => directImport(name.trim(), entry))
        .join(";")
  )
)

/** Modules of Effect have names in capitals; the others are functions of its entry. */
const directImport = (name: string, entry: string): string => {
  const [, module, renamed = module] = /^([A-Z]\w*)(?: as (\w+))?$/u.exec(name) ?? []
  if (module !== undefined) return `import * as ${renamed} from "${entry}/${module}"`
  return name === "" ? "" : `import { ${name} } from "${entry}"`
}

/**
 * Of undici, what `@pointsman/transport-node` uses: its own entry loads caches, `fetch` and WebSockets as well, and gives
 * dispatchers the methods of `lib/api`. `esbuildDetection` below leaves out its second parser, as in Node's own copy.
 */
const partOfUndici: Plugin = {
  name: "part of undici",
  setup: (bundler) => {
    bundler.onResolve({ filter: /^undici$/ }, ({ resolveDir }) => ({
      path: "undici",
      namespace: "part of undici",
      pluginData: resolveDir
    }))
    bundler.onLoad({ filter: /./, namespace: "part of undici" }, ({ pluginData }) => ({
      contents:
        'exports.Agent = require("undici/lib/dispatcher/agent.js")\n' +
        'exports.buildConnector = require("undici/lib/core/connect.js")',
      resolveDir: pluginData
    }))
  }
}

/** Of zxcvbn's list of passwords, what `@pointsman/transport-node` compares with: 40 % of it. */
const partOfZxcvbn = loading(
  "part of zxcvbn",
  /[\\/]language-common[\\/]dist[\\/]passwords\.json\.mjs$/,
  async (path) => {
    const { default: passwords } = await import(pathToFileURL(path).href)
    return `export default ${JSON.stringify(commonAmong(passwords).join(" "))}.split(" ")`
  }
)

/** A bundle has no file beside it: the text of a storage's `schema.sql` goes into the module that reads it. */
const schemas = loading("schemas", /[\\/]packages[\\/]storage[\\/]\w+[\\/]src[\\/]Schema\.ts$/, (path) => {
  const reading = 'readFileSync(new URL("./schema.sql", import.meta.url), "utf8")'
  const text = readFileSync(path, "utf8")
  if (!text.includes(reading)) throw new Error(`${path} does not read schema.sql by ${reading}`)
  return text.replace(reading, () => JSON.stringify(readFileSync(join(dirname(path), "schema.sql"), "utf8")))
})

/** Modules that are required at a start and never run, each with what it is required for. */
const neverRun: ReadonlyArray<{ readonly path: RegExp; readonly contents: string }> = [
  // undici's HTTP/2, which needs `node:http2`: every connection offers HTTP/1.1 alone (`Connect.ts`, `WebhookConnect.ts`).
  { path: /[\\/]undici[\\/]lib[\\/]dispatcher[\\/]client-h2\.js$/, contents: "exports.leftOut = true" },
  // Effect's WebSockets: no route upgrades, and no command opens one.
  {
    path: /[\\/]node_modules[\\/]ws[\\/]wrapper\.mjs$/,
    contents: "export const WebSocket = undefined, WebSocketServer = undefined"
  }
]

const withoutWhatNeverRuns: Plugin = {
  name: "without what never runs",
  setup: (bundler) => {
    for (const { contents, path } of neverRun) bundler.onLoad({ filter: path }, () => ({ contents }))
    // Terminal, child processes and `node:readline`, for a layer of its own that no server uses.
    bundler.onResolve({ filter: /^\.\/NodeServices\.js$/ }, ({ importer }) =>
      /[\\/]NodeHttpServer\.js$/.test(importer) ? { path: "NodeServices", namespace: "never run" } : undefined
    )
    bundler.onLoad({ filter: /./, namespace: "never run" }, () => ({ contents: "export const layer = undefined" }))
  }
}

/** What does not survive a user's own bundling: a `require` from the path of a file, which a bundle may not have. */
const safeToBundleAgain = loading(
  "safe to bundle again",
  /@effect\/platform-node\/dist\/internal\/http\.js$/,
  (path) => {
    const contents = readFileSync(path, "utf8")
      .replace(/^\/\/.*$/gmu, "")
      .replace(/^import \{ createRequire \} from "node:module";$/mu, "")
      .replace(/^const require = .*$/mu, "const require = process.getBuiltinModule")
    if (/createRequire|import\.meta/u.test(contents)) throw new Error(`${path} has changed: read what it requires now`)
    return contents
  }
)

/**
 * Older than what the packages support: all of a module is parsed before its first import says that Node is too old. It is
 * the first Node that reads `with { type: "json" }`, without which none imports JSON.
 */
const target = "node18.20"

const optionsOf = ({ commands, doors, folder, isBundle }: Package, outDir: string): Options => ({
  config: false,
  silent: true,
  entry: Object.fromEntries(
    Object.entries({ ...commands, ...doors }).map(([name, source]) => [name, relative(root, join(folder, source))])
  ),
  outDir,
  tsconfig: join(folder, "tsconfig.json"),
  format: ["esm"],
  platform: "node",
  target,
  dts: false,
  splitting: true,
  metafile: true,
  // The sources of the others are in their packages. A bundle's stack trace names its functions as the sources do.
  sourcemap: !isBundle,
  removeNodeProtocol: false,
  ...(isBundle ? { noExternal: [/./u] } : { skipNodeModulesBundle: true }),
  esbuildPlugins: isBundle
    ? [modulesOfNode, schemas, partsOfEffect, partOfUndici, partOfZxcvbn, withoutWhatNeverRuns, safeToBundleAgain]
    : [modulesOfNode, schemas],
  esbuildOptions: (options) => {
    options.absWorkingDir = root
    options.conditions = ["@pointsman/source"]
    options.minifySyntax = isBundle
    options.minifyWhitespace = isBundle
    // A stack trace points to a line, and Node prints the line of an error that nobody caught.
    options.lineLimit = 160
    // What Vite would put there; in CommonJS there is no `import.meta`.
    if (isBundle) options.define = { ...options.define, "import.meta.env": "undefined", esbuildDetection: "true" }
    options.legalComments = "none"
  }
})

const checkFile = "check-node.js"

let checkText: string | undefined

/** The text of `CheckNode.ts` for every Node. */
const nodeCheck = async (): Promise<string> => {
  if (checkText !== undefined) return checkText
  const folder = mkdtempSync(join(root, "node_modules/.check-node-"))
  try {
    const entry = { "check-node": relative(root, join(import.meta.dirname, "CheckNode.ts")) }
    await build({ config: false, silent: true, entry, outDir: folder, format: ["esm"], target: "es2015", dts: false })
    checkText = readFileSync(join(folder, checkFile), "utf8")
    return checkText
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Writes `dist` of the package. Chunks of earlier builds stay: a process that runs may load them yet. */
export const bundle = async (one: Package): Promise<ReadonlyArray<Output>> => {
  const began = new Date()
  process.chdir(root)
  const check = await nodeCheck()
  const made = mkdtempSync(join(one.folder, ".build-"))
  try {
    await build(optionsOf(one, made))
    const meta = join(made, "metafile-esm.json")
    const { outputs } = JSON.parse(readFileSync(meta, "utf8")) as { readonly outputs: Readonly<Record<string, Output>> }
    rmSync(meta)
    const used = reachable(outputs)
    const dist = join(one.folder, "dist")
    if (!existsSync(dist)) mkdirSync(dist)
    for (const name of one.needsNode ? Object.keys(one.doors) : []) {
      const path = join(made, `${name}.js`)
      writeFileSync(path, `import "./${checkFile}";${readFileSync(path, "utf8")}`)
    }
    if (one.needsNode) writeFileSync(join(made, checkFile), check)
    if (one.isBundle) for (const name of used) escapeText(join(root, name))
    // Entries last, so that they find their chunks.
    const entries = new Set([...Object.keys(one.doors), ...Object.keys(one.commands)].map((name) => `${name}.js`))
    const files = readdirSync(made).filter(
      (file) => file === checkFile || used.has(relative(root, join(made, file.replace(/\.map$/u, ""))))
    )
    for (const file of [...files.filter((file) => !entries.has(file)), ...entries]) {
      // As old as what it was made of: a source that changed meanwhile is newer.
      utimesSync(join(made, file), began, began)
      renameSync(join(made, file), join(dist, file))
    }
    return [...used].flatMap((path) => outputs[path] ?? [])
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
}

/**
 * esbuild leaves what regular expressions and templates hold as it is, and one character beyond Latin-1 makes V8 keep two
 * bytes for each character of the file.
 */
const escapeText = (path: string): void => {
  const text = readFileSync(path, "utf8")
  const escaped = text.replace(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )
  if (escaped === text) return
  if (text.includes("String.raw")) throw new Error(`${path}: String.raw would return the escapes`)
  writeFileSync(path, escaped)
}

/** What is left of the outputs without those that nothing imports: esbuild also writes what it shook off. */
const reachable = (outputs: Readonly<Record<string, Output>>): ReadonlySet<string> => {
  const found = new Set<string>()
  const visit = (path: string): void => {
    const output = outputs[path]
    if (output === undefined || found.has(path)) return
    found.add(path)
    for (const { external, path: imported } of output.imports) if (external !== true) visit(imported)
  }
  const dynamic = new Set(
    Object.values(outputs).flatMap(({ imports }) =>
      imports.filter(({ kind }) => kind === "dynamic-import").map(({ path }) => path)
    )
  )
  for (const [path, { entryPoint }] of Object.entries(outputs)) {
    if (entryPoint !== undefined && !dynamic.has(path) && !/-[A-Z0-9]{8}\.js$/u.test(path)) visit(path)
  }
  return found
}
