import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "believe an old approval",
    harm: "A message from before the request opens the checkout again, and the money is asked for a second time.",
    edits: [{ in: "ofApproved", if: "isCurrent", become: "" }],
    caughtBy:
      "packages/core/test/CompleteCheckout.test.ts > an unanswered step stays unknown and unsent while the record cannot be read"
  }
]
