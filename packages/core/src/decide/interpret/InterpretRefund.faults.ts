import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "a reversed refund dropped",
    harm: "The refund failed after it had succeeded, and the customer is never repaid.",
    edits: [
      {
        in: "ofStated",
        statement: "refundFactOf",
        become: 'if (state._tag === "RefundFailed" && refund.stage === "Succeeded") return older\n  $'
      }
    ],
    caughtBy:
      "packages/core/test/ProviderReversals.test.ts > given a full refund, when the provider states that it failed, then the amount is refundable again and operations review it",
    simulatedOn: "memory"
  }
]
