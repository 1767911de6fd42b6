/** What a retry of a refund is answered: for 24 hours its stored answer, then its record. No provider is asked. */
import { Clock, Effect } from "effect"
import { KeyReused } from "../../decide/CreateRequest.ts"
import type { Answered } from "../../decide/OperationOrder.ts"
import { type RefundOrder, RefundPending } from "../../decide/OperationOrder.ts"
import { replyTo } from "../../decide/RefundFact.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import { type Refund, refundReplayMillis } from "../../model/Refund.ts"
import { PaymentSettings } from "../../ports/PaymentSettings.ts"
import { answerOf, recordRefund } from "./RecordRefund.ts"
import { mayHaveAsked, recoveredRefund } from "./RecoveredRefund.ts"

/** The stored response of the order's key; `undefined` where it is free. */
export const refundStanding = Effect.fnUntraced(function* (book: PaymentBook, order: RefundOrder) {
  if (order.idempotencyKey === null) return undefined
  const named = book.refunds.find(({ idempotencyKey }) => idempotencyKey === order.idempotencyKey)
  const earlier = named ?? (yield* recoveredRefund(book, order.idempotencyKey))
  if (earlier === undefined) return undefined
  const isSame =
    named === undefined ? mayHaveAsked(order.amountMinor, earlier) : earlier.requestedMinor === order.amountMinor
  if (!isSame) return yield* new KeyReused()
  const payment = yield* answerOf(yield* standing(book, earlier))
  return { payment, isReplay: true } satisfies Answered
})

const standing = Effect.fnUntraced(function* (book: PaymentBook, refund: Refund) {
  const now = yield* Clock.currentTimeMillis
  if (refund.reply !== null && refund.answeredAt !== null) {
    if (now < refund.answeredAt + refundReplayMillis) return refund.reply
    const isOpen = refund.stage === "Pending" || refund.stage === "Unknown" || refund.stage === "Sending"
    return isOpen ? ({ _tag: "RefundPending" } as const) : replyTo(refund, book.payment)
  }
  const { claimWindowMillis } = yield* PaymentSettings
  if (now - refund.sentAt < claimWindowMillis) return yield* new RefundPending()
  // The request died, or its process is as good as dead: that looks exactly like a provider that did not answer.
  const died = { on: "RefundUnanswered", reason: "the process that sent it did not come back" } as const
  const recorded = recordRefund(book, refund, died, { storageErrors: "fail" })
  return (yield* Effect.mapError(recorded, () => new RefundPending())).reply
})
