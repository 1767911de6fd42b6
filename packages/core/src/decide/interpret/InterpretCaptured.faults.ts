import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "a greater capture dropped",
    harm: "The provider took more from the customer than the books say.",
    edits: [{ in: "ofCaptured", call: "moved", about: "correctCapture", become: "confirms" }],
    caughtBy:
      "packages/core/test/ProviderReversals.test.ts > given a partial capture, when the provider captured more, then it is recorded up to the authorization, with a review",
    simulatedOn: "memory"
  }
]
