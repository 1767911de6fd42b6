import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "an old success counts after a reversal",
    harm: "A repeated message of the earlier success hides that the customer was not repaid.",
    edits: [{ in: "isOlderWord", returned: "stage", about: "settledAt", become: "false" }],
    caughtBy:
      "packages/core/test/ProviderReversals.test.ts > a reversed refund's success counts only where it is dated after the failure"
  }
]
