import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "leave a paid page open",
    harm: "The customer paid on the page, the record was lost, and the page takes the money again.",
    edits: [{ in: "goesOn", operand: "isPaidSince", become: "false" }],
    caughtBy:
      "packages/core/test/RecoverRecords.test.ts > given it waits for its customer here, when it is recovered, then it is paid, and not paid again"
  }
]
