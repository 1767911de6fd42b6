import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "release an unknown capture's key",
    harm: "The retry of a capture that may have happened is sent as soon as the payment can be captured again.",
    edits: [{ in: "isNamed", operand: "operation.reply", become: "false" }],
    caughtBy:
      "packages/core/test/OperationAnswers.test.ts > nothing, then pointsman/ResultUnknown and CaptureUnknown; the same key says so again, and asks nobody"
  }
]
