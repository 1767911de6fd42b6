import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "a message about the newer payment of an attempt id, which was given up",
    harm: "A charge is recorded for a payment that was never sent, and the one that was charged stays without it.",
    edits: [{ in: "ofName", operand: "Abandoned", become: "true" }],
    caughtBy:
      "packages/storage/memory/test/Memory.contract.test.ts > a message that names an attempt id means the payment that was sent"
  }
]
