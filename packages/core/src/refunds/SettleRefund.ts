/**
 * The last commit of a refund: what the provider said, the amounts that follow, the events, what its request is told.
 *
 * The rule that a reader would otherwise break: once the provider may have been asked, a store that fails is no reason
 * to say that nothing happened. What cannot be recorded keeps its amount reserved, and is tried again in the
 * background.
 */
import { Clock, Effect, Option, Result } from "effect"
import { Background } from "../payment/Background.ts"
import { factDecisionsAtMost, insistently, keepTrying } from "../payment/Insistently.ts"
import { ProviderRefused, ResultUnknown, StateUnconfirmed } from "../payment/OperationOrder.ts"
import { Turns } from "../payment/Turns.ts"
import { Ledger, type PaymentBook } from "../ports/Ledger.ts"
import type { Refund, RefundReply } from "./Refund.ts"
import { applyRefundFact, type RefundFact, replyTo } from "./RefundFact.ts"
import { RefundPending } from "./RefundOrder.ts"

/** Records a fact and answers the request; gives the payment where it went well. */
export const settleRefund = Effect.fnUntraced(function* (book: PaymentBook, refund: Refund, fact: RefundFact) {
  const turns = yield* Turns
  const background = yield* Background
  // A turn is one try: while the store is down, others are not kept waiting.
  const inTurn = (fact: RefundFact, reply?: RefundReply) =>
    Effect.catchDefect(turns.take(refund.paymentId)(recordRefund(book, refund, fact, reply)), Effect.fail)
  const recorded = yield* Effect.result(insistently(inTurn(fact)))
  if (Result.isSuccess(recorded)) return yield* answerOf(recorded.success.reply)
  const reply = unrecorded(fact)
  yield* Effect.logError(`the end of ${refund.id} could not be recorded; it is tried again`, recorded.failure)
  yield* background.run(keepTrying(inTurn(untold(fact), reply)))
  return yield* answerOf(reply)
})

/**
 * What a request is told whose result could not be recorded. Only a confirmed one is `state_unconfirmed` (rule 11);
 * a refusal that is not recorded does not make its amount refundable yet, so it is told as unknown.
 */
const unrecorded = (fact: RefundFact): RefundReply => {
  if (fact.on === "RefundConfirmed") return { _tag: "StateUnconfirmed" }
  return fact.on === "RefundAccepted" ? { _tag: "RefundPending" } : { _tag: "ResultUnknown" }
}

const untold = (fact: RefundFact): RefundFact =>
  fact.on === "RefundRefused" ? { on: "RefusalUntold", code: fact.code, message: fact.message } : fact

/**
 * Writes a fact, however often other writers come first, and gives the refund's reply. `reply` is what the request
 * was told already, where it was.
 */
export const recordRefund = Effect.fnUntraced(function* (
  book: PaymentBook,
  refund: Refund,
  fact: RefundFact,
  reply?: RefundReply
) {
  const ledger = yield* Ledger
  const { tenant } = book.payment
  let stored = book
  let ours = refund
  let failure: unknown = "other writers kept winning"
  for (let decision = 0; decision < factDecisionsAtMost; decision++) {
    const now = yield* Clock.currentTimeMillis
    const after = applyRefundFact(stored.payment, stored.refunds, ours, fact, now)
    // What a retry was told after the claim window stands.
    const told =
      reply === undefined ? (ours.reply ?? replyTo(after.refund, after.payment)) : standing(ours.reply, reply)
    const closed: Refund = { ...after.refund, answeredAt: ours.answeredAt ?? now, reply: told }
    const written = yield* Effect.result(
      ledger.commit({
        tenant,
        payment: { expected: stored.payment.version, after: after.payment },
        attempts: [],
        refunds: [closed],
        events: after.events
      })
    )
    if (Result.isSuccess(written)) return { refund: closed, reply: told }
    failure = written.failure
    if (written.failure._tag === "pointsman/StorageError") break
    const read = Option.getOrUndefined(yield* ledger.book(tenant, refund.paymentId))
    const found = read?.refunds.find(({ id }) => id === refund.id)
    if (read === undefined || found === undefined) break
    // An earlier try, or a commit whose answer was lost, had been written.
    if (isRecorded(found, closed) && found.reply !== null) return { refund: found, reply: found.reply }
    stored = read
    ours = found
  }
  return yield* Effect.fail(failure)
})

/** What a retry was told after the claim window stands; what else is stored is an earlier try of ours. */
const standing = (stored: RefundReply | null, told: RefundReply): RefundReply =>
  stored?._tag === "ResultUnknown" ? stored : told

const isRecorded = (found: Refund, wanted: Refund): boolean =>
  found.stage === wanted.stage &&
  found.failureReason === wanted.failureReason &&
  found.providerRefundId === wanted.providerRefundId &&
  found.reply?._tag === wanted.reply?._tag

/** What the request of a refund is told. */
export const answerOf = (reply: RefundReply) => {
  switch (reply._tag) {
    case "Done":
      return Effect.succeed(reply.payment)
    case "RefundPending":
      return Effect.fail(new RefundPending())
    case "Refused":
      return Effect.fail(new ProviderRefused({ message: reply.message }))
    case "ResultUnknown":
      return Effect.fail(new ResultUnknown())
    case "StateUnconfirmed":
      return Effect.fail(new StateUnconfirmed({ said: "confirmed" }))
  }
}
