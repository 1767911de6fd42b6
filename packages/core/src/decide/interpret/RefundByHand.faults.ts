import type { Fault } from "../../../../../checks/mutations/Fault.ts"

const caught = (test: string) => `packages/http/test/RefundsByHand.test.ts > ${test}`

export const faults: ReadonlyArray<Fault> = [
  {
    name: "drop what carries no id of ours",
    harm: "What people refund in the provider's dashboard can be refunded a second time.",
    edits: [
      { in: "ofUnnamedRefund", statement: "asUsableRefund", become: "if (refundId !== undefined) return older\n  $" }
    ],
    caughtBy: caught(
      "given a captured payment, when a part is refunded at the provider, then it is refunded here, once"
    ),
    simulatedOn: "memory"
  },
  {
    name: "a failed refund by hand forgotten",
    harm: "A refund by hand that failed counts as refunded, and the customer is never repaid.",
    edits: [{ in: "ofUnnamedRefund", const: "order", become: '"newer" as ReturnType<typeof orderOfFailed>' }],
    caughtBy: caught("given a failure that is heard first, when what came before it arrives, then nothing is refunded")
  },
  {
    name: "a refund that a report named by our id alone counted twice",
    harm: "A refund is counted again once the provider names it, and less can be refunded than was captured.",
    edits: [{ in: "ofUnnamedRefund", statement: "isUnnamed", become: "" }],
    caughtBy:
      "packages/core/test/ReconcileGuards.test.ts > given our id alone, then one that the provider names later may be the same, and is reviewed"
  }
]
