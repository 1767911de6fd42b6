import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "refunds that do not add up, in SQLite",
    harm: "A refund is written that its payment does not reserve: its amount can be given back again.",
    edits: [{ in: "writeChange", call: "brokenBook", become: "undefined" }],
    caughtBy:
      "packages/storage/sqlite/test/Sqlite.contract.test.ts > refunds die and write nothing when the payment does not reserve what a new refund asks for"
  },
  {
    name: "forgotten outbox row",
    harm: "An event is written and no merchant hears of it: an order is paid and never shipped.",
    edits: [{ if: "is_followed", become: "" }],
    caughtBy:
      "packages/storage/sqlite/test/Sqlite.contract.test.ts > an event goes to the active endpoints of the tenant that want it",
    simulatedOn: "sqlite"
  },
  {
    name: "apply a message twice",
    harm: "A message that comes again is applied again, to whatever the payment has become.",
    edits: [{ in: "refusals", property: "outcome", become: "() => change.message?.expected" }],
    caughtBy:
      "packages/storage/sqlite/test/Sqlite.contract.test.ts > a decided message is taken when decided again, with a change or without"
  },
  {
    name: "one reference for two payments, in SQLite",
    harm: "A dispute, a refund or a capture under the reference hits the charge of another payment.",
    edits: [
      { in: "refusals", property: "holder", become: "() => undefined" },
      { in: "writeNames", if: "holder", about: "Undo", become: "" }
    ],
    caughtBy:
      "packages/storage/sqlite/test/Sqlite.contract.test.ts > another payment's reference is refused with its name, and nothing is written"
  },
  {
    name: "write a claim beside its guard, in SQLite",
    harm: "What was lost is asked for again before it is recovered, and the provider does it twice.",
    edits: [{ in: "refusals", property: "guarded", become: "() => undefined" }],
    caughtBy:
      "packages/storage/sqlite/test/Sqlite.contract.test.ts > nothing is written until all of the tenant's connections are recovered"
  },
  {
    name: "write without the version, in SQLite",
    harm: "Two writers that decided on the same record overwrite each other.",
    edits: [{ file: "PaymentRow.ts", text: "id = ? and version = ?", become: "id = ? and ? > 0" }],
    caughtBy:
      "packages/storage/sqlite/test/Sqlite.contract.test.ts > one of 64 changes on one version wins and all others are stale",
    simulatedOn: "sqlite"
  },
  {
    name: "answer before the durable commit",
    harm: "A payment that was acknowledged is gone after a crash.",
    edits: [
      {
        file: "Committer.ts",
        in: "writeBatch",
        statement: "written",
        about: "transaction",
        become: "for (const { resume } of batch) resume(Effect.void)\n    $"
      }
    ],
    caughtBy:
      "packages/storage/sqlite/test/GroupCommit.test.ts > every change of a batch fails as surely not written if SQLite refuses COMMIT",
    simulatedOn: "sqlite"
  },
  {
    name: "a commit that the disk did not confirm, taken for not written",
    harm: "A crash brings back a claim whose key was given back, and a retry meets a payment that was not sent.",
    edits: [{ file: "Database.ts", in: "transaction", operand: "refused", become: "true" }],
    caughtBy:
      "packages/storage/sqlite/test/GroupCommit.test.ts > no change of a batch is reported unwritten if the disk fails after COMMIT"
  }
]
