import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "send on an old claim",
    harm: "A process that froze sends a charge that others have settled as never sent.",
    edits: [{ in: "attemptInTurn", condition: "beginBy", become: "false" }],
    caughtBy:
      "packages/core/test/IdempotentCreate.test.ts > given a claim whose commit took more than 5 seconds, then it is abandoned unsent and the key is free"
  }
]
