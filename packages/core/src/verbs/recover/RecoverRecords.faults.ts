import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "adopt what a message states beside a complete list",
    harm: "A lost charge is recorded at the connection that a message about it came to: refunds go to the wrong provider.",
    edits: [{ in: "adopt", condition: "NoList", become: 'end._tag !== "Failed"' }],
    caughtBy: {
      project: "core",
      file: "packages/core/test/RecoverMessages.test.ts",
      test: "given it came to another connection, then the charge is that of the connection that lists it"
    },
    simulatedOn: "memory",
    simulatedUnder: "restore"
  }
]
