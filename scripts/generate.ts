/**
 * Rewrites what is made from the code: pages of `docs/`, and blocks of other pages between
 * `<!-- generated: name -->` and `<!-- /generated -->`. With `--check` it writes nothing and exits 1, naming each
 * file that differs.
 */
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { withBlocks } from "./generate/Blocks.ts"
import { blocks, pages, slowPages, slowPaths } from "./generate/Pages.ts"

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Every generated file that is made at once, as it should be, by its path from the root. */
export const generated = async (): Promise<ReadonlyMap<string, string>> => {
  const files = new Map(await pages())
  const made = blocks()
  const marked = globSync("**/*.md", {
    cwd: root,
    exclude: (path) => /(?:^|\/)(?:node_modules|dist|docs\/api)(?:\/|$)/.test(path)
  })
  for (const path of marked.filter((path) => !files.has(path) && !slowPaths.includes(path)).toSorted()) {
    const text = readFileSync(join(root, path), "utf8")
    const after = withBlocks(path, text, made)
    if (after !== undefined) files.set(path, after)
  }
  return files
}

const readFile = (path: string): string | undefined =>
  existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : undefined

const differing = (files: ReadonlyMap<string, string>, read: (path: string) => string | undefined) =>
  [...files].filter(([path, text]) => read(path) !== text).map(([path]) => path)

/** The paths of generated files that are missing or differ from what `read` gives; but for those that take seconds. */
export const differences = async (read = readFile, files = generated()): Promise<ReadonlyArray<string>> =>
  differing(await files, read)

const run = async (check: boolean) => {
  const files = new Map([...(await generated()), ...(await slowPages(readFile))])
  const paths = differing(files, readFile)
  if (check) {
    for (const path of paths) console.error(`${path} differs from what it is generated from: npm run generate`)
    process.exitCode = paths.length === 0 ? 0 : 1
    return
  }
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), files.get(path) ?? "")
    console.log(`wrote ${path}`)
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await run(process.argv.includes("--check"))
