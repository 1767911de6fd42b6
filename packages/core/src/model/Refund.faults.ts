import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "refund without a reservation",
    harm: "Two refunds that are under way at once give back more than was captured.",
    edits: [{ in: "columnOf", property: "Sending", become: '"nothing"' }],
    caughtBy: "packages/core/test/RefundLedger.test.ts > ten of 64 refunds at once of a tenth each reach the provider",
    simulatedOn: "memory"
  }
]
