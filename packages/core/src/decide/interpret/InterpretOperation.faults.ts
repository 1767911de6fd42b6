import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "an old confirmation counts after a failed capture",
    harm: "A repeated message of the earlier capture shows money that the provider gave back.",
    edits: [
      { in: "ofStated", condition: "isAfterFailure", become: 'operation.outcome === "Failed" && source.now < 0' },
      { file: "../OperationFact.ts", in: "isSilent", operand: "isAfterFailure", become: "false" },
      { in: "isBeforeFailure", returned: "captureFailedAt", become: "reported === undefined && source.at === 0" }
    ],
    caughtBy:
      "packages/core/test/ProviderReversals.test.ts > a confirmed capture that fails captures nothing, also by older confirmations"
  }
]
