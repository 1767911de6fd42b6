/** Reports and differences in words. */
import type { MatchReason, PayoutStatus, ReportRowKind, RunState, SettlementResult } from "@pointsman/core"

export const resultNames: Readonly<Record<SettlementResult, string>> = {
  matched: "Matched",
  amount_differs: "Another amount",
  missing_here: "Not recorded here",
  missing_there: "Not in the report",
  status_differs: "Another status",
  duplicate: "Reported twice",
  fee_differs: "Another fee"
}

export const kindNames: Readonly<Record<ReportRowKind, string>> = {
  charge: "Charge",
  charge_failed: "Failed charge",
  refund: "Refund",
  refund_failed: "Failed refund",
  dispute: "Dispute",
  dispute_reversed: "Reversed dispute",
  fee: "Fee",
  payout: "Payout",
  payout_failed: "Failed payout",
  adjustment: "Adjustment"
}

/** How the payment of a row was found. */
export const matchTexts: Readonly<Record<MatchReason, string>> = {
  by_id: "found by its id",
  accepted: "accepted by an operator",
  same_row: "the same row again",
  ambiguous: "several payments could be meant",
  not_found: "no payment found",
  no_payment: "of no payment"
}

export const payoutNames: Readonly<Record<PayoutStatus, string>> = {
  open: "Open",
  paid: "Paid",
  partly_returned: "Partly returned",
  returned: "Returned"
}

export const payoutTones: Readonly<Record<PayoutStatus, string>> = {
  open: "wait",
  paid: "good",
  partly_returned: "bad",
  returned: "bad"
}

export const stateNames: Readonly<Record<RunState, string>> = {
  reading: "Reading",
  matching_missing: "Looking for missing payments",
  done: "Done",
  failed: "Failed"
}

export const stateTones: Readonly<Record<RunState, string>> = {
  reading: "wait",
  matching_missing: "wait",
  done: "good",
  failed: "bad"
}

const digits = new Intl.NumberFormat("en")

export const count = (number: number): string => digits.format(number)
