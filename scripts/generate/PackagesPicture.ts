/** Which of our packages needs which, drawn from their manifests. */
import { bundles, ours } from "../../checks/tidy/Files.ts"
import { graph } from "./Svg.ts"

interface Drawn {
  readonly name: string
  readonly dir: string
  readonly needs: ReadonlyArray<string>
}

const drawn = (): ReadonlyArray<Drawn> => {
  const names = ours().map(({ manifest }) => manifest.name)
  return ours().map(({ dir, manifest: { dependencies, devDependencies, name } }) => {
    // Bundles have inside what they need, and depend on nothing.
    const needs = Object.keys((bundles.includes(dir) ? devDependencies : dependencies) ?? {})
    return { name, dir: `${dir}/`, needs: needs.filter((need) => names.includes(need)) }
  })
}

/** What is needed by way of another package is not drawn again. */
const direct = (all: ReadonlyArray<Drawn>, { needs }: Drawn): ReadonlyArray<string> => {
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

export const packagesPicture = (): Promise<string> => {
  const all = drawn()
  const nodes = all.map(({ dir, name }) => {
    const [, fill, text] = fills.find(([where]) => where.test(dir)) ?? [undefined, "#f1f5f9", "#0f172a"]
    return `  "${name}" [fillcolor="${fill}", fontcolor="${text}"]`
  })
  const arrows = all.flatMap((one) => direct(all, one).map((need) => `  "${one.name}" -> "${need}"`))
  return graph(
    [
      "digraph packages {",
      '  graph [rankdir=LR, bgcolor="white", pad=0.3, nodesep=0.25, ranksep=0.9]',
      '  node [shape=box, style="rounded,filled", color="#475569", fontname="Helvetica,Arial,sans-serif", fontsize=12, margin="0.35,0.1"]',
      '  edge [color="#64748b", arrowsize=0.7]',
      ...nodes,
      ...arrows,
      "}"
    ],
    "Which package needs which"
  )
}
