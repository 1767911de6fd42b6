import type { Fault } from "../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "apply a smaller number",
    harm: "A server that restarts with an older file brings back keys that were removed, and withdraws new endpoints.",
    edits: [{ in: "standingOf", operand: "served", about: "number", become: "true" }],
    caughtBy:
      "packages/configuration/test/Generation.test.ts > given a newer number that comes in between, then the older file is not applied at all",
    simulatedOn: "memory",
    simulatedUnder: "older-file"
  }
]
