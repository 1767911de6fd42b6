/**
 * The last commit of a capture or a void: what the provider said, the events, the response to its request. Once the
 * provider may have been asked, a store that fails is no reason to say that nothing happened. What cannot be recorded
 * is `StateUnconfirmed`, and is tried again in the background.
 */
import { Effect, Option } from "effect"
import { recordAnswer } from "../../commit/ClaimCall.ts"
import { type AnyLoop, decideAndCommit, done, NotStored, write } from "../../commit/DecideAndCommit.ts"
import { applyOperationFact, type OperationFact, overtaken, saidOf } from "../../decide/OperationFact.ts"
import { ProviderRefused, ResultUnknown, StateConflict, StateUnconfirmed } from "../../decide/OperationOrder.ts"
import type { Operation, OperationReply } from "../../model/Operation.ts"
import { movedPayment, type PaymentBook } from "../../model/PaymentBook.ts"
import { Ledger } from "../../ports/Ledger.ts"

/** Records a fact and answers the request; gives the payment where it went well. */
export const recordOperationAnswer = Effect.fnUntraced(function* (
  book: PaymentBook,
  operation: Operation,
  fact: OperationFact
) {
  const said = saidOf(fact)
  const recorded = yield* recordAnswer(
    { id: operation.id, paymentId: book.payment.id },
    (how) => recordOperation(book, operation, fact, how),
    (how) => recordOperation(book, operation, fact, { ...how, reply: { _tag: "StateUnconfirmed", said } })
  )
  return yield* Option.isSome(recorded) ? answerOf(recorded.value) : new StateUnconfirmed({ said })
})

interface HowRecorded extends Pick<AnyLoop, "storageErrors" | "withLock"> {
  /** The response that the request already received, if any. */
  readonly reply?: OperationReply
}

/** Writes a fact, however often other writers come first, and gives the operation as it is stored. */
export const recordOperation = Effect.fnUntraced(function* (
  book: PaymentBook,
  operation: Operation,
  fact: OperationFact,
  { reply, ...how }: HowRecorded
) {
  const ledger = yield* Ledger
  const { id, tenant } = book.payment
  return yield* decideAndCommit({
    ...how,
    first: { book, ours: operation, others: [] as ReadonlyArray<Operation> },
    decide: ({ book, others, ours }, now, _, lastTry: Operation | undefined) => {
      if (lastTry !== undefined) {
        // Settled by another source, which had more than a missing response; or by our earlier try.
        if (fact._tag === "Unanswered" && isFreed(ours)) return done(ours)
        if (isRecorded(ours, lastTry, reply)) return done(ours)
        // Its key was free for a moment, and names another by now.
        const isTaken = others.some((other) => isRival(other, ours))
        if (reply !== undefined && isFreed(ours) && isTaken) return done(ours)
      }
      const after = applyOperationFact(book.payment, ours, fact, now)
      const closed = reply === undefined ? after.operation : { ...after.operation, reply: standing(ours.reply, reply) }
      const step = {
        tenant,
        payment: movedPayment(book, after.payment),
        operations: [closed, ...overtaken(others, ours, after.payment)],
        events: after.events
      }
      return Effect.succeed(write(step, closed))
    },
    read: () =>
      Effect.gen(function* () {
        const book = Option.getOrUndefined(yield* ledger.book(tenant, id))
        const ours = book?.operations.find(({ id }) => id === operation.id)
        if (book === undefined || ours === undefined) return yield* new NotStored()
        return { book, ours, others: book.operations.filter((one) => one !== ours) }
      }),
    // Decided on the operation itself, even if our earlier request wrote it.
    afterUnknown: () => false
  })
})

/** The response to a retry after the claim window is kept; anything else stored is our earlier try. */
const standing = (stored: OperationReply | null, told: OperationReply): OperationReply =>
  stored?._tag === "ResultUnknown" ? stored : told

const isRecorded = (found: Operation, wanted: Operation, told: OperationReply | undefined): boolean =>
  found.outcome === wanted.outcome &&
  found.reason === wanted.reason &&
  (told === undefined
    ? found.reply !== null || wanted.reply === null
    : found.reply?._tag === standing(found.reply, told)._tag)

/** Settled without a reply: its key is free. */
const isFreed = ({ outcome, reply }: Operation): boolean =>
  reply === null && (outcome === "Refused" || outcome === "NotFound" || outcome === "Abandoned")

const isRival = (other: Operation, one: Operation): boolean =>
  other.kind === one.kind &&
  other.idempotencyKey !== null &&
  other.idempotencyKey === one.idempotencyKey &&
  (other.outcome === null || other.reply !== null)

/** The response to the request of a settled operation. */
export const answerOf = ({ reason, reply }: Pick<Operation, "reason" | "reply">) => {
  switch (reply?._tag) {
    case "Done":
      return Effect.succeed(reply.payment)
    case "ResultUnknown":
      return Effect.fail(new ResultUnknown())
    case "StateUnconfirmed":
      return Effect.fail(new StateUnconfirmed({ said: reply.said }))
    case "StateConflict":
      return Effect.fail(new StateConflict())
    case undefined:
      return Effect.fail(new ProviderRefused({ message: reason ?? "The provider rejected the request." }))
  }
}
