/**
 * Gives captured money back: reserves the amount, asks the provider, records what came of it.
 *
 * The amount is reserved in the commit that writes the refund, before the provider is asked: two full refunds cannot
 * both be sent. An unknown result keeps it reserved.
 *
 * One that goes well is a read and two commits.
 */
import { Clock, Effect } from "effect"
import { callProvider } from "../../call/CallProvider.ts"
import { Turns } from "../../commit/Turns.ts"
import type { Caller } from "../../decide/CreateRequest.ts"
import type { Answered, RefundOrder } from "../../decide/OperationOrder.ts"
import { type RefundEnd, refundFactOf } from "../../decide/RefundFact.ts"
import { asUsableRefund } from "../../decide/UsableAnswer.ts"
import { observeCall } from "../../metrics/ProviderCall.ts"
import type { Payment } from "../../model/Payment.ts"
import { NotSent, type Unanswered } from "../../model/ProviderStatement.ts"
import type { Refund } from "../../model/Refund.ts"
import type { Connector } from "../../ports/Connector.ts"
import { PaymentSettings } from "../../ports/PaymentSettings.ts"
import { claimRefund } from "./ClaimRefund.ts"
import { recordRefundAnswer } from "./RecordRefund.ts"

/** Once claimed, a request runs to its end, also when its caller goes away. */
export const refund = (caller: Caller, order: RefundOrder) => Effect.uninterruptible(refundOnce(caller, order))

const refundOnce = Effect.fnUntraced(function* (caller: Caller, order: RefundOrder) {
  const turns = yield* Turns
  const claimed = yield* turns.take(order.paymentId)(claimRefund(caller, order))
  if (claimed._tag === "Replayed") return claimed.answered
  const { attemptId, book, connection, refund } = claimed.inHand
  const { sendWithinMillis } = yield* PaymentSettings
  const beginBy = refund.sentAt + sendWithinMillis
  const end: RefundEnd =
    (yield* Clock.currentTimeMillis) > beginBy
      ? new NotSent({ reason: "its claim grew too old to send on" })
      : yield* callProvider(connection, (connector) => send(connector, attemptId, refund, book.payment), beginBy).pipe(
          observeCall({
            operation: "refund",
            connectionId: connection.id,
            paymentId: book.payment.id,
            subject: { refund: refund.id }
          })
        )
  const payment = yield* recordRefundAnswer(book, refund, refundFactOf(refund.money, end))
  return { payment, isReplay: false } satisfies Answered
})

const send = (
  connector: Connector,
  attemptId: string,
  refund: Refund,
  payment: Payment
): Effect.Effect<RefundEnd, NotSent | Unanswered> =>
  connector.refund === undefined
    ? Effect.fail(new NotSent({ reason: "the connection cannot refund any more" }))
    : Effect.map(
        connector.refund({
          refundId: refund.id,
          attemptId,
          providerRef: refund.providerRef,
          money: refund.money,
          reason: refund.reason,
          simulation: payment.simulation
        }),
        asUsableRefund
      )
