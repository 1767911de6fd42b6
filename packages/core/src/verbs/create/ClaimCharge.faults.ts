import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "send on an unknown commit",
    harm: "A charge goes out under a claim that may not be stored.",
    edits: [{ in: "claimFirst", property: "MaybeWritten", become: "({ value }) => Effect.succeed(value)" }],
    caughtBy:
      'packages/core/test/LateWriters.test.ts > ["lost"] leaves one abandoned payment, announced once; a free key',
    simulatedOn: "memory"
  },
  {
    name: "create although records are missing",
    harm: "The store lost the payment of this order; the shop asks again, and its customer is charged twice.",
    edits: [{ in: "claimFirst", property: "guard", become: "undefined" }],
    caughtBy:
      "packages/core/test/RecordLosses.test.ts > nothing is sent to unrecovered connections, and what is on file is answered",
    simulatedOn: "memory",
    simulatedUnder: "restore"
  }
]
