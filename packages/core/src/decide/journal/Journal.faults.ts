import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "a row that comes twice is posted twice",
    harm: "A report that is read again moves the provider's balance and the fees again.",
    edits: [{ in: "report", statement: "before.effect.postings", become: "" }],
    caughtBy:
      "packages/core/test/Journal.test.ts > the same row is posted once, and a corrected one adds the difference",
    simulatedOn: "memory"
  }
]
