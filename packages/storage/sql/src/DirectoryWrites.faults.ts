import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "a change of the directory that was planned before a write, in SQL",
    harm: "A secret, a routing or a connection that an operator just changed comes back, and payments go to the old one.",
    edits: [{ in: "makeApply", if: "version", become: "" }],
    caughtBy:
      "packages/storage/sqlite/test/Sqlite.contract.test.ts > a change planned before a write of any kind is refused"
  }
]
