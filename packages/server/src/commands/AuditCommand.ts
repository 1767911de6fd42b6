/** `pointsman audit`: who changed what, and whether the entries are those that were written. */
import { createHash } from "node:crypto"
import { Audit, type AuditEntry, findFault } from "@pointsman/core/ports"
import { Console, Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { endWith } from "./CommandFailure.ts"
import { commandGroup } from "./CommandHelp.ts"
import { databaseCommand } from "./DatabaseCommand.ts"
import { print } from "./Output.ts"
import { type Text, table } from "./Table.ts"
import { counted, timeOf } from "./Words.ts"

const list = databaseCommand(
  {
    name: "list",
    short: "List entries, oldest first",
    long:
      "List the audit trail, oldest first: changes by command line, configuration file or library. Requests of the API " +
      "are not in it.",
    examples: { "pointsman audit list --after 120 --json": "What came since" },
    flags: {
      after: Flag.Int("after").pipe(
        Flag.withMetavar("number"),
        Flag.withDescription("Only entries with a greater number; default: 0"),
        Flag.withDefault(0)
      ),
      limit: Flag.Int("limit").pipe(
        Flag.withMetavar("count"),
        Flag.withDescription("Entries at most, 1 to 1000; default: 100"),
        Flag.filter(
          (limit) => limit >= 1 && limit <= 1_000,
          () => "a number from 1 to 1000"
        ),
        Flag.withDefault(100)
      )
    }
  },
  function* ({ after, limit }, { json }) {
    const entries = (yield* (yield* Audit).list({ after, limit })).map(entryView)
    yield* print(json, { data: entries }, entries.length === 0 ? "" : entriesText(entries))
    if (!json && entries.length === 0) yield* Console.error("No entries found.")
  }
)

const readExpected = (text: string) => {
  const match = /^([1-9]\d{0,14}):([0-9a-f]{64})$/u.exec(text)
  return match === null ? Option.none() : Option.some({ number: Number(match[1]), hash: match[2] as string })
}

const pageOf = 1_000

/** Reads the entries page by page; ends at the first that breaks the chain. */
const verifyChain = Effect.fnUntraced(function* (expected: { readonly number: number; readonly hash: string } | null) {
  const audit = yield* Audit
  let last: Pick<AuditEntry, "number" | "hash"> | undefined
  while (true) {
    const entries = yield* audit.list({ after: last?.number ?? 0, limit: pageOf })
    const fault = findFault(entries, last, sha256)
    if (fault !== undefined) return { last, fault }
    const anchored = entries.find(({ number }) => number === expected?.number)
    if (anchored !== undefined && anchored.hash !== expected?.hash) {
      return { last, fault: { number: anchored.number, fault: "changed" as const } }
    }
    last = entries.at(-1) ?? last
    if (entries.length < pageOf) break
  }
  const number = (last?.number ?? 0) + 1
  return expected !== null && expected.number >= number
    ? { last, fault: { number, fault: "missing" as const } }
    : { last, fault: undefined }
})

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

const faults = {
  missing: "is missing: it was deleted",
  changed: "was changed",
  inserted: "does not follow the entry before it: one of them was inserted or replaced"
}

const verify = databaseCommand(
  {
    name: "verify",
    short: "Check that no entry was changed",
    long:
      "Check the chain of hashes from the first entry on. Names the first entry that was changed, deleted or inserted, and " +
      "exits with 1. Without --expect, a deletion of the newest entries is not detected.",
    examples: { "pointsman audit verify": "Prints the last number and hash to keep" },
    flags: {
      expect: Flag.String("expect").pipe(
        Flag.withMetavar("number:hash"),
        Flag.withDescription("The last entry of an earlier verification; detects that newer entries were deleted"),
        Flag.filterMap(readExpected, () => "number:hash, as `pointsman audit verify` prints it"),
        Flag.optional
      )
    }
  },
  function* ({ expect }, { json }) {
    const { fault, last } = yield* verifyChain(Option.getOrNull(expect))
    const intact = last?.number ?? 0
    const data = { intact, last: last === undefined ? null : `${last.number}:${last.hash}`, fault: fault ?? null }
    yield* print(
      json,
      { data },
      fault === undefined
        ? `${counted(intact, "entry").replace("entrys", "entries")} intact.${last === undefined ? "" : ` Last: ${data.last}`}`
        : `Entry ${fault.number} ${faults[fault.fault]}.`
    )
    if (fault !== undefined) yield* endWith(1)
  }
)

export const auditCommand = commandGroup(
  "audit",
  { short: "List and verify the audit trail", long: "List and verify the audit trail." },
  [list, verify]
)

const entryView = ({ action, actor, at, details, hash, number, subject, via }: AuditEntry) => ({
  number,
  at: timeOf(at),
  actor,
  via,
  action,
  subject,
  details: JSON.parse(details) as unknown,
  hash
})

const entriesText = (entries: ReadonlyArray<ReturnType<typeof entryView>>): Text =>
  table(
    ["NUMBER", "TIME", "ACTOR", "VIA", "ACTION", "SUBJECT"],
    entries.map(({ action, actor, at, number, subject, via }) => [number, at, actor, via, action, subject])
  )
