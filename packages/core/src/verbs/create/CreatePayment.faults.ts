import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "claim after send",
    harm: "A process that dies, or a store that fails, leaves a charge without a trace; the retry charges again.",
    edits: [
      {
        in: "createOnce",
        statement: "claimFirst",
        become:
          "yield* (yield* OpenConnections).connector(plan.success.order[0]).pipe(Effect.flatMap((c) => c.charge(request)), Effect.ignore)\n  $"
      },
      { statement: "./SendCharge.ts", become: '$\nimport { OpenConnections } from "../../call/OpenConnections.ts"' }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/IdempotentCreate.test.ts",
      test: "given a first commit that fails, then NothingSent, no provider call, and a retry works"
    },
    simulatedOn: "memory"
  },
  {
    name: "create at a connection that is not recovered",
    harm: "The store lost the payment of this order; the shop asks again under a new key, and it is charged twice.",
    edits: [{ in: "refuseMissing", condition: "missing", become: "false" }],
    caughtBy: {
      project: "core",
      file: "packages/core/test/RecordLosses.test.ts",
      test: "given connections that are not recovered, then nothing is sent there, and what is on file is answered"
    },
    simulatedOn: "memory",
    simulatedUnder: "restore"
  }
]
