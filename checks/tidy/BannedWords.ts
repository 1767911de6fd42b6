/** Words that source code of the packages does not use, and why. */
import { lineOf, type TextFile } from "./Files.ts"
import { partsOf } from "./SourceText.ts"

interface BannedWord {
  readonly word: string
  readonly pattern: RegExp
  readonly instead: string
}

export const bannedWords: ReadonlyArray<BannedWord> = [
  { word: "Date.now", pattern: /\bDate\s*\.\s*now\b/, instead: "Effect's Clock, which a test can set" },
  { word: "new Date()", pattern: /\bnew\s+Date\b(?!\s*\(\s*[^)\s])/, instead: "Effect's Clock, which a test can set" },
  { word: "performance.now", pattern: /\bperformance\s*\.\s*now\b/, instead: "Effect's Clock, which a test can set" },
  { word: "Math.random", pattern: /\bMath\s*\.\s*random\b/, instead: "effect/crypto, or Effect's Random" },
  {
    word: "randomUUID",
    // Effect's own `randomBytes` is a method of its service; Node's is imported or called on `crypto`.
    pattern: /\b(?:randomUUID\w*|getRandomValues|randomInt|(?:crypto\s*\.|import\s*\{[^}]*)\s*randomBytes)\b/,
    instead: "effect/crypto or the port Ids"
  },
  { word: "console", pattern: /\bconsole\s*\.\s*[a-z]/, instead: "Effect's log, whose lines are structured" },
  { word: "setTimeout", pattern: /\bsetTimeout\b/, instead: "Effect.sleep or Effect.timeout, which follow the Clock" },
  { word: "setInterval", pattern: /\bsetInterval\b/, instead: "Effect.repeat with a Schedule" },
  { word: "setImmediate", pattern: /\bsetImmediate\b/, instead: "Effect.yieldNow" },
  { word: "process.env", pattern: /\bprocess\s*\.\s*env\b/, instead: "Effect's Config" },
  { word: "process.exit", pattern: /\bprocess\s*\.\s*exit\b/, instead: "the exit of the main Effect" }
]

/** By file, or by folder with `/` at its end: the reason, and the words. */
export type Exceptions = Readonly<Record<string, readonly [reason: string, ...words: ReadonlyArray<string>]>>

const passesByItself =
  "The network's time passes by itself, and a fiber that sleeps beside every statement costs as much as it."

/** Where a banned word has its place; a line that nothing uses is an error. */
const exceptions: Exceptions = {
  "packages/storage/sqlite/src/Committer.ts": [
    "Gathers the commits that share one durable write; a microtask gathers batches of one.",
    "setImmediate"
  ],
  "packages/storage/postgres/src/CommitMany.ts": [
    "Gathers the commits that share one statement; a microtask gathers batches of one. How long they take is real time.",
    "setImmediate",
    "performance.now"
  ],
  "packages/server/src/AdmitRequests.ts": [
    "A request is taken or refused before it has a fiber, once Node has read the body that came with its headers.",
    "setImmediate"
  ],
  "packages/contracts/src/simulator/Time.ts": ["It ends what simulated time waits for.", "performance.now"],
  "packages/core/src/ports/Admission.ts": [
    "Places are given before a request is read, and so before it has a fiber.",
    "performance.now",
    "setTimeout"
  ],
  "packages/storage/sqlite/src/SearchThread.ts": [
    "Another thread's time passes by itself, whatever clock the program is given.",
    "setTimeout"
  ],
  "packages/storage/postgres/src/Connections.ts": [passesByItself, "performance.now", "setTimeout"],
  "packages/storage/postgres/src/GatheringLine.ts": [
    "What waits for the network's time counts it, as in Connections.ts.",
    "performance.now",
    "setTimeout"
  ],
  "packages/storage/postgres/src/Database.ts": [passesByItself, "setTimeout"],
  "packages/storage/postgres/src/Standby.ts": [
    "How far a standby is behind is measured by the network's time, as in Connections.ts.",
    "performance.now"
  ],
  "packages/storage/postgres/src/Reads.ts": [
    "How old a read is counts from the moment at which Standby.ts asked the primary.",
    "performance.now"
  ],
  "packages/server/src/CommandLine.ts": [
    "The command line: it hands the environment to Effect's Config, and tells a defect when no runtime is left.",
    "console",
    "process.env"
  ],
  "packages/client/src/Platform.ts": [
    "The client is for programs without Effect, and brings nothing with it.",
    "Date.now",
    "performance.now",
    "Math.random",
    "randomUUID",
    "setTimeout"
  ],
  "packages/node/src/OpenPointsman.ts": [
    "What `$env` names in the workspaces, as the server's file has it, is looked up where no Config reaches.",
    "process.env"
  ],
  "packages/server/src/main.ts": ["Tells that Node is too old before anything else is loaded.", "console"]
}

const uses = (file: TextFile): ReadonlyArray<{ readonly banned: BannedWord; readonly at: string }> => {
  const mentioned = bannedWords.filter(({ pattern }) => pattern.test(file.text))
  if (mentioned.length === 0) return []
  const { code } = partsOf(file)
  return mentioned.flatMap((banned) =>
    Array.from(code.matchAll(new RegExp(banned.pattern, "g")), ({ index }) => ({
      banned,
      at: `${file.path}:${lineOf(code, index)}`
    }))
  )
}

export const wordFaults = (
  sources: ReadonlyArray<TextFile>,
  allowed: Exceptions = exceptions
): ReadonlyArray<string> => {
  const used = new Set<string>()
  const faults = sources.flatMap((source) =>
    uses(source).flatMap(({ at, banned: { instead, word } }) => {
      const place = Object.keys(allowed).find(
        (path) =>
          allowed[path]?.slice(1).includes(word) &&
          (path.endsWith("/") ? source.path.startsWith(path) : source.path === path)
      )
      used.add(`${place}: ${word}`)
      return place === undefined ? [`${at}: ${word}: use ${instead}`] : []
    })
  )
  const named = Object.entries(allowed).flatMap(([path, [, ...words]]) => words.map((word) => `${path}: ${word}`))
  return [...faults, ...named.filter((one) => !used.has(one)).map((one) => `${one} is excepted and not used`)]
}
