/**
 * Somebody has looked into the provider's record, and says what it says (specification, `UNKNOWN`). Their evidence, what
 * follows from it and its events are one commit; nothing is asked of the provider.
 *
 * The rule that a reader would otherwise break: the background may settle the same payment meanwhile. What somebody found
 * is decided again on what is stored then, and refused where it no longer fits.
 */
import { Clock, Effect, Option, Result, Schema } from "effect"
import { decisionsAtMost } from "../payment/ChargeInHand.ts"
import { PaymentNotFound } from "../payment/ReadPayments.ts"
import { Turns } from "../payment/Turns.ts"
import { Ledger } from "../ports/Ledger.ts"
import type { Tenant } from "../workspace/Tenant.ts"
import { applyFinding, type Evidence, type Finding } from "./Finding.ts"
import { eventsAtMost } from "./ReadReviews.ts"

export interface SettleReviewOrder extends Evidence {
  readonly tenant: Tenant
  readonly paymentId: string
  readonly finding: Finding
}

/** What was found cannot be written; nothing was. `field`: of the order, as it names it. */
export class FindingRefused extends Schema.TaggedError<FindingRefused>()("pointsman/FindingRefused", {
  field: Schema.Literals(["finding", "evidence", "by", "amountMinor"]),
  reason: Schema.String
}) {}

/** Unicode code points. */
const longestEvidence = 2000
const longestName = 120

/** Gives the payment as it stands afterwards. */
export const settleReview = Effect.fnUntraced(function* (order: SettleReviewOrder) {
  yield* checkOrder(order)
  const turns = yield* Turns
  return yield* turns.take(order.paymentId)(decideAndWrite(order))
})

const checkOrder = Effect.fnUntraced(function* ({ by, evidence, finding }: SettleReviewOrder) {
  const isText = (text: string, longest: number) => text.trim() !== "" && [...text].length <= longest
  if (!isText(evidence, longestEvidence)) {
    return yield* new FindingRefused({
      field: "evidence",
      reason: `expected a text of 1 to ${longestEvidence} characters`
    })
  }
  if (!isText(by, longestName)) {
    return yield* new FindingRefused({ field: "by", reason: `expected a name of 1 to ${longestName} characters` })
  }
  const isAmount = finding._tag !== "Charge" || finding.amountMinor === null || isMinorUnits(finding.amountMinor)
  if (!isAmount) {
    return yield* new FindingRefused({ field: "amountMinor", reason: "expected a whole number of minor units above 0" })
  }
})

const isMinorUnits = (amount: number): boolean => Number.isSafeInteger(amount) && amount > 0

const decideAndWrite = Effect.fnUntraced(function* ({ by, evidence, finding, paymentId, tenant }: SettleReviewOrder) {
  const ledger = yield* Ledger
  for (let decision = 0; decision < decisionsAtMost; decision++) {
    const book = Option.getOrUndefined(yield* ledger.book(tenant, paymentId))
    if (book === undefined) return yield* new PaymentNotFound()
    const now = yield* Clock.currentTimeMillis
    const applied = applyFinding(book, finding, { by, evidence }, now)
    if (Result.isFailure(applied)) return yield* new FindingRefused({ field: "finding", reason: applied.failure })
    const { payment, ...beside } = applied.success
    const change = { tenant, payment: { expected: book.payment.version, after: payment }, ...beside }
    const written = yield* Effect.result(ledger.commit(change))
    if (Result.isSuccess(written)) return payment
    if (written.failure._tag === "pointsman/StorageError") return yield* written.failure
    if (written.failure._tag !== "pointsman/CommitUnknown") continue
    const [note] = beside.events
    const told = yield* ledger.timeline(tenant, paymentId, { limit: eventsAtMost })
    // It was written, though nobody heard of it; others may have moved the payment on since.
    if (told.some((event) => JSON.stringify(event.data) === JSON.stringify(note?.data) && event.createdAt === now)) {
      return Option.getOrElse(yield* ledger.payment(tenant, paymentId), () => payment)
    }
  }
  return yield* new FindingRefused({ field: "finding", reason: "others keep writing the payment: look at it again" })
})
