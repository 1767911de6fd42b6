import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "cancel a checkout that can still be paid",
    harm: "The payment reads CANCELLED, the merchant makes another, and the customer pays both.",
    edits: [{ in: "checkoutFactOf", condition: "found.conclusive", become: "found.conclusive" }],
    caughtBy:
      "packages/core/test/HostedCheckout.test.ts > nothing changes when nothing is found, conclusively: it may still be paid",
    simulatedOn: "memory"
  }
]
