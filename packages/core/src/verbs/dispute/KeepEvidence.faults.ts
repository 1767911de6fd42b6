import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "evidence is sent again",
    harm: "A dispute whose evidence the provider has, or may have, is submitted a second time.",
    edits: [{ in: "refuseClosed", if: "openSubmission", become: "" }],
    caughtBy:
      "packages/core/test/Disputes.test.ts > a lookup ends evidence that the provider has, and it is never sent again",
    simulatedOn: "memory"
  }
]
