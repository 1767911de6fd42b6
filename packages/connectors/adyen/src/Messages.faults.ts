import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "believe Adyen's webhooks unsigned",
    harm: "Anybody who knows the address says that money was taken.",
    edits: [{ in: "signedItem", call: "Mac.timingSafeEqual", become: "true" }],
    caughtBy:
      "packages/connectors/adyen/test/adyen.contract.test.ts > given another amount.value than was signed, then it is refused"
  },
  {
    name: "take every refund at Adyen for one of ours",
    harm: "A refund in the Customer Area is not recorded, and its money is refunded a second time.",
    edits: [{ in: "refundTold", call: "isRefundId", become: "true" }],
    caughtBy:
      "packages/connectors/adyen/test/Messages.test.ts > given a refund in the Customer Area under the payment's reference, then it is of what Adyen refunded"
  },
  {
    name: "take every failed capture of Adyen's for its end",
    harm: "Adyen captures again after a technical failure, and the merchant captures or charges a second time.",
    edits: [{ in: "aboutOf", call: "isNeverCaptured", become: "true" }],
    caughtBy:
      "packages/connectors/adyen/test/adyen.contract.test.ts > given operation failed for now, then it is read as that, with its id and its time, and nothing is sent"
  }
]
