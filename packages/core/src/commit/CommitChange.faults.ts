import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "a kept book of another tenant",
    harm: "A tenant that names another one's payment moves that one's money.",
    edits: [{ in: "takeKept", operand: "isOf", become: "false" }],
    caughtBy:
      "packages/core/test/KeptBooks.test.ts > given another tenant that names the payment, then it has none, and nothing is written"
  },
  {
    name: "a kept book that callers may change",
    harm: "An amount that a caller changed in its answer is captured, and written over the payment's own.",
    edits: [{ in: "keep", call: "copied", become: "book" }],
    caughtBy:
      "packages/core/test/KeptBooks.test.ts > given a caller that changes the payment it was given, then the record and the next refund do not change"
  }
]
