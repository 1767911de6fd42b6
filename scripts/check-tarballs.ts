/**
 * What npm would publish, as its users get it: every package is packed, read by publint and
 * attw, installed from its tarball into an empty folder, and used there: in ECMAScript modules, by `require`, by
 * TypeScript with two kinds of resolution, and as the command. The registry is asked for the packages of others alone.
 */

import { randomBytes } from "node:crypto"
import { copyFileSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { publishedPackages } from "./build/Packages.ts"
import { tryBundlers, tryNext } from "./tarballs/Bundlers.ts"
import { expectWord, insist, install, root, run, started, told, tool, work } from "./tarballs/Kit.ts"
import { tryNewConnectors } from "./tarballs/NewConnectors.ts"

// Packed.

interface Packed {
  readonly name: string
  readonly filename: string
  readonly files: ReadonlyArray<{ readonly path: string }>
}

const ofLibraries = ["dist/index.js", "dist/index.d.ts", "dist/check-node.js", "src/index.ts"]
/** Runs elsewhere too, and has no version of Node to check. */
const ofClient = ["dist/index.js", "dist/index.d.ts", "src/index.ts"]
const notices = ["dist/THIRD-PARTY-NOTICES.txt", "dist/sbom.cdx.json"]
/** What the bundles have in the place of that. */
const contents: Readonly<Record<string, ReadonlyArray<string>>> = {
  pointsman: ["dist/main.js", ...notices],
  "@pointsman/client": ofClient,
  "@pointsman/node": ["dist/index.js", "dist/index.d.ts", "dist/check-node.js", ...notices]
}

const packed = JSON.parse(
  run("npm", ["run", "--silent", "pack", "--", "--json", "--pack-destination", work], root)
) as ReadonlyArray<Packed>
insist(packed.length === publishedPackages().length, `npm packed ${packed.length} packages`)
for (const one of packed) {
  const paths = one.files.map(({ path }) => path)
  for (const needed of ["LICENSE", "README.md", "package.json", ...(contents[one.name] ?? ofLibraries)]) {
    insist(paths.includes(needed), `${one.name}: its tarball lacks ${needed}`)
  }
  const strangers = paths.filter(
    (path) =>
      path.endsWith(".faults.ts") ||
      !/^(?:dist|src|templates|LICENSE|README\.md|package\.json|CHANGELOG\.md)/.test(path)
  )
  insist(strangers.length === 0, `${one.name}: its tarball holds ${strangers.join(", ")}`)
}
told(`packed ${packed.length} packages`)

for (const { filename, name } of packed) {
  tool("publint", "run", join(work, filename), "--strict")
  // A package with commands alone has no types to be wrong.
  if (name !== "pointsman") tool("attw", join(work, filename), "--profile", "esm-only", "--no-emoji", "--no-color")
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
  dependencies: {
    ...ours,
    effect: effectRange,
    "effect-3": "npm:effect@3.22.4",
    "@effect/vitest": "4.0.5",
    vitest: "5.1.0",
    "@types/node": "24.19.2"
  }
}
writeFileSync(join(consumer, "package.json"), JSON.stringify(manifest, null, 2))
install(consumer)
const copies = globSync("**/node_modules/effect/package.json", { cwd: consumer })
insist(copies.length === 1, `effect is there ${copies.length} times: ${copies.join(", ")}`)
told("installed, with one copy of effect")

// Used.

for (const program of ["ownCopies.mjs", "oldEffect.mjs"]) {
  copyFileSync(join(root, "scripts/tarballs", program), join(consumer, program))
  expectWord(program, consumer, program === "oldEffect.mjs" ? "refused" : "taken")
  told(`${program} did what it should`)
}

/** A folder with one package of ours and what it brings: itself. */
const alone = (name: string, others: Readonly<Record<string, string>> = {}): string => {
  const folder = join(work, `with-${[name, ...Object.entries(others).flat()].join("-").replace(/[^\w-]/gu, "")}`)
  mkdirSync(folder)
  const dependencies = { [name]: ours[name], ...others }
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module", dependencies }))
  install(folder)
  return folder
}

const bytesOf = (folder: string): number =>
  globSync("**/*", { cwd: folder }).reduce((sum, path) => {
    const stats = statSync(join(folder, path))
    return sum + (stats.isFile() ? stats.size : 0)
  }, 0)

const small = alone("@pointsman/node")
const megabytes = bytesOf(join(small, "node_modules")) / 1_000_000
const others = globSync(["node_modules/*/package.json", "node_modules/@*/*/package.json"], { cwd: small })
insist(others.length === 1, `@pointsman/node came with ${others.join(", ")}`)
insist(megabytes <= 8, `@pointsman/node takes ${megabytes.toFixed(1)} MB`)
told(`@pointsman/node is one package of ${megabytes.toFixed(1)} MB`)
for (const program of ["imported.mjs", "required.cjs"]) {
  copyFileSync(join(root, "scripts/tarballs", program), join(small, program))
  expectWord(program, small, "taken")
  told(`${program} took a payment`)
}
tryBundlers(small)
await tryNext(small)

/** The program of the guide, from an empty folder, as somebody would do who has read nothing else. */
const tryGuide = async (): Promise<void> => {
  const [, program] =
    /```js\n(\/\/ shop\.js\n[\s\S]*?)```/u.exec(readFileSync(join(root, "docs/guides/node.md"), "utf8")) ?? []
  const listening = "app.listen(3000)"
  if (program?.includes(listening) !== true) throw new Error("docs/guides/node.md has no shop.js that listens on 3000")
  const from = Date.now()
  const { express } = JSON.parse(readFileSync(join(root, "examples/express/package.json"), "utf8")).dependencies
  const folder = alone("@pointsman/node", { express })
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
  for (const what of ["took no payment", "did not replay"]) {
    insist(
      JSON.stringify(await checkOut()) === JSON.stringify([201, { status: "CAPTURED" }]),
      `the guide's shop ${what}`
    )
  }
  shopProcess.child.kill("SIGKILL")
  told(`the shop of the guide took a payment, ${((Date.now() - from) / 1000).toFixed(0)} s after its folder was empty`)
}
await tryGuide()

const compilers: Readonly<Record<string, object>> = {
  nodenext: { module: "nodenext", moduleResolution: "nodenext", target: "es2023" },
  bundler: { module: "preserve", moduleResolution: "bundler", target: "es2023" }
}

const compile = (folder: string, name: string, files: ReadonlyArray<string>, options: object): void => {
  for (const file of files) copyFileSync(join(root, "scripts/tarballs", file), join(folder, file))
  const compilerOptions = { ...compilers[name], strict: true, noEmit: true, types: ["node"], ...options }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }))
  run(join(root, "node_modules/.bin/tsc"), ["-p", "tsconfig.json"], folder)
}

const nodeTypes = { "22": "22.20.5", "24": "24.19.2" }
const shops = Object.entries(nodeTypes).map(([major, version]) => ({
  major,
  folder: alone("@pointsman/node", { "@types/node": version })
}))
for (const name of Object.keys(compilers)) {
  compile(consumer, name, ["typed.ts"], { skipLibCheck: true })
  told(`TypeScript compiles against the doors for Effect (${name})`)
  const files = name === "nodenext" ? ["shop.ts", "typed.cts"] : ["shop.ts"]
  for (const { folder, major } of shops) {
    compile(folder, name, files, { lib: ["es2023"], skipLibCheck: false })
    told(`TypeScript checks the declarations of @pointsman/node too (${name}, Node ${major})`)
  }
}

const command = alone("pointsman")
const server = await started(
  [join(command, "node_modules/.bin/pointsman"), "serve", "--port", "0"],
  command,
  /Base URL +(\S+)[\s\S]*?API key +(\S+)[\s\S]*listens on/u
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

await tryNewConnectors(command)
