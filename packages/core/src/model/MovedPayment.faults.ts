import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "take what an answer changed for what the create decided",
    harm: "A charge is recorded without its reference and its amount: nothing can be captured or refunded.",
    edits: [
      {
        in: "keepsCreated",
        call: "createdFields.every",
        become: "createdFields.some((field) => before[field] === after[field])"
      }
    ],
    caughtBy: {
      project: "storage-sqlite",
      file: "packages/storage/sqlite/test/Sqlite.contract.test.ts",
      test: "given Charging, when ChargeAuthorized, then Authorized"
    },
    simulatedOn: "sqlite"
  }
]
