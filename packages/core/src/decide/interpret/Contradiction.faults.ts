import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "a contradiction without a review",
    harm: "The provider states that the money is gone, and nobody is asked to look.",
    edits: [{ in: "reviewed", call: "withReview", become: "noted" }],
    caughtBy:
      "packages/core/test/ProviderReversals.test.ts > given a captured payment, when the provider states that it was canceled, then operations review it once",
    simulatedOn: "memory"
  }
]
