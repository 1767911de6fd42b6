import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "adopt more refunds than was captured",
    harm: "A refund that the record has no room for breaks its balance, and the recovery dies.",
    edits: [{ in: "mayTake", operand: "refundableMinor", become: "true" }],
    caughtBy:
      "packages/core/test/RecoverRecords.test.ts > operations review the payment of a refund of ours of more than was captured"
  }
]
