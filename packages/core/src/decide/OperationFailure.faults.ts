import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "a confirmed capture that failed dropped",
    harm: "The merchant keeps books of money that the provider took back.",
    edits: [{ in: "applyOperationFailure", call: "reverseCapture", become: "undefined" }],
    caughtBy:
      "packages/core/test/ProviderReversals.test.ts > a confirmed capture that fails captures nothing, also by older confirmations",
    simulatedOn: "memory"
  }
]
