import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "let an older operation decide a newer one",
    harm: "A late refusal of an old capture makes the payment capturable while the new one is at the provider.",
    edits: [{ in: "rowFor", const: "isHeard", become: "true" }],
    caughtBy:
      "packages/core/test/LateOperations.test.ts > a refusal while a newer capture is in flight lets that one continue"
  }
]
