import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "drop the money of a late lookup",
    harm: "A charge that a message calls declined is captured at the provider without a report.",
    edits: [{ in: "recordLookup", call: "appliedLate", become: "undefined" }],
    caughtBy:
      "packages/http/test/LateLookups.test.ts > money is believed by a lookup (CAPTURED) under way when a message says declined"
  }
]
