import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "a file revives a revoked key",
    harm: "A key that was removed because it leaked moves money again.",
    edits: [{ in: "alive", operand: "before.revokedAt", become: "false" }],
    caughtBy:
      "packages/core/test/DirectoryPlan.test.ts > a key of the configuration dropped and named again is revoked and stays so",
    simulatedOn: "memory",
    simulatedUnder: "older-file"
  }
]
