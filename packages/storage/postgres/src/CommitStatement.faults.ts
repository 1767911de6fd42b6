import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "write without the version, in PostgreSQL",
    harm: "A writer that waited for another one's row writes over what that one decided.",
    edits: [{ in: "rowWrites", text: "x.version = ", become: "x.version >= " }],
    caughtBy:
      "packages/storage/postgres/test/Races.test.ts > one of 8 writers to one payment writes it, and the others are stale"
  },
  {
    name: "count on after a failover",
    harm: "A server that decided on a lost record writes over another one: a capture is recorded twice.",
    edits: [{ in: "statement", text: " + (", become: " * 0 + (" }],
    caughtBy:
      "packages/storage/postgres/test/LostRecords.test.ts > a step decided on a lost record is stale on another one with its number"
  },
  {
    name: "write a claim although records are missing, in PostgreSQL",
    harm: "What was lost is asked for again before it is recovered, and the provider does it twice.",
    edits: [{ in: "guardsOf", if: "missing", become: "" }],
    caughtBy:
      "packages/storage/postgres/test/Postgres.contract.test.ts > nothing is written until all of the tenant's connections are recovered"
  },
  {
    name: "compare the tags of all tenants, in PostgreSQL",
    harm: "A shop's order is answered with the payment of another shop.",
    edits: [{ in: "recoveredKeys", text: "where f.workspace_id = ", become: "where '' <> " }],
    caughtBy:
      "packages/storage/postgres/test/Postgres.contract.test.ts > claims under a key whose tag is filed are refused with its payments"
  },
  {
    name: "one reference for two payments, in PostgreSQL",
    harm: "A dispute, a refund or a capture under the reference hits the charge of another payment.",
    edits: [{ in: "statement", text: " <> ", become: " < 0 * " }],
    caughtBy:
      "packages/storage/postgres/test/Postgres.contract.test.ts > another payment's reference is refused with its name, and nothing is written"
  },
  {
    name: "refunds that do not add up, in PostgreSQL",
    harm: "A refund is written that its payment does not reserve: its amount can be given back again.",
    edits: [{ file: "DrawnChange.ts", in: "drawnChange", call: "brokenBook", become: "undefined" }],
    caughtBy:
      "packages/storage/postgres/test/Postgres.contract.test.ts > refunds die and write nothing when the payment does not reserve what a new refund asks for"
  },
  {
    name: "write a claim of a revoked API key, in PostgreSQL",
    harm: "Who has a stolen key that was revoked moves money until every process has read the directory again.",
    edits: [{ in: "guardsOf", if: "apiKey", become: "" }],
    caughtBy:
      "packages/storage/postgres/test/Postgres.contract.test.ts > a revoked live key makes the next commit write nothing and the next read show it"
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
      "packages/storage/postgres/test/LostConnections.test.ts > a commit with a lost answer is unknown, and a read finds it stored"
  }
]
