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
  },
  {
    name: "write a claim although records are missing, in PostgreSQL",
    harm: "What was lost is asked for again before it is recovered, and the provider does it twice.",
    edits: [{ in: "checksOf", if: "missing", become: "" }],
    caughtBy: {
      project: "storage-postgres",
      file: "packages/storage/postgres/test/Postgres.contract.test.ts",
      test: "given connections of its tenant that are not recovered, then nothing is written, until all are"
    }
  },
  {
    name: "compare the tags of all tenants, in PostgreSQL",
    harm: "A shop's order is answered with the payment of another shop.",
    edits: [{ in: "recoveredKey", call: "ofTenant", become: '"true"' }],
    caughtBy: {
      project: "storage-postgres",
      file: "packages/storage/postgres/test/Postgres.contract.test.ts",
      test: "given the tag of a key is filed, then claims under it are refused with its payments"
    }
  }
]
