import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "count on after a failover",
    harm: "A server that decided on a lost record writes over another one: a capture is recorded twice.",
    edits: [{ in: "inHistory", text: " + (", become: " * 0 + (" }],
    caughtBy: {
      project: "storage-postgres",
      file: "packages/storage/postgres/test/LostRecords.test.ts",
      test: "given another record with the number of a lost one, when a step was decided on the lost one, then it is stale"
    }
  }
]
