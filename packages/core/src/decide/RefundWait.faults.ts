import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "refund although disputes may be lost",
    harm: "The bank takes the money of a dispute that the store lost, and a refund gives it back once more.",
    edits: [{ in: "refundWaits", condition: "includes", become: "true" }],
    caughtBy:
      "packages/core/test/RecoverDisputes.test.ts > refunds of payments before the recovery wait for an operator, later ones do not"
  }
]
