import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "a lookup decides a change that came after it began",
    harm: "A refund made at the provider while the charge is looked up is never recorded.",
    edits: [{ in: "withoutUndecided", operand: "at", become: "true" }],
    caughtBy: "packages/core/test/ChangedCharges.test.ts > a charge that changes during a lookup is looked up again"
  }
]
