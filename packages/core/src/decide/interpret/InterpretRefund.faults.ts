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
      "packages/core/test/ProviderReversals.test.ts > a full refund that failed at the provider is refundable again, and reviewed",
    simulatedOn: "memory"
  }
]
