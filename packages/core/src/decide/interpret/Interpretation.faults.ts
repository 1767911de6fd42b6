import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "a message says that nothing was received",
    harm: "A message ends a charge that the provider executes a moment later, and the merchant charges again.",
    edits: [{ in: "disbelieved", condition: "isCurrent", become: "source.askedAt < 0" }],
    caughtBy:
      "packages/core/test/ProviderLookups.test.ts > a message is not believed of an unknown charge that is old enough"
  },
  {
    name: "believe never received of a used key",
    harm: "The provider has a request under the key, which may have moved money; recorded as failed, it is made again.",
    edits: [{ in: "disbelieved", operand: "keyUsedCode", become: "false" }],
    caughtBy: "packages/core/test/UsedKeys.test.ts > a charge is unknown, and what is not found later settles nothing"
  },
  {
    name: "a contradiction without a review",
    harm: "The provider states that the money is gone, and no operator is asked to review it.",
    edits: [{ in: "reviewed", call: "withReview", become: "noted" }],
    caughtBy:
      "packages/core/test/ProviderReversals.test.ts > a captured payment is reviewed as listed when the provider states that it was canceled",
    simulatedOn: "memory"
  }
]
