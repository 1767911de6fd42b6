/**
 * The fenced blocks of Markdown, and what is said of them for the checks alone.
 *
 * A block of TypeScript represents a whole module. Its preconditions are written right before it, in a comment
 * that readers do not see: `<!-- ts`, some lines of TypeScript, `-->`. A line `…` in there is where the block goes, and
 * else it goes to the end.
 */

import { files } from "../tidy/Files.ts"

export interface Block {
  readonly path: string
  /** The line of the block's first line of text, counted from 1. */
  readonly line: number
  /** The first word behind the fence; empty where there is none. */
  readonly language: string
  readonly text: string
  /** The comment before it, without its first line. */
  readonly given: string | undefined
}

const fence = /^(`{3,}|~{3,})\s*([^\s`]*)[^`]*$/u

export const blocksOf = (path: string, markdown: string): ReadonlyArray<Block> => {
  const blocks: Array<Block> = []
  const lines = markdown.split("\n")
  let given: string | undefined
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ""
    if (line === "<!-- ts") {
      const end = lines.indexOf("-->", at)
      if (end < 0) throw new Error(`${path}:${at + 1}: the comment does not end`)
      given = lines.slice(at + 1, end).join("\n")
      at = end
      continue
    }
    const [, mark, language] = fence.exec(line) ?? []
    if (mark === undefined || language === undefined) {
      if (line.trim() !== "" && given !== undefined) {
        throw new Error(`${path}:${at + 1}: preconditions are only allowed before a block of TypeScript`)
      }
      continue
    }
    const end = lines.findIndex((other, index) => index > at && other.trim() === mark)
    if (end < 0) throw new Error(`${path}:${at + 1}: the block does not end`)
    blocks.push({ path, line: at + 2, language, text: lines.slice(at + 1, end).join("\n"), given })
    given = undefined
    at = end
  }
  return blocks
}

/** The module that a block represents, and how many lines precede the block in it. */
export const moduleOf = ({ given, text }: Block): { readonly text: string; readonly before: number } => {
  if (given === undefined) return { text, before: 0 }
  const lines = given.split("\n")
  const hole = lines.findIndex((line) => line.trim() === "…")
  const before = hole < 0 ? lines : lines.slice(0, hole)
  const after = hole < 0 ? [] : lines.slice(hole + 1)
  return { text: [...before, text, ...after].join("\n"), before: before.length }
}

/** The blocks of the root's README, of everything in `docs`, and of each package's README. */
export const blocks = (...languages: ReadonlyArray<string>): ReadonlyArray<Block> =>
  files("README.md", "docs/**/*.md", "packages/**/README.md")
    .flatMap(({ path, text }) => blocksOf(path, text))
    .filter(({ language }) => languages.includes(language))
