import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "a kept book of another tenant",
    harm: "A tenant that names another one's payment moves that one's money.",
    edits: [{ in: "takeKept", operand: "isOf", become: "false" }],
    caughtBy:
      "packages/core/test/KeptBooks.test.ts > another tenant that names the payment finds none, and nothing is written"
  },
  {
    name: "a kept book that callers may change",
    harm: "An amount that a caller changed in its answer is captured, and written over the payment's own.",
    edits: [{ in: "keep", call: "copied", become: "book" }],
    caughtBy:
      "packages/core/test/KeptBooks.test.ts > a caller that changes its payment changes neither the record nor the next refund"
  }
]
