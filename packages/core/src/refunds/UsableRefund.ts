import { isUsableAmount } from "../payment/SendCharge.ts"
import type { RefundAnswer } from "../ports/Connector.ts"
import { Unanswered } from "../ports/Transport.ts"

/** A success without the refund's id, or with an amount that is none, is nothing to build on: it may have executed. */
export const asUsableRefund = <Answer extends RefundAnswer>(answer: Answer): Answer | Unanswered => {
  if (answer._tag !== "Succeeded" && answer._tag !== "RefundPending") return answer
  if (typeof answer.providerRefundId !== "string" || answer.providerRefundId === "") {
    return new Unanswered({ reason: "the connector gave no refund id" })
  }
  return isUsableAmount(answer.stated)
    ? answer
    : new Unanswered({ reason: "the connector stated an amount that is none" })
}
