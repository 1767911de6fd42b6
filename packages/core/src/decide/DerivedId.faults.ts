import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "one tag for the keys of all workspaces",
    harm: "A shop's order is answered with what was recovered under the same key in its other environment.",
    edits: [{ in: "keyText", returned: "place", become: "JSON.stringify([tenant === undefined, key])" }],
    caughtBy:
      "packages/core/test/DerivedIds.test.ts > given calls under one key, then their ids differ, and each ends with the tag of tenant and key"
  }
]
