import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "believe Adyen's webhooks unsigned",
    harm: "Anybody who knows the address says that money was taken.",
    edits: [{ in: "signedItem", call: "Mac.timingSafeEqual", become: "true" }],
    caughtBy: "packages/connectors/adyen/test/adyen.contract.test.ts > another amount.value than was signed is refused"
  },
  {
    name: "take every refund at Adyen for one of ours",
    harm: "A refund in the Customer Area is not recorded, and its money is refunded a second time.",
    edits: [{ in: "refundTold", call: "isRefundId", become: "true" }],
    caughtBy:
      "packages/connectors/adyen/test/Messages.test.ts > a Customer Area refund under the payment's reference is of what Adyen refunded"
  },
  {
    name: "take every failed capture of Adyen's for its end",
    harm: "Adyen captures again after a technical failure, and the merchant captures or charges a second time.",
    edits: [{ in: "aboutOf", call: "isNeverCaptured", become: "true" }],
    caughtBy:
      "packages/connectors/adyen/test/adyen.contract.test.ts > operation failed for now is read as that, with its id and its time, and nothing is sent"
  }
]
