/**
 * A citation must lead somewhere: to a numbered decision, to a page of the repository and a heading of it, or to a section
 * of a published standard that it names.
 *
 * A comment states its rule in words: other readers cannot open a page that only its author has.
 */
import { posix } from "node:path"
import type { TextFile } from "./Files.ts"
import { anchorOf, anchors, lineOf } from "./MarkdownPaths.ts"
import { onlyComments } from "./SourceText.ts"

interface Context {
  /** Text of a file of the repository. */
  readonly read: (path: string) => string | undefined
  /** The numbers of the decisions that are recorded. */
  readonly decisions: ReadonlySet<number>
}

/** Line breaks inside of a comment become spaces, and every character keeps its place. */
const inOneLine = (text: string) =>
  text.replace(/\n[ \t]*(?:\*(?!\/)|\/\/|#)*[ \t]*/g, (breaks) => " ".repeat(breaks.length))

/** A standard before the word "section". Pages of the repository have no numbers of sections. */
const namesItsSource = /(?:\bRFC \d+|\bISO(?:\/IEC)? [\d-]+|\b[A-Z]\w* standard|\b[A-Z]\w*(?: \w+)* \d+\.\d+),?\s+$/u

const hasHashComments = (path: string) => !/\.[cm]?[jt]sx?$|\.jsonc$/u.test(path)

const commentsOf = ({ path, text }: TextFile): string =>
  hasHashComments(path)
    ? text.replace(/^.*$/gm, (line) => {
        const at = /(?:^|\s)#/u.exec(line)?.index ?? line.length
        return " ".repeat(at) + line.slice(at)
      })
    : onlyComments(text)

export const citationFaults = (file: TextFile, { decisions, read }: Context): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const fault = (at: number, message: string) => faults.push(`${file.path}:${lineOf(file.text, at)}: ${message}`)
  const text = inOneLine(file.text)
  for (const { 0: cited, index } of text.matchAll(/\bdecisions(?:\.md)?`?,\s+(?:sections?\s+)?\d+/gi)) {
    fault(index, `cites "${cited}", which is no page: name a decision by its number, or say the rule`)
  }
  for (const { 0: cited, index } of text.matchAll(/\b(?:the|v1)\s+specification\b|[(]specification\b/gi)) {
    fault(index, `cites "${cited}", which is not in the repository: say the rule`)
  }
  for (const { 0: cited, index } of text.matchAll(/\bsections?\s+\d[\d.]*/gi)) {
    const before = text.slice(0, index)
    if (!namesItsSource.test(before) && !/\bdecisions(?:\.md)?`?,\s+$/iu.test(before)) {
      fault(index, `cites "${cited}" of a page without a name`)
    }
  }
  for (const { 1: numbers = "", index } of text.matchAll(/\bdecisions?\s+(\d+(?:(?:,\s+|\s+and\s+)\d+)*)\b/gi)) {
    for (const [number] of numbers.matchAll(/\d+/g)) {
      if (!decisions.has(Number(number))) fault(index, `cites decision ${number}, which does not exist`)
    }
  }
  for (const { 1: number, index } of text.matchAll(/\bdecisions\/(\d{4})\b/g)) {
    if (!decisions.has(Number(number))) fault(index, `cites decision ${number}, which does not exist`)
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
