import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "take what an answer changed for what the create decided",
    harm: "A charge is recorded without its reference and its amount: nothing can be captured or refunded.",
    edits: [
      {
        in: "keepsCreated",
        call: "createdFields.every",
        become: "createdFields.some((field) => before.payment[field] === after[field])"
      }
    ],
    caughtBy: {
      project: "storage-postgres",
      file: "packages/storage/postgres/test/Postgres.contract.test.ts",
      test: "given Charging, when ChargeAuthorized, then Authorized"
    }
  }
]
