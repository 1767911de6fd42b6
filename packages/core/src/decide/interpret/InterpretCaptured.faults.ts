import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "a greater capture dropped",
    harm: "The provider took more from the customer than the books say.",
    edits: [{ in: "ofCaptured", call: "moved", about: "correctCapture", become: "confirms" }],
    caughtBy:
      "packages/core/test/ProviderReversals.test.ts > a larger capture by the provider is recorded up to the authorization, reviewed",
    simulatedOn: "memory"
  }
]
