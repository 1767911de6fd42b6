import type { Fault } from "../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "apply a smaller number",
    harm: "A server that restarts with an older file brings back keys that were removed, and withdraws new endpoints.",
    edits: [{ in: "standingOf", operand: "served", about: "number", become: "true" }],
    caughtBy:
      "packages/configuration/test/Generation.test.ts > an older file is not applied at all when a newer number comes in between",
    simulatedOn: "memory",
    simulatedUnder: "older-file"
  }
]
