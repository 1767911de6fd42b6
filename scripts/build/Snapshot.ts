/**
 * `node scripts/build/Snapshot.ts`, after `npm run build`: the memory of a server that has loaded its code, as `server.blob`
 * for `node --snapshot-blob`. It works with the Node that made it, and on other processors
 * (https://github.com/nodejs/node/pull/54122). `npm run` would take the Node of the packages. It is made in
 * `packages/server/.cache`, or in the folder that is named.
 *
 * V8 draws the seed of its hash tables when the snapshot is made, and not at each start. Who has the snapshot could find
 * names of JSON fields that collide; the body of a payment has 16 KB at most.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, relative, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { build, type Options } from "tsup"
import { readPackage, root } from "./Packages.ts"

type Plugin = NonNullable<Options["esbuildPlugins"]>[number]

const server = readPackage("packages/server").folder
const mainFile = join(server, "dist/main.js")
const made = resolve(process.argv[2] ?? join(server, ".cache"))
/** Imports modules that only a configuration names: a program in a snapshot has no `import` of its own. */
const importFile = join(server, "dist/import.js")

/** A snapshot can hold these. Of some others it cannot hold what they make when they are loaded. */
const loadedEarly = new Set(["assert", "buffer", "events", "fs", "path", "stream", "url", "util"])

/** The module of Node, loaded by the first use of it. */
const loadedLate = (name: string): string => {
  const members = Object.getOwnPropertyNames(process.getBuiltinModule(name)).filter((member) => member !== "prototype")
  const late = (member: string) => `late("${name}").${member}`
  // Effect's layer for tests of its server takes `createServer` when it is loaded.
  const properties = members.map((member) =>
    member === "createServer"
      ? `${member}(...values) { return ${late(member)}(...values) }`
      : `get ${member}() { return ${late(member)} }, set ${member}(value) { ${late(member)} = value }`
  )
  return `({${properties}})`
}

/** How often each was found, so that a bundle that changed is noticed. */
const found = { modules: 0, imports: 0, resolves: 0 }

const replaced = (text: string): string =>
  text
    .replace(/(?:process\.getBuiltinModule|\brequire\d*)\("node:([\w/]+)"\)/gu, (call, name) => {
      found.modules++
      return loadedEarly.has(name) ? call : loadedLate(`node:${name}`)
    })
    .replace(/(?<=[^.\w])import\((?:url|name)\)/gu, (call) => {
      found.imports++
      return call.replace("import", `ofMain("./import.js").load`)
    })
    .replace(/import\.meta\.\s*resolve\(/gu, () => {
      found.resolves++
      return `ofMain("./import.js").resolve(`
    })

const fromBundle: Plugin = {
  name: "from the bundle",
  setup: (bundler) => {
    // Long texts, and the other commands: the server loads the files of the bundle when it needs them.
    bundler.onResolve({ filter: /^\.\/(?:httpApiScalar|PasswordStrength|RunCommand)-/ }, ({ path }) => ({
      path,
      namespace: "left out"
    }))
    bundler.onLoad({ filter: /./, namespace: "left out" }, ({ path }) => ({
      contents: `module.exports = ofMain(${JSON.stringify(path)})`
    }))
    bundler.onLoad({ filter: /\.js$/ }, ({ path }) => ({ contents: replaced(readFileSync(path, "utf8")) }))
  }
}

const folder = mkdtempSync(join(root, "node_modules/.snapshot-"))
try {
  await build({
    config: false,
    silent: true,
    entry: [relative(root, join(server, "dist/snapshot.js"))],
    outDir: folder,
    outExtension: () => ({ js: ".cjs" }),
    format: ["cjs"],
    platform: "node",
    target: "node24",
    dts: false,
    splitting: false,
    noExternal: [/./u],
    esbuildPlugins: [fromBundle],
    esbuildOptions: (options) => {
      options.absWorkingDir = root
      options.minifyWhitespace = true
      options.lineLimit = 160
      options.charset = "ascii"
      options.define = { "import.meta.url": "mainUrl" }
      options.banner = {
        js: [
          `const mainUrl = ${JSON.stringify(pathToFileURL(mainFile).href)}`,
          "const module = { exports: {} }",
          "const late = (name) => process.getBuiltinModule(name)",
          `const ofMain = (path) => late("node:module").createRequire(${JSON.stringify(mainFile)})(path)`
        ].join("\n")
      }
      options.footer = { js: `module.exports.keep(${JSON.stringify(mainFile)})` }
    }
  })
  // Own connectors and the client of the archive, and where own connectors are.
  if (found.modules === 0 || found.imports !== 2 || found.resolves !== 1) {
    throw new Error(`the bundle has changed: ${JSON.stringify(found)}, expected 2 imports and 1 resolve`)
  }
  mkdirSync(made, { recursive: true })
  writeFileSync(
    importFile,
    "export const load = (name) => import(name)\nexport const resolve = (name) => import.meta.resolve(name)\n"
  )
  const flags = ["--build-snapshot", "--snapshot-blob", join(made, "server.blob")]
  execFileSync(process.execPath, [...flags, join(folder, "snapshot.cjs")], { stdio: "inherit" })
} finally {
  rmSync(folder, { recursive: true })
}
