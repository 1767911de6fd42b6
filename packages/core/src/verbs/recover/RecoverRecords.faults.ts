import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "adopt what a message states beside a complete list",
    harm: "A lost charge is recorded at the connection that a message about it came to: refunds go to the wrong provider.",
    edits: [{ in: "adopt", condition: "NoList", become: 'end._tag !== "Failed"' }],
    caughtBy:
      "packages/core/test/RecoverMessages.test.ts > a charge is of the connection that lists it if a message came to another",
    simulatedOn: "memory",
    simulatedUnder: "restore"
  },
  {
    name: "recover no disputes",
    harm: "A dispute that the store lost is unknown: its money is refunded too, and its deadline passes.",
    edits: [{ in: "disputed", condition: "Failed", become: "true" }],
    caughtBy:
      "packages/core/test/RecoverDisputes.test.ts > a lost dispute recovers the chargeback, the dispute and its reminders"
  },
  {
    name: "ask for no authorization of before the loss",
    harm: "A capture that was lost is in no list; it is made again, and the money is taken twice.",
    edits: [{ in: "recoverConnection", statement: "recoverAuthorized", become: "" }],
    caughtBy: "packages/core/test/LostOperations.test.ts > another capture is refused, and the lost one is recorded"
  }
]
