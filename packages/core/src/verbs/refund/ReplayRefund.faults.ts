import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "forget keys of recovered refunds",
    harm: "A merchant repeats a refund whose record was lost, and the customer is refunded twice.",
    edits: [{ in: "earlier", operand: "recoveredRefund", become: "undefined" }],
    caughtBy: "packages/core/test/RecoverRecords.test.ts > keys of recovered refunds repeat their answers"
  }
]
