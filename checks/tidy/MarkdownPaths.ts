/** What Markdown names must be there: files by link or in code marks, headings by anchor, scripts by `npm run`. */
import { posix } from "node:path"
import { anchorOf } from "../../scripts/generate/Markdown.ts"
import { lineOf, type TextFile } from "./Files.ts"

interface Context {
  readonly exists: (path: string) => boolean
  /** Text of a Markdown file, for its headings. */
  readonly read: (path: string) => string | undefined
  /** Top-level folders and files: a path in code marks that begins with one of them is meant as a path. */
  readonly tops: ReadonlyArray<string>
  readonly scripts: ReadonlyArray<string>
}

export const anchors = (markdown: string): ReadonlyArray<string> =>
  Array.from(withoutFences(markdown).matchAll(/^#{1,6}\s+(.+)$/gm), (match) => anchorOf(match[1] ?? ""))

const withoutFences = (markdown: string) =>
  markdown.replace(/^(```|~~~)[\s\S]*?^\1\s*$/gm, (block) => block.replace(/[^\n]/g, ""))

export const markdownFaults = ({ path, text }: TextFile, context: Context): ReadonlyArray<string> => {
  const prose = withoutFences(text)
  const faults: Array<string> = []
  const fault = (index: number, message: string) => faults.push(`${path}:${lineOf(text, index)}: ${message}`)
  for (const match of prose.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)) {
    const target = match[1] ?? ""
    if (/^[a-z][a-z0-9+.-]*:/i.test(target)) continue
    const [file = "", anchor] = target.split("#")
    const resolved = file === "" ? path : posix.join(posix.dirname(path), decodeURIComponent(file))
    if (!context.exists(resolved)) fault(match.index, `links to ${target}, which does not exist`)
    else if (anchor !== undefined && resolved.endsWith(".md")) {
      const markdown = context.read(resolved)
      if (markdown !== undefined && !anchors(markdown).includes(anchor)) {
        fault(match.index, `links to ${target}, and there is no such heading`)
      }
    }
  }
  for (const match of prose.matchAll(/`([^`\n]+)`/g)) {
    const named = match[1] ?? ""
    if (!/^\.{0,2}[\w@./-]+$/.test(named) || !named.includes("/")) continue
    const [top = ""] = named.split("/")
    const base = top === "." || top === ".." ? posix.dirname(path) : ""
    if (base === "" && !context.tops.includes(top)) continue
    if (!context.exists(posix.join(base, named))) fault(match.index, `names ${named}, which does not exist`)
  }
  // In fences too: a command that a reader copies has to work.
  for (const match of text.matchAll(/\bnpm run ([\w:.-]+)/g)) {
    const script = (match[1] ?? "").replace(/[.:]+$/, "")
    if (!context.scripts.includes(script)) fault(match.index, `names npm run ${script}, which is not in package.json`)
  }
  return faults
}
