/**
 * The packed `@pointsman/node`, bundled again as its users do it, by the tools of `checks/tools`; each result takes a
 * payment in a folder that has no packages.
 */
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import process from "node:process"
import { expectWord, insist, root, run, started, told, work } from "./Kit.ts"

const tools = join(root, "checks/tools/node_modules")
const required = createRequire(join(tools, "_"))

/** `shop`: a folder in which `@pointsman/node` is installed, and nothing else. */
const bundlers: Readonly<Record<string, (shop: string, entry: string, out: string) => void>> = {
  "esbuild-esm.mjs": (shop, entry, out) => esbuild(shop, entry, out, "esm"),
  "esbuild-cjs.cjs": (shop, entry, out) => esbuild(shop, entry, out, "cjs"),
  "rollup.mjs": (shop, entry, out) => {
    const resolver = required.resolve("@rollup/plugin-node-resolve")
    const config = `import resolve from ${JSON.stringify(resolver)}
export default {
  input: ${JSON.stringify(entry)},
  output: { file: ${JSON.stringify(out)}, format: "es", inlineDynamicImports: true },
  external: /^node:/,
  plugins: [resolve({ exportConditions: ["node"] })]
}`
    writeFileSync(join(shop, "rollup.config.mjs"), config)
    run(process.execPath, [join(tools, "rollup/dist/bin/rollup"), "-c", "--silent"], shop)
  },
  "webpack.cjs": (shop, entry, out) => {
    const configuration = {
      mode: "production",
      target: "node22",
      context: shop,
      entry,
      output: { path: join(out, ".."), filename: "webpack.cjs" }
    }
    writeFileSync(
      join(shop, "webpack.cjs"),
      `require(${JSON.stringify(required.resolve("webpack"))})(${JSON.stringify(configuration)}, (error, stats) => {
  if (error || stats.hasErrors()) { console.error(error ?? stats.toString()); process.exit(1) }
})`
    )
    run(process.execPath, ["webpack.cjs"], shop)
  }
}

const esbuild = (shop: string, entry: string, outfile: string, format: "esm" | "cjs"): void => {
  const options = { absWorkingDir: shop, entryPoints: [entry], bundle: true, platform: "node", format, outfile }
  required("esbuild").buildSync({ ...options, logLevel: "error" })
}

export const tryBundlers = (shop: string): void => {
  const entry = join(shop, "imported.mjs")
  copyFileSync(join(root, "scripts/tarballs/imported.mjs"), entry)
  for (const [name, bundle] of Object.entries(bundlers)) {
    const folder = join(work, name)
    mkdirSync(folder)
    bundle(shop, entry, join(folder, name))
    expectWord(name, folder, "taken")
    told(`bundled again, ${name} took a payment`)
  }
}

/**
 * Next bundles the package into a route; `examples/next` leaves it to Node. Next is that folder's installation, copied,
 * because Node follows a link to where it leads, and would not find the packages of this folder from there.
 */
export const tryNext = async (shop: string): Promise<void> => {
  const installed = join(root, "examples/next/node_modules")
  const folder = join(work, "next")
  const route = join(folder, "app/pay")
  mkdirSync(route, { recursive: true })
  cpSync(installed, join(folder, "node_modules"), { recursive: true, verbatimSymlinks: true })
  cpSync(join(shop, "node_modules/@pointsman"), join(folder, "node_modules/@pointsman"), { recursive: true })
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }))
  writeFileSync(
    join(folder, "app/layout.js"),
    `import { createElement } from "react"
export default function Layout({ children }) { return createElement("html", null, createElement("body", null, children)) }`
  )
  const program = readFileSync(join(root, "scripts/tarballs/imported.mjs"), "utf8")
  const asRoute = program
    .replace('console.log("taken")', 'return new Response("taken")')
    .replace(/\npay\(\)\n$/u, '\nexport const GET = pay\nexport const dynamic = "force-dynamic"\n')
  insist(asRoute.includes("export const GET") && asRoute.includes("new Response"), "imported.mjs is no route any more")
  writeFileSync(join(route, "route.js"), asRoute)
  const next = join(folder, "node_modules/next/dist/bin/next")
  const settings = { NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "production" }
  run(process.execPath, [next, "build"], folder, settings)
  // It is inside of what Next built, or the route fails.
  rmSync(join(folder, "node_modules/@pointsman"), { recursive: true })
  const server = await started(
    [next, "start", "-H", "127.0.0.1", "-p", "0"],
    folder,
    /(http:\/\/127\.0\.0\.1:\d+)/u,
    settings
  )
  const answer = await fetch(`${server.found[1]}/pay`)
  const text = await answer.text()
  server.child.kill("SIGKILL")
  insist(text === "taken", `Next's route answered ${answer.status}: ${text.slice(0, 1_000)}`)
  told("bundled again by Next, a route took a payment")
}
