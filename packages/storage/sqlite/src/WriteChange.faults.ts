import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "refunds that do not add up, in SQLite",
    harm: "A refund is written that its payment does not reserve: its amount can be given back again.",
    edits: [{ in: "writeChange", call: "brokenBook", become: "undefined" }],
    caughtBy:
      "packages/storage/sqlite/test/Sqlite.contract.test.ts > given refunds, when the payment does not reserve what a new refund asks for, then it dies and nothing is written"
  },
  {
    name: "forgotten outbox row",
    harm: "An event is written and no merchant hears of it: an order is paid and never shipped.",
    edits: [{ file: "Events.ts", if: "is_followed", become: "" }],
    caughtBy:
      "packages/storage/sqlite/test/Sqlite.contract.test.ts > given endpoints, when an event is written, then it goes to the active ones of the tenant that want it",
    simulatedOn: "sqlite"
  },
  {
    name: "apply a message twice",
    harm: "A message that comes again is applied again, to whatever the payment has become.",
    edits: [{ in: "refusals", property: "outcome", become: "() => change.message?.expected" }],
    caughtBy:
      "packages/storage/sqlite/test/Sqlite.contract.test.ts > given a decided message, when it is decided with any change or alone, then it is taken and nothing else"
  },
  {
    name: "one reference for two payments, in SQLite",
    harm: "A dispute, a refund or a capture under the reference hits the charge of another payment.",
    edits: [
      { in: "refusals", property: "holder", become: "() => undefined" },
      { in: "writeNames", if: "holder", about: "Undo", become: "" }
    ],
    caughtBy:
      "packages/storage/sqlite/test/Sqlite.contract.test.ts > given a payment has it, when another one takes it, then the failure names the payment, and nothing is written"
  },
  {
    name: "write a claim beside its guard, in SQLite",
    harm: "What was lost is asked for again before it is recovered, and the provider does it twice.",
    edits: [{ in: "refusals", property: "guarded", become: "() => undefined" }],
    caughtBy:
      "packages/storage/sqlite/test/Sqlite.contract.test.ts > given connections of its tenant that are not recovered, then nothing is written, until all are"
  },
  {
    name: "write without the version, in SQLite",
    harm: "Two writers that decided on the same record overwrite each other.",
    edits: [{ file: "PaymentRow.ts", text: "id = ? and version = ?", become: "id = ? and ? > 0" }],
    caughtBy:
      "packages/storage/sqlite/test/Sqlite.contract.test.ts > given one version, when 64 changes are decided on it, then one wins and all others are stale",
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
      "packages/storage/sqlite/test/GroupCommit.test.ts > given a batch, when SQLite refuses its COMMIT, then every change fails as surely not written",
    simulatedOn: "sqlite"
  },
  {
    name: "a commit that the disk did not confirm, taken for not written",
    harm: "A crash brings back a claim whose key was given back, and a retry meets a payment that nobody sent.",
    edits: [{ file: "Database.ts", in: "transaction", operand: "refused", become: "true" }],
    caughtBy:
      "packages/storage/sqlite/test/GroupCommit.test.ts > given a batch, when the disk fails after its COMMIT, then nobody is told that it was not written"
  }
]
