import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "a dispute not weighed again",
    harm: "A payment that was disputed before it was captured is refunded in full, and the merchant pays twice.",
    edits: [{ in: "weighReported", condition: "isDisputed", become: "false" }],
    caughtBy:
      "packages/core/test/ProviderReversals.test.ts > a dispute of a payment UNKNOWN makes its capture CHARGEBACK, and not refundable",
    simulatedOn: "memory"
  }
]
