/**
 * Captures or voids an authorization: claims it, asks the provider, records what came of it. The claim moves the payment out
 * of `Authorized` in the commit that writes the operation, before the provider is asked: no second one can begin, and a
 * process that dies leaves a payment that says so. Two commits, and a read before them where another process wrote last.
 */
import { Effect } from "effect"
import { sendClaimed } from "../../call/CallProvider.ts"
import { PaymentLocks } from "../../commit/PaymentLocks.ts"
import type { Caller } from "../../decide/CreateRequest.ts"
import { type OperationEnd, operationFactOf } from "../../decide/OperationFact.ts"
import {
  type Answered,
  type CaptureOrder,
  NotCapturable,
  NotVoidable,
  type OperationOrder,
  type VoidOrder
} from "../../decide/OperationOrder.ts"
import { isUsableAmount } from "../../decide/UsableAnswer.ts"
import type { OperationAnswer } from "../../model/ProviderStatement.ts"
import { NotSent, Unanswered } from "../../model/ProviderStatement.ts"
import { claimOperation, type OperationInHand } from "./ClaimOperation.ts"
import { recordOperationAnswer } from "./RecordOperation.ts"
import { recoveredOperation } from "./RecoveredOperation.ts"

/** Once claimed, a request runs to its end, also when its caller goes away. */
export const capture = (caller: Caller, order: CaptureOrder) =>
  Effect.uninterruptible(operate(caller, { kind: "capture", ...order }, () => new NotCapturable()))

export const voidPayment = (caller: Caller, order: VoidOrder) =>
  operate(caller, { kind: "void", amountMinor: null, ...order }, () => new NotVoidable()).pipe(
    // A void names no amount that could be wrong.
    Effect.catchTag("pointsman/InvalidAmount", Effect.die),
    Effect.uninterruptible
  )

const operate = Effect.fnUntraced(function* <Refusal>(caller: Caller, order: OperationOrder, refusal: () => Refusal) {
  const locks = yield* PaymentLocks
  const claimed = yield* locks.take(order.paymentId)(claimOperation(caller, order))
  if (claimed._tag === "Refused") return (yield* recoveredOperation(caller, order)) ?? (yield* Effect.fail(refusal()))
  if (claimed._tag === "Replayed") return claimed.answered
  const { inHand } = claimed
  const { book, connection, operation } = inHand
  const about = { operation: operation.kind, paymentId: book.payment.id, subject: { operation: operation.id } }
  const end = yield* sendClaimed(connection, about, operation.sentAt, () => send(inHand))
  const fact = operationFactOf(operation, book.payment.authorizedMinor, end)
  return { payment: yield* recordOperationAnswer(book, operation, fact), isReplay: false } satisfies Answered
})

const send = ({
  attemptId,
  book,
  connector,
  operation
}: OperationInHand): Effect.Effect<OperationEnd, NotSent | Unanswered> => {
  const request = {
    operationId: operation.id,
    attemptId,
    providerRef: operation.providerRef,
    simulation: book.payment.simulation
  }
  const sent =
    operation.kind === "capture"
      ? connector.capture?.({ ...request, money: operation.money })
      : connector.void?.(request)
  return sent === undefined
    ? Effect.fail(new NotSent({ reason: "the connection cannot do it any more" }))
    : Effect.map(sent, asUsable)
}

/** A response with an invalid amount is unusable: the operation may have executed. */
const asUsable = (answer: OperationAnswer): OperationEnd =>
  "stated" in answer && !isUsableAmount(answer.stated)
    ? new Unanswered({ reason: "the connector stated an invalid amount" })
    : answer
