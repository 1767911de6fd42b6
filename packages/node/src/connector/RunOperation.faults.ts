import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "believe a plain connector's rejection after a call that was not answered",
    harm: "A function that catches a time-out and answers `rejected` gives up a charge that was executed.",
    edits: [{ in: "runOperation", operand: "letsAnotherCharge", become: "false" }],
    caughtBy:
      "packages/node/test/Connector.test.ts > given a call that was not answered, when the function answers `rejected`, then the result is unknown"
  }
]
