import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "evidence is sent again",
    harm: "A dispute whose evidence the provider has, or may have, is submitted a second time.",
    edits: [{ in: "refuseClosed", if: "openSubmission", become: "" }],
    caughtBy:
      "packages/core/test/Disputes.test.ts > given a provider that has it, then the look-up ends it, and it is never sent again",
    simulatedOn: "memory"
  }
]
