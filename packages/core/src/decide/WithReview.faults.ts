import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "a dispute not weighed again",
    harm: "A payment that was disputed before it was captured is refunded in full, and the merchant pays twice.",
    edits: [{ in: "weighReported", condition: "isDisputed", become: "false" }],
    caughtBy:
      "packages/core/test/ProviderReversals.test.ts > given a payment that is UNKNOWN, when a dispute is opened and the charge is captured then, then it is CHARGEBACK and cannot be refunded",
    simulatedOn: "memory"
  }
]
