import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "the answer of a node that a workspace left, taken for no rows",
    harm: "A payment is taken for missing, and its charge is sent again under a new id.",
    edits: [{ in: "rowsOf", condition: "ranges", become: "false" }],
    caughtBy: "packages/storage/citus/test/NodeReads.test.ts > the answer of the new node counts when there is a read"
  },
  {
    name: "a connection that was lost between two nodes, taken for a commit that was not written",
    harm: "Its key is given back although its claim stands, or its charge is settled as never sent.",
    edits: [{ file: "Coordinator.ts", in: "isTakenBackByNode", operand: "fields.code", become: "true" }],
    caughtBy: "packages/storage/citus/test/TakenBack.test.ts > a lost connection between nodes makes the commit unknown"
  }
]
