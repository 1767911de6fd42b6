import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "answer before the durable commit",
    harm: "A payment that was acknowledged is gone after a crash.",
    edits: [
      {
        in: "writeBatch",
        statement: "written",
        about: "transaction",
        become: "for (const { resume } of batch) resume(Effect.void)\n    $"
      }
    ],
    caughtBy:
      "packages/storage/sqlite/test/GroupCommit.test.ts > given a batch, when SQLite refuses its COMMIT, then every change fails as surely not written",
    simulatedOn: "sqlite"
  }
]
