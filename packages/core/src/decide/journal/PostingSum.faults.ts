import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "a posting is missing",
    harm: "The books do not add up to zero: what a provider owes appears from nowhere.",
    edits: [{ in: "addBalanced", statement: "account", become: "" }],
    caughtBy: "packages/core/test/Journal.test.ts > the provider owes a capture, which is sold",
    simulatedOn: "memory"
  }
]
