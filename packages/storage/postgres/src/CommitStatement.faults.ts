import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "write without the version, in PostgreSQL",
    harm: "A writer that waited for another one's row writes over what that one decided.",
    edits: [{ in: "rowWrites", text: "x.version = ", become: "x.version >= " }],
    caughtBy:
      "packages/storage/postgres/test/Races.test.ts > given 8 writers that wait for one payment, then one of them writes it, and the others are stale"
  },
  {
    name: "count on after a failover",
    harm: "A server that decided on a lost record writes over another one: a capture is recorded twice.",
    edits: [{ in: "statement", text: " + (", become: " * 0 + (" }],
    caughtBy:
      "packages/storage/postgres/test/LostRecords.test.ts > given another record with the number of a lost one, when a step was decided on the lost one, then it is stale"
  },
  {
    name: "write a claim although records are missing, in PostgreSQL",
    harm: "What was lost is asked for again before it is recovered, and the provider does it twice.",
    edits: [{ in: "guardsOf", if: "missing", become: "" }],
    caughtBy:
      "packages/storage/postgres/test/Postgres.contract.test.ts > given connections of its tenant that are not recovered, then nothing is written, until all are"
  },
  {
    name: "compare the tags of all tenants, in PostgreSQL",
    harm: "A shop's order is answered with the payment of another shop.",
    edits: [{ in: "recoveredKeys", text: "where f.workspace_id = ", become: "where '' <> " }],
    caughtBy:
      "packages/storage/postgres/test/Postgres.contract.test.ts > given the tag of a key is filed, then claims under it are refused with its payments"
  },
  {
    name: "one reference for two payments, in PostgreSQL",
    harm: "A dispute, a refund or a capture under the reference hits the charge of another payment.",
    edits: [{ in: "statement", text: " <> ", become: " < 0 * " }],
    caughtBy:
      "packages/storage/postgres/test/Postgres.contract.test.ts > given a payment has it, when another one takes it, then the failure names the payment, and nothing is written"
  },
  {
    name: "refunds that do not add up, in PostgreSQL",
    harm: "A refund is written that its payment does not reserve: its amount can be given back again.",
    edits: [{ file: "DrawnChange.ts", in: "drawnChange", call: "brokenBook", become: "undefined" }],
    caughtBy:
      "packages/storage/postgres/test/Postgres.contract.test.ts > given refunds, when the payment does not reserve what a new refund asks for, then it dies and nothing is written"
  },
  {
    name: "write a claim of a revoked API key, in PostgreSQL",
    harm: "Who has a stolen key that was revoked moves money until every process has read the directory again.",
    edits: [{ in: "guardsOf", if: "apiKey", become: "" }],
    caughtBy:
      "packages/storage/postgres/test/Postgres.contract.test.ts > given a live key, when it is revoked, then the next commit writes nothing and the next read shows it"
  },
  {
    name: "a commit whose answer was lost, taken for not written",
    harm: "Its key is given back although its claim stands, or its charge is settled as never sent.",
    edits: [
      {
        file: "SqlFailures.ts",
        in: "failureOf",
        call: "CommitUnknown",
        become: 'new Refused({ code: "", error: storageError(operation, error) })'
      }
    ],
    caughtBy:
      "packages/storage/postgres/test/LostConnections.test.ts > given a commit whose answer is lost, then its end is unknown, and a read tells that it is stored"
  }
]
