import type { Fault } from "../../../../../checks/mutations/Fault.ts"

const caught = (test: string) => `packages/http/test/RefundsByHand.test.ts > ${test}`

export const faults: ReadonlyArray<Fault> = [
  {
    name: "drop what carries no id of ours",
    harm: "What people refund in the provider's dashboard can be refunded a second time.",
    edits: [
      { in: "ofUnnamedRefund", statement: "asUsableRefund", become: "if (refundId !== undefined) return older\n  $" }
    ],
    caughtBy: caught("a part refunded at the provider is refunded here, once"),
    simulatedOn: "memory"
  },
  {
    name: "a failed refund by hand forgotten",
    harm: "A refund by hand that failed counts as refunded, and the customer is never repaid.",
    edits: [{ in: "ofUnnamedRefund", const: "order", become: '"newer" as ReturnType<typeof orderOfFailed>' }],
    caughtBy: caught("nothing is refunded by what came before a failure that arrived first")
  },
  {
    name: "a refund that a report named by our id alone counted twice",
    harm: "A refund is counted again once the provider names it, and less can be refunded than was captured.",
    edits: [{ in: "ofUnnamedRefund", statement: "isUnnamed", become: "" }],
    caughtBy:
      "packages/core/test/ReconcileGuards.test.ts > a row with only our id is reviewed beside one that the provider names later"
  }
]
