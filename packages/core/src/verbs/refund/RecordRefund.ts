/**
 * The last commit of a refund: what the provider said, the amounts that follow, the events, the response to its
 * request. Once the provider may have been asked, a store that fails is no reason to say that nothing happened. What
 * cannot be recorded keeps its amount reserved, and is tried again in the background.
 */
import { Effect, Option } from "effect"
import { recordAnswer } from "../../commit/ClaimCall.ts"
import { type AnyLoop, decideAndCommit, done, NotStored, write } from "../../commit/DecideAndCommit.ts"
import { type Applied, inOneStep, unchanged } from "../../decide/Applied.ts"
import { weighRefundsByHand } from "../../decide/interpret/RefundByHand.ts"
import { ProviderRefused, RefundPending, ResultUnknown, StateUnconfirmed } from "../../decide/OperationOrder.ts"
import { applyRefundFact, type RefundFact, replyTo } from "../../decide/RefundFact.ts"
import { bookAfter, movedPayment, type PaymentBook } from "../../model/PaymentBook.ts"
import type { Refund, RefundReply } from "../../model/Refund.ts"
import { Ledger } from "../../ports/Ledger.ts"

/** Records a fact and answers the request; gives the payment where it went well. */
export const recordRefundAnswer = Effect.fnUntraced(function* (book: PaymentBook, refund: Refund, fact: RefundFact) {
  const reply = unrecorded(fact)
  const recorded = yield* recordAnswer(
    refund,
    (how) => recordRefund(book, refund, fact, how),
    (how) => recordRefund(book, refund, untold(fact), { ...how, reply })
  )
  return yield* answerOf(Option.isSome(recorded) ? recorded.value.reply : reply)
})

/**
 * The response to a request whose result could not be recorded. Only a confirmed one is `state_unconfirmed`; a refusal
 * that is not recorded does not make its amount refundable yet, so it is reported as unknown.
 */
const unrecorded = (fact: RefundFact): RefundReply => {
  if (fact.on === "RefundConfirmed") return { _tag: "StateUnconfirmed" }
  return fact.on === "RefundAccepted" ? { _tag: "RefundPending" } : { _tag: "ResultUnknown" }
}

const untold = (fact: RefundFact): RefundFact =>
  fact.on === "RefundRefused" ? { on: "RefusalUntold", code: fact.code, message: fact.message } : fact

interface HowRecorded extends Pick<AnyLoop, "storageErrors" | "withLock"> {
  /** The response that the request already received, if any. */
  readonly reply?: RefundReply
}

/** Writes a fact, however often other writers come first, and gives the refund's reply. */
export const recordRefund = Effect.fnUntraced(function* (
  book: PaymentBook,
  refund: Refund,
  fact: RefundFact,
  { reply, ...how }: HowRecorded
) {
  const ledger = yield* Ledger
  const { id, tenant } = book.payment
  return yield* decideAndCommit({
    ...how,
    first: { book, ours: refund },
    decide: ({ book, ours }, now, _, lastTry: Recorded | undefined) => {
      // An earlier try, or a commit whose answer was lost, had been written.
      const isStored = lastTry !== undefined && isRecorded(ours, lastTry.refund)
      if (isStored && ours.reply !== null) return done<Recorded>({ refund: ours, reply: ours.reply })
      const alone = applyRefundFact(book.payment, book.refunds, ours, fact, now)
      const first: Applied = { ...unchanged, payment: alone.payment, refunds: [alone.refund], events: alone.events }
      const weighed = weighRefundsByHand(bookAfter(book, first), now)
      const after = weighed === undefined ? first : inOneStep(first, weighed)
      const ended = after.refunds.find(({ id }) => id === ours.id) ?? alone.refund
      // The response to a retry after the claim window is kept.
      const told = reply === undefined ? (ours.reply ?? replyTo(ended, after.payment)) : standing(ours.reply, reply)
      const closed: Refund = { ...ended, answeredAt: ours.answeredAt ?? now, reply: told }
      const step = {
        tenant,
        payment: movedPayment(book, after.payment),
        refunds: [...after.refunds.filter(({ id }) => id !== closed.id), closed],
        events: after.events
      }
      return Effect.succeed(write<Recorded>(step, { refund: closed, reply: told }))
    },
    read: () =>
      Effect.gen(function* () {
        const book = Option.getOrUndefined(yield* ledger.book(tenant, id))
        const ours = book?.refunds.find(({ id }) => id === refund.id)
        if (book === undefined || ours === undefined) return yield* new NotStored()
        return { book, ours }
      }),
    // Decided on the refund itself, even if our earlier request wrote it.
    afterUnknown: () => false
  })
})

export interface Recorded {
  readonly refund: Refund
  readonly reply: RefundReply
}

/** The response to a retry after the claim window is kept; anything else stored is our earlier try. */
const standing = (stored: RefundReply | null, told: RefundReply): RefundReply =>
  stored?._tag === "ResultUnknown" ? stored : told

const isRecorded = (found: Refund, wanted: Refund): boolean =>
  found.stage === wanted.stage &&
  found.failureReason === wanted.failureReason &&
  found.providerRefundId === wanted.providerRefundId &&
  found.reply?._tag === wanted.reply?._tag

/** The response to a refund request. */
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
