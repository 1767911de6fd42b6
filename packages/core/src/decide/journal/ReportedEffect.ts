/** What one row of a provider's report does to the accounts, whatever is recorded. Pure. */
import type { PostedMovement } from "../../model/Journal.ts"
import type { SignedMoney } from "../../model/ReportRow.ts"
import { type Place, PostingSum } from "./PostingSum.ts"
import { ofCharge, ofRefund } from "./RecordedFacts.ts"

export interface ReportedEffect {
  /**
   * What the record has to have too: the charge or the refund, and by how much the provider's balance changed. `null` for
   * a row of which the record has nothing to say.
   */
  readonly compared: { readonly of: string; readonly place: Place; readonly minorUnits: number } | null
  /** Everything else. */
  readonly postings: PostingSum
}

export const reportedEffect = (movement: PostedMovement): ReportedEffect => {
  const { connectionId, converted, fee, gross, kind, net, paymentId, refundId } = movement
  const postings = new PostingSum()
  const place = ({ currency }: SignedMoney): Place => ({ connectionId, currency })
  const grossPlace = place(gross)
  const compared = (of: string) => ({ of, place: grossPlace, minorUnits: gross.minorUnits })
  let comparison: ReportedEffect["compared"] = null
  if (movement.isWithdrawn === true) return { compared: null, postings }
  switch (kind) {
    case "charge":
    case "charge_failed":
      if (paymentId === null) postings.addBalanced("unexplained", grossPlace, gross.minorUnits)
      else comparison = compared(ofCharge)
      break
    case "refund":
    case "refund_failed":
      if (paymentId === null || refundId === null) postings.addBalanced("unexplained", grossPlace, gross.minorUnits)
      else comparison = compared(ofRefund(refundId))
      break
    case "dispute":
    case "dispute_reversed":
      postings.addBalanced("disputes", grossPlace, gross.minorUnits)
      break
    case "fee":
      postings.addBalanced("fees", grossPlace, gross.minorUnits)
      break
    case "payout":
    case "payout_failed":
      postings.addBalanced("payouts", grossPlace, gross.minorUnits)
      break
    case "adjustment":
      postings.addBalanced("adjustments", grossPlace, gross.minorUnits)
      break
  }
  if (converted !== null) {
    postings.addBalanced("conversion", grossPlace, -gross.minorUnits)
    postings.addBalanced("conversion", place(converted), converted.minorUnits)
  }
  if (fee !== null) postings.addBalanced("fees", place(fee), -fee.minorUnits)
  if (net !== null) {
    // Where the row's own amounts do not add up, the rest is visible, and the receivable is what the provider says.
    const base = converted ?? gross
    postings.addBalanced("unexplained", place(net), net.minorUnits)
    postings.addBalanced("unexplained", place(base), -base.minorUnits)
    if (fee !== null) postings.addBalanced("unexplained", place(fee), fee.minorUnits)
  }
  return { compared: comparison, postings }
}
