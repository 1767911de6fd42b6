import { assert, describe, it } from "@effect/vitest"
import { commitFaults } from "../CommitOutcomes.ts"
import { sourcesIn } from "../Files.ts"

const inCore = (path: string, text: string) => commitFaults([{ path: `packages/core/src/${path}`, text }])

describe("how a commit ends", () => {
  it("one file of core handles the end of a commit, and one room writes", () => {
    const sources = sourcesIn("packages/core")
    assert.isAbove(sources.length, 100)
    assert.deepStrictEqual(commitFaults(sources), [])
  })

  const refused: ReadonlyArray<readonly [path: string, text: string, message: RegExp]> = [
    [
      "verbs/check/CheckDue.ts",
      'Effect.catchTag(work, "pointsman/Stale", retry)',
      /:1: pointsman\/Stale is handled in/
    ],
    ["verbs/create/ClaimCharge.ts", 'case "pointsman/KeyTaken":', /pointsman\/KeyTaken is handled in/],
    ["commit/WriteFact.ts", "\nfailure instanceof CommitUnknown", /:2: CommitUnknown is handled in/],
    ["Pointsman.ts", 'import type { CommitUnknown } from "./ports/StorageError.ts"', /CommitUnknown is handled in/],
    ["verbs/check/CheckPayment.ts", "yield* ledger\n    .commit({ tenant })", /:2: only commit\/ writes/],
    ["verbs/receive/ReceiveMessage.ts", "ledger.keepMessage(tenant)", /only commit\/ writes/]
  ]
  it.each(refused)("control: %s with %j is refused", (path, text, message) => {
    const found = inCore(path, text)
    assert.strictEqual(found.length, 1)
    assert.match(found[0] ?? "", message)
  })

  const allowed: ReadonlyArray<readonly [path: string, text: string]> = [
    ["commit/DecideAndCommit.ts", 'case "pointsman/Stale":'],
    ["commit/CommitChange.ts", "ledger.commit(change)"],
    ["ports/StorageError.ts", "export class CommitUnknown"],
    ["testing/FaultyLedger.ts", "new CommitUnknown({ operation })"],
    ["verbs/check/CheckDue.ts", "// Stale: another writer came first"]
  ]
  it.each(allowed)("%s is allowed to say %j", (path, text) => {
    assert.deepStrictEqual(inCore(path, text), [])
  })
})
