import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "an unmatched message never applied again",
    harm: "A dispute that overtakes the answer to its charge is never taken back from the payment.",
    edits: [
      { in: "matchMessages", condition: "batch", become: "true" },
      { in: "matchMessages", call: "found.toReversed", become: "found.slice(0, 0)" }
    ],
    caughtBy:
      "packages/core/test/StoredMessages.test.ts > a check applies a dispute that names a charge which a lookup records later",
    simulatedOn: "memory"
  }
]
