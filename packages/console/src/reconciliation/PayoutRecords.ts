/** Payouts and rows of reports as the console's API shows them. Amounts are in minor units, times in RFC 3339. */
import { matchReasons, payoutStatuses, reportRowKinds, settlementResults } from "@pointsman/core"
import { Schema } from "effect"
import { described, Text, TextOrNull } from "../api/Records.ts"

const SignedMoney = Schema.Struct({
  amount: Schema.Int.annotateKey(described("Negative where money leaves the balance at the provider.")),
  currency: Text
})

const PayoutSums = Schema.Struct({
  currency: Text,
  rows: Schema.Int,
  charges: Schema.Int,
  refunds: Schema.Int,
  disputes: Schema.Int,
  fees: Schema.Int.annotateKey(described("Positive for a cost.")),
  payouts: Schema.Int.annotateKey(described("What is paid out: negative.")),
  others: Schema.Int.annotateKey(described("Fees of their own rows, reserves and corrections.")),
  rest: Schema.Int.annotateKey(
    described("What the rows add up to, less what is paid out: 0 where every part of the payout was read.")
  )
}).annotate({ identifier: "PayoutSums", description: "What a payout has in one currency." })

const PayoutStatus = Schema.Literals(payoutStatuses).annotate({
  identifier: "PayoutStatus",
  description:
    "`open`: no report has the payout itself. `paid`: it left the balance at the provider. `partly_returned`, `returned`: " +
    "a part of it came back, or all of it."
})

export const Payout = Schema.Struct({
  connection_id: Text,
  payout_id: Text.annotateKey(described("The provider's.")),
  status: PayoutStatus,
  from: Text.annotateKey(described("When the first of its money moved.")),
  until: Text.annotateKey(described("When the last of its money moved.")),
  settled_at: TextOrNull.annotateKey(described("When it arrives.")),
  sums: Schema.Array(PayoutSums)
}).annotate({ identifier: "Payout", description: "What one payout consists of, as the provider's reports say." })

const reportEntry = {
  id: Text.annotateKey(described("The connection and the row.")),
  workspace_id: Text,
  environment: Text,
  connection_id: Text,
  row_id: Text,
  run_id: Text.annotateKey(described("The report.")),
  row: Schema.NullOr(Schema.Int).annotateKey(described("Counted from 1; `null` for an entry without a row.")),
  kind: Schema.Literals(reportRowKinds),
  result: Schema.Literals(settlementResults),
  reason: Schema.Literals(matchReasons).annotateKey(described("How the payment was found.")),
  expected: TextOrNull.annotateKey(described("What the records said instead.")),
  payment_id: TextOrNull,
  suggested_payment_id: TextOrNull.annotateKey(
    described("A payment that the row may be of, until an operator accepts it.")
  ),
  refund_id: TextOrNull,
  dispute_id: TextOrNull.annotateKey(described("The provider's.")),
  provider_reference: TextOrNull,
  gross: SignedMoney,
  converted: Schema.NullOr(SignedMoney).annotateKey(described("In the currency of the payout, if it differs.")),
  fee: Schema.NullOr(SignedMoney).annotateKey(described("Positive for a cost.")),
  net: Schema.NullOr(SignedMoney),
  payout_id: TextOrNull,
  occurred_at: Text,
  settled_at: TextOrNull,
  opened_at: TextOrNull.annotateKey(described("When the difference was found.")),
  closed: Schema.NullOr(
    Schema.Struct({ by: Schema.Literals(["row", "statement", "comparison", "person"]), note: Text, at: Text })
  )
}

export const ReportEntry = Schema.Struct(reportEntry).annotate({
  identifier: "ReportEntry",
  description: "What is stored of a row of a provider's report."
})

export const PayoutEntry = Schema.Struct({
  ...reportEntry,
  payout_status: Schema.NullOr(PayoutStatus).annotateKey(described("`null` where the row does not name the payout."))
}).annotate({ identifier: "PayoutEntry", description: "The row of a payout itself." })
