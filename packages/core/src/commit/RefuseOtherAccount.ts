/** A capture, void or refund of a payment whose connection opens another account by now. */
import { Clock, Data, Effect } from "effect"
import { type OtherAccount, ofOtherAccount } from "../decide/interpret/OtherAccount.ts"
import { ProviderRefused } from "../decide/OperationOrder.ts"
import { movedPayment, type PaymentBook } from "../model/PaymentBook.ts"
import { commitOnce } from "./DecideAndCommit.ts"

/** What would be asked there is not about this payment's charge. */
export class OtherAccountOpened extends Data.TaggedError("OtherAccountOpened")<{
  readonly book: PaymentBook
  readonly connectionId: string
  readonly attemptId: string
  readonly other: OtherAccount
}> {}

/** Nothing is sent, and operations review the payment. Where the review cannot be written, a later one is. */
export const refuseOtherAccount = Effect.fnUntraced(function* ({
  attemptId,
  book,
  connectionId,
  other
}: OtherAccountOpened) {
  const { tenant } = book.payment
  const about = { _tag: "OtherAccount", subject: { attempt_id: attemptId }, ...other } as const
  const meaning = ofOtherAccount(book, connectionId, about, yield* Clock.currentTimeMillis)
  const applied = "applied" in meaning ? meaning.applied : undefined
  if (applied !== undefined) {
    const { payment: after, ...beside } = applied
    yield* Effect.catch(commitOnce({ tenant, payment: movedPayment(book, after), ...beside }), (cause) =>
      Effect.logWarning(`the review of payment ${book.payment.id} could not be recorded`, cause)
    )
  }
  return yield* new ProviderRefused({
    message: "Nothing was sent to the provider: the connection's credentials open another account than the payment's."
  })
})
