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

export interface Exception {
  /** A file, or a folder that ends in `/`. */
  readonly path: string
  readonly words: ReadonlyArray<string>
  readonly reason: string
}

/** Where a banned word has its place. Every line gives the reason; a line that nothing uses is an error. */
const exceptions: ReadonlyArray<Exception> = [
  {
    path: "packages/storage/sqlite/src/Committer.ts",
    words: ["setImmediate"],
    reason: "Gathers the commits that share one durable write; a microtask gathers batches of one."
  },
  {
    path: "packages/storage/postgres/src/CommitMany.ts",
    words: ["setImmediate", "performance.now"],
    reason:
      "Gathers the commits that share one statement; a microtask gathers batches of one. How long they take is real time."
  },
  {
    path: "packages/server/src/AdmitRequests.ts",
    words: ["setImmediate"],
    reason:
      "A request is taken or refused before it has a fiber, once Node has read the body that came with its headers."
  },
  {
    path: "packages/contracts/src/simulator/Time.ts",
    words: ["performance.now"],
    reason: "It ends what simulated time waits for."
  },
  {
    path: "packages/core/src/ports/Admission.ts",
    words: ["performance.now", "setTimeout"],
    reason: "Places are given before a request is read, and so before it has a fiber."
  },
  {
    path: "packages/storage/sqlite/src/SearchThread.ts",
    words: ["setTimeout"],
    reason: "Another thread's time passes by itself, whatever clock the program is given."
  },
  {
    path: "packages/storage/postgres/src/Connections.ts",
    words: ["performance.now", "setTimeout"],
    reason: "The network's time passes by itself, and a fiber that sleeps beside every statement costs as much as it."
  },
  {
    path: "packages/storage/postgres/src/GatheringLine.ts",
    words: ["performance.now", "setTimeout"],
    reason: "What waits for the network's time counts it, as in Connections.ts."
  },
  {
    path: "packages/storage/postgres/src/Database.ts",
    words: ["setTimeout"],
    reason: "The network's time passes by itself, and a fiber that sleeps beside every statement costs as much as it."
  },
  {
    path: "packages/storage/postgres/src/Standby.ts",
    words: ["performance.now"],
    reason: "How far a standby is behind is measured by the network's time, as in Connections.ts."
  },
  {
    path: "packages/storage/postgres/src/Reads.ts",
    words: ["performance.now"],
    reason: "How old a read is counts from the moment at which Standby.ts asked the primary."
  },
  {
    path: "packages/server/src/CommandLine.ts",
    words: ["console", "process.env"],
    reason: "The command line: it hands the environment to Effect's Config, and tells a defect when no runtime is left."
  },
  {
    path: "packages/client/src/Platform.ts",
    words: ["Date.now", "performance.now", "Math.random", "randomUUID", "setTimeout"],
    reason: "The client is for programs without Effect, and brings nothing with it."
  },
  {
    path: "packages/node/src/OpenPointsman.ts",
    words: ["process.env"],
    reason: "What `$env` names in the workspaces, as the server's file has it, is looked up where no Config reaches."
  },
  {
    path: "packages/server/src/main.ts",
    words: ["console"],
    reason: "Tells that Node is too old before anything else is loaded."
  }
]

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

const covers = (exception: Exception, path: string, word: string) =>
  exception.words.includes(word) &&
  (exception.path.endsWith("/") ? path.startsWith(exception.path) : path === exception.path)

export const wordFaults = (
  sources: ReadonlyArray<TextFile>,
  allowed: ReadonlyArray<Exception> = exceptions
): ReadonlyArray<string> => {
  const used = new Set<string>()
  const key = (exception: Exception, word: string) => `${exception.path}: ${word}`
  const faults = sources.flatMap((source) =>
    uses(source).flatMap(({ banned, at }) => {
      const exception = allowed.find((exception) => covers(exception, source.path, banned.word))
      if (exception === undefined) return [`${at}: ${banned.word}: use ${banned.instead}`]
      used.add(key(exception, banned.word))
      return []
    })
  )
  const unused = allowed.flatMap((exception) =>
    exception.words
      .filter((word) => !used.has(key(exception, word)))
      .map((word) => `${key(exception, word)} is excepted and not used`)
  )
  return [...faults, ...unused]
}
