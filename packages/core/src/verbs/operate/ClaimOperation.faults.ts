import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "capture on an unknown commit",
    harm: "A capture goes out under a claim that may not be stored: a void can follow it.",
    edits: [
      {
        in: "MaybeWritten",
        statement: "nothingSent",
        become: 'return { _tag: "Begun" as const, book, inHand, cause }'
      },
      { in: "MaybeWritten", statement: "giveBack", become: "" }
    ],
    caughtBy:
      "packages/core/test/OperationFaults.test.ts > of a capture is lost, then nothing is sent, the key is free, and a retry does it once",
    simulatedOn: "memory"
  },
  {
    name: "capture although records are missing",
    harm: "The store lost the capture; it is asked for again at a provider that forgot its key, and is taken twice.",
    edits: [{ in: "claimOperation", property: "guard", become: "undefined" }],
    caughtBy:
      "packages/core/test/RecordLosses.test.ts > given connections that are not recovered, then nothing is sent there, and what is on file is answered",
    simulatedOn: "memory",
    simulatedUnder: "restore"
  },
  {
    name: "capture in another account",
    harm: "Another merchant's charge with the same reference would be captured or voided.",
    edits: [{ in: "begin", condition: "other", become: "false" }],
    caughtBy:
      "packages/core/test/Accounts.test.ts > given a payment of the first account, when a capture is asked for, then nothing is sent there"
  }
]
