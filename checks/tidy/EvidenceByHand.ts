/**
 * What statements of a provider mean, written by hand and not taken from the code: the rows that the cells of
 * `packages/http/test/evidence.snap.txt` are compared with. Amounts are in minor units; every payment is for 1000.
 *
 * `=` confirms, `<` is older, `…` waits, `!` contradicts, `+` moves the payment within its state, and `→`, or the name of
 * a state, moves it there.
 */
const linesOf = (table: string): ReadonlyArray<string> => table.trim().replaceAll("\n  ", " ").split("\n")

const cellsOf = (line: string): ReadonlyArray<string> => line.split(" | ").map((cell) => cell.trim())

/** The statements of the columns of `states`, each with its subject. */
export const statements = cellsOf(
  "Charge: authorized, dated before | Charge: captured | Charge: pending | Charge: declined | Charge: canceled | " +
    "Charge: requires authentication | Charge: captured 12.00 | Settled: paid out | Dispute: opened | Dispute: won | Dispute: lost"
)

/** By the first payment of each state that has a charge, and by others that a statement tells apart. `!`: is a conflict. */
export const states: ReadonlyArray<readonly [payment: string, cells: ReadonlyArray<string>]> = linesOf(`
Charging: automatic capture | ChargePending Captured ChargePending Declined Cancelled Declined ChargeMismatched … … … …
Charging: manual capture | Authorized Captured ChargePending Declined Cancelled Declined ChargeMismatched … … … …
ChargePending: automatic capture | = Captured = Declined Cancelled Declined ChargeMismatched … … … …
ChargePending: manual capture | Authorized Captured = Declined Cancelled Declined ChargeMismatched … … … …
ChargeUnknown: automatic capture | ChargePending Captured ChargePending Declined Cancelled Declined ChargeMismatched … … … …
ChargeUnknown: manual capture | Authorized Captured ChargePending Declined Cancelled Declined ChargeMismatched … … … …
ChargeMismatched: more than was asked | = = = = Cancelled = ! … … … …
Authorized: not captured yet | = Captured < ! Voided ! Captured ! ! ! !
Capturing: in flight | < Captured < … … … CaptureUnknown … … … …
CapturePending: accepted | < Captured < … … … CaptureUnknown … … … …
CaptureUnknown: unanswered | < Captured < … … … + … … … …
Voiding: in flight | < Captured < … Voided … VoidUnknown … … … …
VoidPending: accepted | < Captured < … Voided … VoidUnknown … … … …
VoidUnknown: unanswered | < Captured < … Voided … + … … … …
Captured: automatic capture | < = < ! ! ! + Settled ChargedBack = ChargedBack
PartiallyRefunded: automatic capture | < = < ! ! ! + + ChargedBack = ChargedBack
Refunded: automatic capture | < = < ! ! ! + + ChargedBack = ChargedBack
Settled: automatic capture | < = < ! ! ! + = ChargedBack = ChargedBack
ChargedBack: a dispute was opened | < = < ! ! ! + + = Captured =
ChargedBack: after the payout | < = < ! ! ! + = = Settled =
Declined: by the provider | Authorized! Captured! < = = = ChargeMismatched! ! ! ! !
Failed: nothing was sent | Authorized! Captured! < = = = ChargeMismatched! ! ! ! !
Cancelled: by the provider | < Captured! < = = = ChargeMismatched! ! ! ! !
Voided: by a void | < Captured! < = = = Captured! ! ! ! !
`).map((line) => {
  const [payment = "", cells = ""] = cellsOf(line)
  return [payment, cells.split(" ")]
})

/**
 * What a provider states finally, and what it becomes: the payment, the subject, the statement, and the cell with the
 * amounts captured, refunded and reserved by refunds; then events, but of a plain contradiction, and reasons of reviews.
 */
export const rows: ReadonlyArray<readonly [title: string, rows: ReadonlyArray<ReadonlyArray<string>>]> = `
# the rest of an authorization is released
Captured: by a partial capture | Charge | canceled | = 600 0 0
Refunded: by a partial capture | Charge | canceled | = 600 600 0
# one capture by hand
Authorized: not captured yet | Charge | one capture of 3.00 by hand | → Captured 300 0 0 | captured
Captured: by a partial capture | Charge | one capture of 3.00 by hand | = 600 0 0
CapturePending: accepted | Charge | one capture of 3.00 by hand | … 0 0 0
# captured by hand, and not what was authorized
Authorized: not captured yet | Charge | captured 12.00 | → Captured 1000 0 0 | captured amount_mismatch |
  amount_mismatch
Authorized: not captured yet | Charge | captured in another currency | → ChargeMismatched 0 0 0 |
  amount_mismatch unknown | unknown amount_mismatch
Voided: by a void | Charge | captured 12.00 | → Captured 1000 0 0 | conflict captured amount_mismatch |
  amount_mismatch conflict
# a capture that was pending or unknown failed
Capturing: in flight | Operation | failed for good | → Authorized 0 0 0 | capture_failed
CapturePending: accepted | Operation | failed for good | → Authorized 0 0 0 | capture_failed
CaptureUnknown: unanswered | Operation | failed for good | → Authorized 0 0 0 | capture_failed
# a confirmed capture failed
Captured: by a capture | Operation | failed for good | → Authorized 0 0 0 | capture_failed
Captured: by a partial capture | Operation | failed for good | → Authorized 0 0 0 | capture_failed
Settled: by a capture | Operation | failed for good | → Authorized 0 0 0 | capture_failed
Captured: corrected to a greater amount | Operation | failed for good | → Captured 400 0 0 | capture_failed |
  amount_mismatch
ChargedBack: by a capture | Operation | failed for good | → ChargedBack 0 0 0 | capture_failed
# a confirmed capture failed that refunds rest on
PartiallyRefunded: by a capture | Operation | failed for good | → PartiallyRefunded 1000 400 0 | conflict |
  conflict capture_failed
Captured: by a capture, a refund pending | Operation | failed for good | → Captured 1000 0 400 | conflict |
  conflict capture_failed
# a capture failed, and the provider tries again
Capturing: in flight | Operation | failed, and is tried again | = 0 0 0
CapturePending: accepted | Operation | failed, and is tried again | = 0 0 0
Captured: by a capture | Operation | failed, and is tried again | → CapturePending 0 0 0 | pending
# a success after a failure counts by its date
Authorized: a capture failed | Operation | confirmed | → Captured 1000 0 0 | captured
Authorized: a capture failed | Operation | confirmed, dated before | < 0 0 0
Authorized: a capture failed | Charge | captured, dated before | < 0 0 0
Authorized: a void failed | Operation | confirmed, dated before | < 0 0 0
Captured: a refund reversed | Refund | succeeded, dated before | < 1000 0 0 |  | reversal
Captured: a refund reversed | Refund | succeeded | → PartiallyRefunded 1000 400 0 | conflict refunded |
  conflict reversal
# money that is held, however it was to be captured
Charging: of the attempt before | Charge | authorized | → Authorized 0 0 0 | authorized
Captured: of the attempt before | Charge | authorized | → Captured 1000 0 0 | conflict | double_charge
Voided: by a void | Charge | authorized | → Authorized 0 0 0 | conflict authorized | conflict
Voided: by a void | Charge | authorized, dated before | < 0 0 0
# a void failed
Voiding: in flight | Operation | failed for good | → Authorized 0 0 0 | void_failed
VoidPending: accepted | Operation | failed for good | → Authorized 0 0 0 | void_failed
VoidUnknown: unanswered | Operation | failed for good | → Authorized 0 0 0 | void_failed
Voided: by a void | Operation | failed for good | ! 0 0 0 |  | conflict
# a refund that had succeeded failed
PartiallyRefunded: automatic capture | Refund | failed | → Captured 1000 0 0 | refund_failed | reversal
Refunded: automatic capture | Refund | failed | → Captured 1000 0 0 | refund_failed | reversal
ChargedBack: after a partial refund | Refund | failed | → ChargedBack 1000 0 0 | refund_failed | reversal
# a refund that was open ended, or goes on
Captured: a refund pending | Refund | succeeded | → PartiallyRefunded 1000 400 0 | refunded
Captured: a refund pending | Refund | failed | → Captured 1000 0 0 | refund_failed
Captured: a refund pending | Refund | pending | = 1000 0 400
Captured: a refund unknown | Refund | succeeded | → PartiallyRefunded 1000 400 0 | refunded
Captured: a refund unknown | Refund | failed | → Captured 1000 0 0 | refund_failed
Captured: a refund unknown | Refund | pending | → Captured 1000 0 400 | refund_pending
Settled: a refund pending | Refund | succeeded | → PartiallyRefunded 1000 400 0 | refunded
ChargedBack: a refund pending | Refund | succeeded | → ChargedBack 1000 400 0 | refunded
# a refund succeeded that had failed
Captured: a refund failed | Refund | succeeded | → PartiallyRefunded 1000 400 0 | conflict refunded | conflict
Captured: a refund failed | Refund | succeeded, dated before | < 1000 0 0
Captured: a refund failed | Refund | succeeded with 12.00 | ! 1000 0 0 |  | conflict
Captured: a refund reversed | Refund | succeeded with 12.00 | ! 1000 0 0 |  | conflict reversal
Captured: a refund failed | Refund | succeeded in another currency | ! 1000 0 0 |  | conflict
Captured: a refund reversed | Refund | succeeded in another currency | ! 1000 0 0 |  | conflict reversal
Captured: a refund failed | Refund | pending | < 1000 0 0
PartiallyRefunded: automatic capture | Refund | pending | < 1000 400 0
# a greater captured amount
Captured: by a partial capture | Charge | captured 10.00 | → Captured 1000 0 0 | amount_mismatch | amount_mismatch
Captured: by a partial capture | Charge | captured 12.00 | → Captured 1000 0 0 | amount_mismatch | amount_mismatch
Captured: automatic capture | Charge | captured 12.00 | → Captured 1000 0 0 | amount_mismatch | amount_mismatch
Refunded: by a partial capture | Charge | captured 10.00 | → PartiallyRefunded 1000 600 0 | amount_mismatch |
  amount_mismatch
# another amount, currency or charge is money, and is not dropped
Authorized: not captured yet | Charge | authorized 6.00 | ! 0 0 0 |  | conflict
Authorized: not captured yet | Charge | authorized 12.00 | ! 0 0 0 |  | conflict
Authorized: not captured yet | Charge | authorized in another currency | ! 0 0 0 |  | conflict
Captured: automatic capture | Charge | authorized 6.00 | < 1000 0 0
Captured: automatic capture | Charge | authorized 12.00 | ! 1000 0 0 |  | conflict
Captured: automatic capture | Charge | captured 6.00 | ! 1000 0 0 |  | conflict
Captured: automatic capture | Charge | captured in another currency | ! 1000 0 0 |  | conflict
Captured: automatic capture | Charge | captured under another reference | → Captured 1000 0 0 | conflict | double_charge
Captured: of the attempt before | Charge | captured | → Captured 1000 0 0 | conflict | double_charge
PartiallyRefunded: automatic capture | Refund | succeeded under another reference | ! 1000 400 0 |  | conflict
# the provider's time orders the statements about a dispute
Captured: a dispute was won | Dispute | opened | → ChargedBack 1000 0 0 | chargeback
Captured: a dispute was won | Dispute | opened, dated before | < 1000 0 0
Captured: a dispute was won | Dispute | updated without a status | = 1000 0 0
Captured: a dispute was won | Dispute | lost, dated before | < 1000 0 0
ChargedBack: a dispute was lost | Dispute | won, dated before | < 1000 0 0
ChargedBack: a dispute was opened | Dispute | lost, with the status won | ! 1000 0 0 |  | conflict
ChargedBack: a dispute was opened | Dispute | another one won | = 1000 0 0
ChargedBack: after a partial refund | Dispute | won | → PartiallyRefunded 1000 400 0 | chargeback_reversed
`
  .split("\n# ")
  .slice(1)
  .map((section) => {
    const [title = "", ...lines] = linesOf(section)
    return [title, lines.map(cellsOf)]
  })
