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
      "packages/core/test/Corrections.test.ts > the proposer is refused, however the name is written, and nothing changes"
  }
]
