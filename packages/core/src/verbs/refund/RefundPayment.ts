/**
 * Gives captured money back: reserves the amount, asks the provider, records what came of it. The amount is reserved in the
 * commit that writes the refund, before the provider is asked: two full refunds cannot both be sent. An unknown result keeps
 * it reserved. Two commits, and a read before them where another process wrote the payment last.
 */
import { Effect } from "effect"
import { sendClaimed } from "../../call/CallProvider.ts"
import { PaymentLocks } from "../../commit/PaymentLocks.ts"
import type { Caller } from "../../decide/CreateRequest.ts"
import type { Answered, RefundOrder } from "../../decide/OperationOrder.ts"
import { type Permission, unlimited } from "../../decide/ProposedRefund.ts"
import { type RefundEnd, refundFactOf } from "../../decide/RefundFact.ts"
import { asUsableRefund } from "../../decide/UsableAnswer.ts"
import type { Payment } from "../../model/Payment.ts"
import { NotSent, type Unanswered } from "../../model/ProviderStatement.ts"
import type { Refund } from "../../model/Refund.ts"
import type { Connector } from "../../ports/Connector.ts"
import { claimRefund } from "./ClaimRefund.ts"
import { recordRefundAnswer } from "./RecordRefund.ts"

/** Once claimed, a request runs to its end, also when its caller goes away. */
export const refund = <E = never>(
  caller: Pick<Caller, "tenant" | "apiKeyHash">,
  order: RefundOrder,
  permission: Permission<E> = unlimited
) => Effect.uninterruptible(refundOnce(caller, order, permission))

const refundOnce = Effect.fnUntraced(function* <E>(
  caller: Pick<Caller, "tenant" | "apiKeyHash">,
  order: RefundOrder,
  permission: Permission<E>
) {
  const locks = yield* PaymentLocks
  const claimed = yield* locks.take(order.paymentId)(claimRefund(caller, order, permission))
  if (claimed._tag === "Replayed") return claimed.answered
  if (claimed._tag === "NotPermitted") return yield* Effect.fail(claimed.why)
  const { attemptId, book, connection, refund } = claimed.inHand
  const about = { operation: "refund", paymentId: book.payment.id, subject: { refund: refund.id } } as const
  const end = yield* sendClaimed(connection, about, refund.sentAt, (connector) =>
    send(connector, attemptId, refund, book.payment)
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
