import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "refund although disputes may be lost",
    harm: "The bank takes the money of a dispute that the store lost, and a refund gives it back once more.",
    edits: [{ in: "refundWaits", condition: "includes", become: "true" }],
    caughtBy:
      "packages/core/test/RecoverDisputes.test.ts > given it is recovered, then refunds of payments from before wait for an operator, and of later ones do not"
  }
]
