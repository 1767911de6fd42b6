import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "a connection that was lost between two nodes, taken for a commit that was not written",
    harm: "Its key is given back although its claim stands, or its charge is settled as never sent.",
    edits: [{ in: "isTakenBackByNode", operand: "fields.code", become: "true" }],
    caughtBy:
      "packages/storage/citus/test/TakenBack.test.ts > given a lost connection between nodes, then the commit is unknown"
  }
]
