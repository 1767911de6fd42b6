import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "leave a paid page open",
    harm: "The customer paid on the page, the record was lost, and the page takes the money again.",
    edits: [{ in: "goesOn", operand: "isPaidSince", become: "false" }],
    caughtBy:
      "packages/core/test/RecoverRecords.test.ts > a page that waits for its customer is recovered as paid, and not paid again"
  }
]
