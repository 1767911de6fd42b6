import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "route amounts that the provider cannot express",
    harm: "Each counts as a failed call of the connection, and five of them route all other payments away from it.",
    edits: [{ in: "isOfAmount", operand: "expresses", become: "false" }],
    caughtBy: "packages/core/test/Exclusions.test.ts > exclusions as many as open a circuit count as no failure there"
  }
]
