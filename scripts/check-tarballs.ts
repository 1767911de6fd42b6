/**
 * What npm would publish, as its users get it: every package is packed (`npm run build` first), read by publint and
 * attw, installed from its tarball into an empty folder, and used there: in ECMAScript modules, by `require`, by
 * TypeScript with two kinds of resolution, and as the command. The registry is asked for the packages of others alone.
 */
import { execFileSync, spawn } from "node:child_process"
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import process from "node:process"

const root = resolve(import.meta.dirname, "..")
const tool = (...command: ReadonlyArray<string>) =>
  run(process.execPath, [join(root, "scripts/tool.mjs"), ...command], root)
const began = Date.now()
const told = (what: string) => console.log(`${((Date.now() - began) / 1000).toFixed(0).padStart(4)} s  ${what}`)

const folders = globSync(
  ["packages/*/package.json", "packages/storage/*/package.json", "packages/connectors/*/package.json"],
  { cwd: root }
).map((path) => dirname(path))

const work = mkdtempSync(join(tmpdir(), "pointsman-tarballs-"))
process.on("exit", () => rmSync(work, { recursive: true, force: true }))

const run = (command: string, args: ReadonlyArray<string>, cwd: string): string => {
  try {
    return execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], timeout: 300_000 })
  } catch (error) {
    const { stderr, stdout } = error as { readonly stdout?: string; readonly stderr?: string }
    console.error(`${command} ${args.join(" ")} failed in ${cwd}:\n${stdout ?? ""}${stderr ?? ""}`)
    process.exit(1)
  }
}

const insist = (isSo: boolean, message: string) => {
  if (isSo) return
  console.error(message)
  process.exit(1)
}

// Packed.

interface Packed {
  readonly name: string
  readonly filename: string
  readonly files: ReadonlyArray<{ readonly path: string }>
}

const packed = folders.map((folder): Packed => {
  const json = run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", work], join(root, folder))
  const [one] = JSON.parse(json) as ReadonlyArray<Packed>
  if (one === undefined) throw new Error(`npm packed nothing of ${folder}`)
  const paths = one.files.map(({ path }) => path)
  for (const needed of ["LICENSE", "README.md", "package.json", "dist/index.js", "dist/index.d.ts", "src/index.ts"]) {
    insist(paths.includes(needed), `${one.name}: its tarball lacks ${needed}`)
  }
  const strangers = paths.filter((path) => !/^(?:dist|src|LICENSE|README\.md|package\.json|CHANGELOG\.md)/.test(path))
  insist(strangers.length === 0, `${one.name}: its tarball holds ${strangers.join(", ")}`)
  return one
})
told(`packed ${packed.length} packages`)

for (const { filename } of packed) {
  tool("publint", "run", join(work, filename), "--strict")
  tool("attw", join(work, filename), "--profile", "esm-only", "--no-emoji", "--no-color")
}
told("publint and attw found nothing")

// Installed.

const consumer = join(work, "consumer")
mkdirSync(consumer)
const effectRange = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).devDependencies.effect
const ours = Object.fromEntries(packed.map(({ filename, name }) => [name, `file:../${filename}`]))
const manifest = {
  name: "consumer",
  private: true,
  // The suites of `@pointsman/contracts` run in the consumer's own test runner.
  dependencies: { ...ours, effect: effectRange, "@effect/vitest": "4.0.5", vitest: "5.1.0", "@types/node": "24.19.2" }
}
writeFileSync(join(consumer, "package.json"), JSON.stringify(manifest, null, 2))
run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"], consumer)
const copies = globSync("**/node_modules/effect/package.json", { cwd: consumer })
insist(copies.length === 1, `effect is there ${copies.length} times: ${copies.join(", ")}`)
told("installed, with one copy of effect")

// Used.

for (const program of ["imported.mjs", "required.cjs"]) {
  copyFileSync(join(root, "scripts/tarballs", program), join(consumer, program))
  insist(run(process.execPath, [program], consumer) === "taken\n", `${program} took no payment`)
  told(`${program} took a payment`)
}

const compilers: Readonly<Record<string, object>> = {
  nodenext: { module: "nodenext", moduleResolution: "nodenext", target: "es2023" },
  bundler: { module: "preserve", moduleResolution: "bundler", target: "es2023" }
}
for (const [name, options] of Object.entries(compilers)) {
  const files = name === "nodenext" ? ["typed.ts", "typed.cts"] : ["typed.ts"]
  for (const file of files) copyFileSync(join(root, "scripts/tarballs", file), join(consumer, file))
  const compilerOptions = { ...options, strict: true, noEmit: true, skipLibCheck: true, types: ["node"] }
  writeFileSync(join(consumer, "tsconfig.json"), JSON.stringify({ compilerOptions, files }))
  run(join(root, "node_modules/.bin/tsc"), ["-p", "tsconfig.json"], consumer)
  told(`TypeScript compiles against every door (${name})`)
}

const server = spawn(process.execPath, [join(consumer, "node_modules/.bin/pointsman"), "serve", "--port", "0"], {
  cwd: consumer,
  stdio: ["ignore", "pipe", "inherit"]
})
const taken = await new Promise<string>((done, fail) => {
  let output = ""
  setTimeout(() => fail(new Error(`pointsman serve said nothing to build on: ${output}`)), 60_000).unref()
  server.on("exit", (code) => fail(new Error(`pointsman serve ended with ${code}: ${output}`)))
  server.stdout.on("data", (chunk) => {
    output += String(chunk)
    const [, url] = /Base URL +(\S+)/.exec(output) ?? []
    const [, key] = /API key +(\S+)/.exec(output) ?? []
    if (url === undefined || key === undefined || !output.includes("listens on")) return
    server.stdout.removeAllListeners("data").resume()
    fetch(`${url}/api/v1/payments`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ amount: 1000, currency: "EUR", country: "NL" })
    })
      .then((answer) => answer.json() as Promise<{ readonly data: { readonly status: string } }>)
      .then(({ data }) => done(data.status), fail)
  })
})
insist(taken === "CAPTURED", `the command's server made a payment ${taken}`)
const ended = new Promise<number | null>((done) => server.removeAllListeners("exit").on("exit", done))
server.kill("SIGTERM")
insist((await ended) === 0, "pointsman serve did not end well")
told("the command served a payment, and ended well")
