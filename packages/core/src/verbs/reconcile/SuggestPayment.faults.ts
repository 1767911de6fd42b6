import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "a suggested payment is a match",
    harm: "Another shop's charge of the same amount is counted as the payment's, with its fee and its payout.",
    edits: [
      {
        in: "withSuggestions",
        property: "suggestedPaymentId",
        become: "$, paymentId: byRow.get(entry.rowId) ?? entry.paymentId"
      }
    ],
    caughtBy:
      "packages/core/test/ReconcileGuards.test.ts > a row before that of our charge in one report is suggested, and ours is the match",
    simulatedOn: "memory"
  }
]
