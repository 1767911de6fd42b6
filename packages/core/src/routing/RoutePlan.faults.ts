import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "retry on unknown",
    harm: "The provider that did not answer may have charged; the next one charges again.",
    edits: [
      { in: "nothingExecuted", statement: "pointsman/NotSent", become: 'case "pointsman/Unanswered": $' },
      { in: "mayFollow", returned: "followers", become: "$ ?? true" }
    ],
    caughtBy: "packages/core/test/NextStep.test.ts > mode failover after Unanswered: unknown result follows the table",
    simulatedOn: "memory"
  }
]
