/**
 * A citation must lead somewhere: to a numbered decision, to a page of the repository and a heading of it, or to a section
 * of a published standard that it names.
 *
 * A comment states its rule in words: other readers cannot open a page that only its author has.
 */
import { posix } from "node:path"
import { anchorOf } from "../../scripts/generate/Markdown.ts"
import { lineOf, type TextFile } from "./Files.ts"
import { anchors } from "./MarkdownPaths.ts"
import { partsOf } from "./SourceText.ts"

interface Context {
  /** Text of a file of the repository. */
  readonly read: (path: string) => string | undefined
  /** The numbers of the decisions that are recorded. */
  readonly decisions: ReadonlySet<number>
}

/** Line breaks inside of a comment become spaces, and every character keeps its place. */
const inOneLine = (text: string) =>
  text.replace(/\n[ \t]*(?:\*(?!\/)|\/\/|#)*[ \t]*/g, (breaks) => " ".repeat(breaks.length))

/** Before the number of a section: a standard that is named, or the decisions, which have a fault of their own. */
const source =
  /(?<!(?:\bRFC \d+|\bISO(?:\/IEC)? [\d-]+|\b[A-Z]\w* standard|\b[A-Z]\w*(?: \w+)* \d+\.\d+),?\s+)(?<!\b[Dd]ecisions(?:\.md)?`?,\s+)/u

/** Citations that lead nowhere in this repository, and what to write instead. */
const nowhere: ReadonlyArray<readonly [pattern: RegExp, message: string]> = [
  [/\bdecisions(?:\.md)?`?,\s+(?:sections?\s+)?\d+/giu, "is no page: name a decision by its number, or say the rule"],
  [/\b(?:the|v1)\s+specification\b|[(]specification\b/giu, "is not in the repository: say the rule"],
  [new RegExp(`${source.source}\\b[Ss]ections?\\s+\\d[\\d.]*`, "gu"), "is of a page without a name"]
]

const hasHashComments = (path: string) => !/\.[cm]?[jt]sx?$|\.jsonc$/u.test(path)

const commentsOf = (file: TextFile): string =>
  hasHashComments(file.path)
    ? file.text.replace(/^.*$/gm, (line) => {
        const at = /(?:^|\s)#/u.exec(line)?.index ?? line.length
        return " ".repeat(at) + line.slice(at)
      })
    : partsOf(file).comments

export const citationFaults = (file: TextFile, { decisions, read }: Context): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const fault = (at: number, message: string) => faults.push(`${file.path}:${lineOf(file.text, at)}: ${message}`)
  const text = inOneLine(file.text)
  for (const [pattern, message] of nowhere) {
    for (const { 0: cited, index } of text.matchAll(pattern)) fault(index, `cites "${cited}", which ${message}`)
  }
  const cited = /\bdecisions?\s+(\d+(?:(?:,\s+|\s+and\s+)\d+)*)\b|\bdecisions\/(\d{4})\b/giu
  for (const { 1: numbers = "", 2: named = "", index } of text.matchAll(cited)) {
    for (const [number] of `${numbers} ${named}`.matchAll(/\d+/gu)) {
      if (!decisions.has(Number(number))) fault(index, `cites decision ${number}, which does not exist`)
    }
  }
  if (file.path.endsWith(".md") || !file.text.includes(".md")) return faults
  const page =
    /(?<![\w/.@-])((?:\.{0,2}[\w@-]+\/|\.{1,2}\/)*[\w-]+\.md)\b(?:#([\w-]+))?(?:`?,\s+(?:section\s+)?"([^"]+)")?/g
  for (const { 1: named = "", 2: anchor, 3: heading, index } of inOneLine(commentsOf(file)).matchAll(page)) {
    const found = read(named) ?? read(posix.join(posix.dirname(file.path), named))
    if (found === undefined) fault(index, `names ${named}, which does not exist`)
    else if (anchor !== undefined && !anchors(found).includes(anchor)) fault(index, `${named} has no #${anchor}`)
    else if (heading !== undefined && !anchors(found).includes(anchorOf(heading))) {
      fault(index, `${named} has no heading "${heading}"`)
    }
  }
  return faults
}
