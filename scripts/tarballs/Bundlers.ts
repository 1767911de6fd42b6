/**
 * The packed `@pointsman/node`, bundled again as its users do it, by the tools of `checks/tools`; each result takes a
 * payment in a folder that has no packages.
 */
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import process from "node:process"
import { expectWord, root, run, told, work } from "./Kit.ts"

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
