import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "forget keys of recovered refunds",
    harm: "A merchant repeats a refund whose record was lost, and the customer is refunded twice.",
    edits: [{ in: "earlier", operand: "recoveredRefund", become: "undefined" }],
    caughtBy:
      "packages/core/test/RecoverRecords.test.ts > given recovered refunds, when their keys come again, then their answers are repeated"
  }
]
