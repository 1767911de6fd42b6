import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "forget an unknown payment's key",
    harm: "After a day the same key charges again although the first charge may have gone through.",
    edits: [
      { in: "isRetentionOver", if: "Charging", become: "" },
      {
        in: "isRetentionOver",
        const: "from",
        become: "wasAnsweredBefore(claim, payment) ? (payment.settledAt ?? claim.answeredAt) : claim.answeredAt"
      }
    ],
    caughtBy: "packages/core/test/IdempotentCreate.test.ts > the key of a payment that stays UNKNOWN never ends",
    simulatedOn: "memory",
    simulatedUnder: "open-charges"
  },
  {
    name: "forget the key of a pending payment",
    harm: "The same key charges again a day after it was answered PENDING, while the first charge is still under way.",
    edits: [{ const: "answeredOpen", become: 'new Set(["UNKNOWN"])' }],
    caughtBy:
      "packages/core/test/IdempotentCreate.test.ts > a key answered PENDING is kept until 24 hours after its payment settled",
    simulatedOn: "memory",
    simulatedUnder: "open-charges"
  }
]
