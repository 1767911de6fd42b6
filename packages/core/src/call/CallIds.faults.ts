import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "draw the id of an attempt",
    harm: "A store that lost its last records asks for the same charge under another id, and the provider charges again.",
    edits: [{ in: "attemptId", condition: "key", become: "key !== undefined" }],
    caughtBy: "packages/core/test/DerivedIds.test.ts > another store gives the same id to the same key on the same day",
    simulatedOn: "memory",
    simulatedUnder: "restore"
  },
  {
    name: "draw the id of a refund",
    harm: "A store that lost its last records asks for the same refund under another id, and the money is given back twice.",
    edits: [{ in: "refundId", condition: "key", become: "key !== undefined" }],
    caughtBy: "packages/core/test/DerivedIds.test.ts > a refund has the same id in another store that lost the payment",
    simulatedOn: "memory",
    simulatedUnder: "restore"
  },
  {
    name: "draw the id of a capture",
    harm: "A store that lost its last records asks for the same capture under another id, and the money is taken twice.",
    edits: [{ in: "operationId", condition: "key", become: "key !== undefined" }],
    caughtBy: "packages/core/test/DerivedIds.test.ts > a capture has the same id in another store that lost the payment"
  },
  {
    name: "one tag for the keys of all workspaces",
    harm: "A shop's order is answered with what was recovered under the same key in its other environment.",
    edits: [{ in: "keyText", returned: "place", become: "JSON.stringify([tenant === undefined, key])" }],
    caughtBy:
      "packages/core/test/DerivedIds.test.ts > ids of calls under one key differ, and each ends with the tag of tenant and key"
  }
]
