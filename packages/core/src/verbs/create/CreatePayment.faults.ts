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
    caughtBy:
      "packages/core/test/IdempotentCreate.test.ts > given a first commit that fails, then NothingSent, no provider call, and a retry works",
    simulatedOn: "memory"
  }
]
