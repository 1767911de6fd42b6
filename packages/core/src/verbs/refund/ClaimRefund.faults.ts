import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "refund although records are missing",
    harm: "The store lost the refund; it is asked for again, and the money is given back twice.",
    edits: [{ in: "claimRefund", property: "guard", become: "undefined" }],
    caughtBy:
      "packages/core/test/RecordLosses.test.ts > nothing is sent to unrecovered connections, and what is on file is answered",
    simulatedOn: "memory",
    simulatedUnder: "restore"
  }
]
