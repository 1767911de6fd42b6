import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "one reference for two payments, in PostgreSQL",
    harm: "A dispute, a refund or a capture under the reference hits the charge of another payment.",
    edits: [{ in: "takenBy", text: " and r.payment_id <> ", become: " and false and r.payment_id <> " }],
    caughtBy: {
      project: "storage-postgres",
      file: "packages/storage/postgres/test/Postgres.contract.test.ts",
      test: "given a payment has it, when another one takes it, then it is told which, and nothing is written"
    }
  }
]
