import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "believe a plain connector's rejection after a call that was not answered",
    harm: "A function that catches a time-out and answers `rejected` gives up a charge that was executed.",
    edits: [{ in: "runOperation", operand: "letsAnotherCharge", become: "false" }],
    caughtBy:
      "packages/node/test/Connector.test.ts > a call without an answer and `rejected` from the function are an unknown result"
  }
]
