import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "capture although records are missing",
    harm: "The store lost the capture; it is asked for again at a provider that forgot its key, and is taken twice.",
    edits: [{ in: "claimOperation", property: "guard", become: "undefined" }],
    caughtBy:
      "packages/core/test/RecordLosses.test.ts > nothing is sent to unrecovered connections, and what is on file is answered",
    simulatedOn: "memory",
    simulatedUnder: "restore"
  }
]
