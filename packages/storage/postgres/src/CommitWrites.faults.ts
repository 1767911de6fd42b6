import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "write without the version, in PostgreSQL",
    harm: "A writer that waited for another one's row writes over what that one decided.",
    edits: [{ in: "movedPayment", text: "version = ", become: "version >= " }],
    caughtBy: {
      project: "storage-postgres",
      file: "packages/storage/postgres/test/Races.test.ts",
      test: "given 8 writers that wait for one payment, then one of them writes it, and the others are stale"
    }
  }
]
