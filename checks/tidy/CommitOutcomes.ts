/**
 * How a commit of the ledger ends is handled in one file of core. Every other file is given what it means for money: a
 * loop of its own would have a bound, a pause and a comparison of its own.
 */
import type { TextFile } from "./Files.ts"
import { tokens } from "./SourceText.ts"

const source = "packages/core/src/"
const handler = `${source}commit/DecideAndCommit.ts`

/** Where else the words may occur: their declarations, what counts them, and doubles that fail on demand. */
const mayName: ReadonlyArray<string> = ["ports/", "metrics/", "testing/", "testing.ts"].map((path) => source + path)
const mayCommit: ReadonlyArray<string> = [`${source}commit/`, `${source}testing/`]

const inCode = /\b(?:Stale|CommitUnknown|MessageTaken|ReferenceTaken)\b/
const inString = /^pointsman\/(?:Stale|CommitUnknown|KeyTaken|MessageTaken|ReferenceTaken)$/
/** `Ledger.commit`, also where the line breaks before the dot. */
const commit = /\.\s*commit\s*\(|\.\s*keepMessage\s*\(/

/** What is wrong, one line each. */
export const commitFaults = (sources: ReadonlyArray<TextFile>): ReadonlyArray<string> =>
  sources.flatMap(({ path, text }) => {
    const isInside = (folders: ReadonlyArray<string>) => folders.some((folder) => path.startsWith(folder))
    const names = path !== handler && !isInside(mayName)
    return tokens(text).flatMap(({ kind, line, text }) => {
      const pattern = kind === "code" ? inCode : inString
      const named = names ? pattern.exec(text) : null
      const committed = kind === "code" && !isInside(mayCommit) ? commit.exec(text) : null
      const lineOf = (index: number) => line + text.slice(0, index).split("\n").length - 1
      return [
        ...(named === null ? [] : [`${path}:${lineOf(named.index)}: ${named[0]} is handled in ${handler} alone`]),
        ...(committed === null ? [] : [`${path}:${lineOf(committed.index)}: only commit/ writes through the ledger`])
      ]
    })
  })
