import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "capture on an unknown commit",
    harm: "A capture goes out under a claim that may not be stored: a void can follow it.",
    edits: [
      { in: "claimCall", if: "MaybeWritten", become: "if (failure instanceof MaybeWritten) return failure.value" }
    ],
    caughtBy:
      "packages/core/test/OperationFaults.test.ts > a capture whose first commit is lost is unsent, and retried once",
    simulatedOn: "memory"
  },
  {
    name: "capture in another account",
    harm: "Another merchant's charge with the same reference would be captured or voided.",
    edits: [{ in: "connectionInAccount", condition: "other", become: "true" }],
    caughtBy: "packages/core/test/Accounts.test.ts > a capture of a payment of the first account is not sent to another"
  },
  {
    name: "refund in another account",
    harm: "Another merchant's charge with the same reference would be refunded.",
    edits: [{ in: "connectionInAccount", condition: "other", become: "true" }],
    caughtBy: "packages/core/test/Accounts.test.ts > a refund of a payment of the first account is not sent to another"
  }
]
