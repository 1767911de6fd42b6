/**
 * How a commit of the ledger ends is handled in one file of core. Every other file is given what it means for money: a
 * loop of its own would have a bound, a pause and a comparison of its own.
 */
import { lineOf, type TextFile } from "./Files.ts"
import { partsOf } from "./SourceText.ts"

const source = "packages/core/src/"
const handler = `${source}commit/DecideAndCommit.ts`

/** Where else the words may occur: their declarations, what counts them, and doubles that fail on demand. */
const mayName: ReadonlyArray<string> = ["ports/", "metrics/", "testing/", "testing.ts"].map((path) => source + path)
const mayCommit: ReadonlyArray<string> = [`${source}commit/`, `${source}testing/`]

const inCode = /\b(?:Stale|CommitUnknown|MessageTaken|ReferenceTaken)\b/gu
const inString = /(?<=["'`])pointsman\/(?:Stale|CommitUnknown|KeyTaken|MessageTaken|ReferenceTaken)(?=["'`])/gu
/** `Ledger.commit`, also where the line breaks before the dot. */
const commit = /\.\s*(?:commit|keepMessage)\s*\(/gu

/** What is wrong, one line each. */
export const commitFaults = (sources: ReadonlyArray<TextFile>): ReadonlyArray<string> =>
  sources.flatMap((file) => {
    const { path } = file
    const isInside = (folders: ReadonlyArray<string>) => folders.some((folder) => path.startsWith(folder))
    const { code, strings } = partsOf(file)
    const found = (text: string, pattern: RegExp, message: (named: string) => string) =>
      Array.from(text.matchAll(pattern), ({ 0: named, index }) => `${path}:${lineOf(text, index)}: ${message(named)}`)
    const isHandled = (named: string) => `${named} is handled in ${handler} alone`
    return [
      ...(path === handler || isInside(mayName)
        ? []
        : [...found(code, inCode, isHandled), ...found(strings, inString, isHandled)]),
      ...(isInside(mayCommit) ? [] : found(code, commit, () => "only commit/ writes through the ledger"))
    ]
  })
