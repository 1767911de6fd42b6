/**
 * One lookup decides a message that was kept for it: the failure of a capture or a void, or a success without a time
 * after a failure. Where the lookup does not answer, operators review the message.
 */
import { Clock, Effect } from "effect"
import {
  aboutCharge,
  aboutOperation,
  aboutRefund,
  lookUpCharge,
  lookUpOperation,
  lookUpRefund
} from "../../call/LookUp.ts"
import { recordLookup } from "../../commit/RecordLookup.ts"
import { holdingAttempt } from "../../decide/Holding.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import type { UndecidedStatement } from "../../model/Reported.ts"

export const decideByLookup = Effect.fnUntraced(function* (
  book: PaymentBook,
  decides: Exclude<UndecidedStatement, { readonly about: "charge" }>
) {
  const askedAt = yield* Clock.currentTimeMillis
  const found = yield* decides.about === "refund" ? findRefund(book, decides.id) : findOperation(book, decides)
  const unanswered = { connectionId: book.payment.connectionId ?? "", about: null }
  yield* recordLookup(book, { ...(found ?? unanswered), askedAt, decides })
})

const findRefund = Effect.fnUntraced(function* (book: PaymentBook, refundId: string) {
  const refund = book.refunds.find(({ id }) => id === refundId)
  const found = refund === undefined ? undefined : yield* lookUpRefund(book.payment, refund, holdingAttempt(book))
  return refund === undefined || found === undefined ? undefined : aboutRefund(refund, found)
})

const findOperation = Effect.fnUntraced(function* (
  book: PaymentBook,
  { id, state }: Extract<UndecidedStatement, { readonly about: "operation" }>
) {
  const operation = book.operations.find((one) => one.id === id)
  const attempt = holdingAttempt(book)
  if (operation === undefined || attempt === undefined) return undefined
  const found = yield* lookUpOperation(book.payment, operation, attempt)
  if (found === undefined) return undefined
  if (found !== "Unsupported") return aboutOperation(operation, found)
  // The provider's word on the failure is all that there is. Of a success, the charge's record can tell.
  if (state._tag === "OperationFailed") return aboutOperation(operation, { _tag: "Found", state })
  const charge = yield* lookUpCharge(book.payment, attempt)
  return charge === undefined ? undefined : aboutCharge(attempt, charge)
})
