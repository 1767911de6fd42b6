import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "write without the version, in SQLite",
    harm: "Two writers that decided on the same record overwrite each other.",
    edits: [{ text: "id = ? and version = ?", become: "id = ? and ? > 0" }],
    caughtBy:
      "packages/storage/sqlite/test/Sqlite.contract.test.ts > given one version, when 64 changes are decided on it, then one wins and all others are stale",
    simulatedOn: "sqlite"
  }
]
