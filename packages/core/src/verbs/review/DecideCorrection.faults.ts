import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "an operator approves their own correction",
    harm: "One person changes the recorded amounts of any payment alone.",
    edits: [
      { in: "refusalOf", if: "isSamePerson", become: "" },
      { in: "refusalOf", condition: "isAnotherPerson", become: "$ || isSamePerson(proposedBy, by)" }
    ],
    caughtBy:
      "packages/core/test/Corrections.test.ts > given the person who proposed it, however the name is written, then it is refused and nothing changes"
  }
]
