/** What a retry of a refund is answered: for 24 hours its stored answer, then its record. No provider is asked. */
import { Clock, Effect } from "effect"
import { keyTag, keyTagOf } from "../../call/CallIds.ts"
import { KeyReused } from "../../decide/CreateRequest.ts"
import { type Answered, type RefundOrder, RefundPending } from "../../decide/OperationOrder.ts"
import { replyTo } from "../../decide/RefundFact.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import { type Refund, refundReplayMillis } from "../../model/Refund.ts"
import { PaymentSettings } from "../../ports/PaymentSettings.ts"
import { answerOf, recordRefund } from "./RecordRefund.ts"

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

/** The refund that a request under the key made; `undefined` where none was recovered. It asks no provider. */
const recoveredRefund = Effect.fnUntraced(function* (book: PaymentBook, key: string) {
  const { payment, refunds } = book
  if (payment.reported?.isRecovered !== true) return undefined
  const tag = yield* keyTag(payment.tenant, key)
  // Those before it were refused.
  return refunds.findLast(
    ({ claimedBy, id, idempotencyKey }) => claimedBy === null && idempotencyKey === null && keyTagOf(id) === tag
  )
})

/** Whether the amount of a request can have become that of the refund: what was left may have been less. */
const mayHaveAsked = (amountMinor: number | null, { money }: Refund): boolean =>
  amountMinor === null || amountMinor >= money.minorUnits
