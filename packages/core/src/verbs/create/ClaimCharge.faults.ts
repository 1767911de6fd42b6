import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "send on an unknown commit",
    harm: "A charge goes out under a claim that may not be stored.",
    edits: [{ in: "claimFirst", property: "MaybeWritten", become: "({ value }) => Effect.succeed(value)" }],
    caughtBy: {
      project: "core",
      file: "packages/core/test/IdempotentCreate.test.ts",
      test: "given a first commit whose answer is lost (lost), then nothing is sent on it and the key is free"
    },
    simulatedOn: "memory"
  }
]
