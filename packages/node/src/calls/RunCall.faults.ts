import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "say that a call which broke down moved no money",
    harm: "The customer sees a failure, and pays again for what a provider may have charged.",
    edits: [{ in: "makeCall", condition: "moves", become: "true" }],
    caughtBy:
      "packages/node/test/Errors.test.ts > an error says that money may have moved if the store fails during a call"
  }
]
