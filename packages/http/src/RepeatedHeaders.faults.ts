import type { Fault } from "../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "take an idempotency key that was sent twice",
    harm: "Node joins both into another key, so that a repeated request charges a second time.",
    edits: [{ in: "withoutRepeated", condition: "idempotency-key", become: "false" }],
    caughtBy:
      "packages/server/test/RepeatedHeaders.test.ts > an idempotency key makes one payment when it comes once and then twice"
  }
]
