import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "capture on an unknown commit",
    harm: "A capture goes out under a claim that may not be stored: a void can follow it.",
    edits: [
      { in: "claimCall", if: "MaybeWritten", become: "if (failure instanceof MaybeWritten) return failure.value" }
    ],
    caughtBy:
      "packages/core/test/OperationFaults.test.ts > of a capture is lost, then nothing is sent, the key is free, and a retry does it once",
    simulatedOn: "memory"
  },
  {
    name: "capture in another account",
    harm: "Another merchant's charge with the same reference would be captured or voided.",
    edits: [{ in: "connectionInAccount", condition: "other", become: "true" }],
    caughtBy:
      "packages/core/test/Accounts.test.ts > given a payment of the first account, when a capture is asked for, then nothing is sent there"
  },
  {
    name: "refund in another account",
    harm: "Another merchant's charge with the same reference would be refunded.",
    edits: [{ in: "connectionInAccount", condition: "other", become: "true" }],
    caughtBy:
      "packages/core/test/Accounts.test.ts > given a payment of the first account, when a refund is asked for, then nothing is sent there"
  }
]
