import { posix } from "node:path"
import type { TextFile } from "./Files.ts"
import { imports } from "./SourceText.ts"

/**
 * Files that import in a circle, as lines of paths that end where they begin; where circles share files, at least one
 * of them. Imports of types count: a circle of types cannot be read from one end either.
 */
export const circles = (sources: ReadonlyArray<TextFile>): ReadonlyArray<string> => {
  const edges = new Map(
    sources.map(({ path, text }) => [
      path,
      imports(text)
        .filter(({ specifier }) => specifier.startsWith("."))
        .map(({ specifier }) => posix.join(posix.dirname(path), specifier))
    ])
  )
  const found: Array<string> = []
  const done = new Set<string>()
  const visit = (path: string, trail: ReadonlyArray<string>) => {
    const begins = trail.indexOf(path)
    if (begins >= 0) {
      found.push([...trail.slice(begins), path].join(" -> "))
      return
    }
    if (done.has(path)) return
    for (const next of edges.get(path) ?? []) visit(next, [...trail, path])
    done.add(path)
  }
  for (const path of [...edges.keys()].toSorted()) visit(path, [])
  return found
}
