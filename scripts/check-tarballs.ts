/**
 * What npm would publish, as its users get it: every package is packed (`npm run build` first), read by publint and
 * attw, installed from its tarball into an empty folder, and used there: in ECMAScript modules, by `require`, by
 * TypeScript with two kinds of resolution, and as the command. The registry is asked for the packages of others alone.
 */

import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
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

/** A process of Node, once it has printed what is waited for. */
const started = (
  words: ReadonlyArray<string>,
  cwd: string,
  until: RegExp,
  environment: Readonly<Record<string, string>> = {}
): Promise<{ readonly child: ChildProcess; readonly found: RegExpExecArray }> => {
  const env = { ...process.env, ...environment }
  const child = spawn(process.execPath, words, { cwd, env, stdio: ["ignore", "pipe", "inherit"] })
  process.on("exit", () => child.kill("SIGKILL"))
  return new Promise((done, fail) => {
    let output = ""
    const end = (what: string) => fail(new Error(`${words.join(" ")} ${what}: ${output}`))
    const waiting = setTimeout(() => end("said nothing to build on"), 60_000)
    const early = (code: number | null) => end(`ended with ${code}`)
    child.on("exit", early)
    child.stdout.on("data", (chunk) => {
      output += String(chunk)
      const found = until.exec(output)
      if (found === null) return
      clearTimeout(waiting)
      child.off("exit", early)
      child.stdout.removeAllListeners("data").resume()
      done({ child, found })
    })
  })
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

/** The program of the guide, from an empty folder, as somebody would do who has read nothing else. */
const tryGuide = async (): Promise<void> => {
  const folder = join(work, "shop")
  mkdirSync(folder)
  const [, program] =
    /```js\n(\/\/ shop\.js\n[\s\S]*?)```/u.exec(readFileSync(join(root, "docs/guides/node.md"), "utf8")) ?? []
  const listening = "app.listen(3000)"
  if (program?.includes(listening) !== true) throw new Error("docs/guides/node.md has no shop.js that listens on 3000")
  const from = Date.now()
  const { express } = JSON.parse(readFileSync(join(root, "examples/express/package.json"), "utf8")).dependencies
  // What is not out yet comes from the tarballs, and so do the packages that these depend on.
  const shop = { private: true, type: "module", dependencies: { ...ours, express } }
  writeFileSync(join(folder, "package.json"), JSON.stringify(shop))
  run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"], folder)
  const onAnyPort = "const server = app.listen(0, () => console.log('port', server.address().port))"
  writeFileSync(join(folder, "shop.js"), program.replace(listening, onAnyPort))
  const shopProcess = await started(["shop.js"], folder, /port (\d+)/u, {
    ENCRYPTION_KEY: randomBytes(32).toString("base64")
  })
  const checkOut = async () => {
    const answer = await fetch(`http://127.0.0.1:${shopProcess.found[1]}/checkout`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ orderId: "1001" })
    })
    return [answer.status, await answer.json()]
  }
  insist(
    JSON.stringify(await checkOut()) === JSON.stringify([201, { status: "CAPTURED" }]),
    "the guide's shop took no payment"
  )
  insist(
    JSON.stringify(await checkOut()) === JSON.stringify([201, { status: "CAPTURED" }]),
    "the guide's shop did not replay"
  )
  shopProcess.child.kill("SIGKILL")
  told(`the shop of the guide took a payment, ${((Date.now() - from) / 1000).toFixed(0)} s after its folder was empty`)
}
await tryGuide()

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

const server = await started(
  [join(consumer, "node_modules/.bin/pointsman"), "serve", "--port", "0"],
  consumer,
  /Base URL +(\S+)\s+API key +(\S+)[\s\S]*listens on/u
)
const [, url, key] = server.found
const answer = await fetch(`${url}/api/v1/payments`, {
  method: "POST",
  headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
  body: JSON.stringify({ amount: 1000, currency: "EUR", country: "NL" })
})
const { data } = (await answer.json()) as { readonly data?: { readonly status: string } }
insist(data?.status === "CAPTURED", `the command's server answered ${answer.status}`)
const ended = new Promise<number | null>((done) => server.child.on("exit", done))
server.child.kill("SIGTERM")
insist((await ended) === 0, "pointsman serve did not end well")
told("the command served a payment, and ended well")
