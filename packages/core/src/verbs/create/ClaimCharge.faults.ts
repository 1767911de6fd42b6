import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "send on an unknown commit",
    harm: "A charge goes out under a claim that may not be stored.",
    edits: [{ in: "claimFirst", property: "MaybeWritten", become: "({ value }) => Effect.succeed(value)" }],
    caughtBy:
      "packages/core/test/IdempotentCreate.test.ts > given a first commit whose answer is lost (lost), then nothing is sent on it and the key is free",
    simulatedOn: "memory"
  },
  {
    name: "create although records are missing",
    harm: "The store lost the payment of this order; the shop asks again, and its customer is charged twice.",
    edits: [{ in: "claimFirst", property: "guard", become: "undefined" }],
    caughtBy:
      "packages/core/test/RecordLosses.test.ts > given connections that are not recovered, then nothing is sent there, and what is on file is answered",
    simulatedOn: "memory",
    simulatedUnder: "restore"
  }
]
