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
      { statement: "./ReplayCreate.ts", become: '$\nimport { OpenConnections } from "../../call/CallProvider.ts"' }
    ],
    caughtBy:
      "packages/core/test/IdempotentCreate.test.ts > a failed first commit is NothingSent without a provider call, and a retry works",
    simulatedOn: "memory"
  },
  {
    name: "send on an old claim",
    harm: "A process that froze sends a charge that others have settled as never sent.",
    edits: [{ in: "attemptInTurn", condition: "beginBy", become: "false" }],
    caughtBy:
      "packages/core/test/IdempotentCreate.test.ts > a claim whose commit took over 5 seconds is abandoned unsent, with a free key"
  }
]
