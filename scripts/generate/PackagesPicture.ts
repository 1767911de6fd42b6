/** Which of our packages needs which, drawn from their manifests. */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { instance } from "@viz-js/viz"

const root = fileURLToPath(new URL("../..", import.meta.url))

interface Package {
  readonly name: string
  readonly dir: string
  readonly needs: ReadonlyArray<string>
}

/** What the manifests of packages say. */
const packages = (): ReadonlyArray<Package> => {
  const all = globSync(
    ["packages/*/package.json", "packages/storage/*/package.json", "packages/connectors/*/package.json"],
    {
      cwd: root
    }
  )
    .map((path) => path.replaceAll("\\", "/"))
    .toSorted()
    .map((path) => {
      const { dependencies, devDependencies, name } = JSON.parse(readFileSync(join(root, path), "utf8")) as {
        readonly name: string
        readonly dependencies?: Readonly<Record<string, string>>
        readonly devDependencies?: Readonly<Record<string, string>>
      }
      // Bundles have inside what they need, and depend on nothing.
      const needs = /^packages\/(?:node|server)\//u.test(path) ? devDependencies : dependencies
      return { name, dir: path, needs: Object.keys(needs ?? {}) }
    })
  const names = all.map(({ name }) => name)
  return all.map(({ dir, name, needs }) => ({ name, dir, needs: needs.filter((need) => names.includes(need)) }))
}

/** What is needed by way of another package is not drawn again. */
const direct = (all: ReadonlyArray<Package>, { needs }: Package): ReadonlyArray<string> => {
  const reaches = (from: string, to: string): boolean =>
    (all.find(({ name }) => name === from)?.needs ?? []).some((need) => need === to || reaches(need, to))
  return needs.filter((need) => !needs.some((other) => other !== need && reaches(other, need)))
}

const fills: ReadonlyArray<readonly [RegExp, string, string]> = [
  [/^packages\/core\//u, "#1d4ed8", "#ffffff"],
  [/^packages\/storage\//u, "#dbeafe", "#0f172a"],
  [/^packages\/connectors\//u, "#fef3c7", "#0f172a"],
  [/^packages\/(?:server|node)\//u, "#0f172a", "#ffffff"]
]

export const packagesPicture = async (): Promise<string> => {
  const all = packages()
  const nodes = all.map(({ dir, name }) => {
    const [, fill, text] = fills.find(([where]) => where.test(dir)) ?? [undefined, "#f1f5f9", "#0f172a"]
    return `  "${name}" [fillcolor="${fill}", fontcolor="${text}"]`
  })
  const arrows = all.flatMap((one) => direct(all, one).map((need) => `  "${one.name}" -> "${need}"`))
  const dot = [
    "digraph packages {",
    '  graph [rankdir=LR, bgcolor="white", pad=0.3, nodesep=0.25, ranksep=0.9]',
    '  node [shape=box, style="rounded,filled", color="#475569", fontname="Helvetica,Arial,sans-serif", fontsize=12, margin="0.35,0.1"]',
    '  edge [color="#64748b", arrowsize=0.7]',
    ...nodes,
    ...arrows,
    "}"
  ].join("\n")
  return (await instance())
    .renderString(dot, { format: "svg" })
    .replace(/<!--[\s\S]*?-->\s*|<!DOCTYPE[^>]*>\s*/g, "")
    .replace(/<svg [^>]*>/, (svg) => `${svg}\n<title>Which package needs which</title>`)
}
