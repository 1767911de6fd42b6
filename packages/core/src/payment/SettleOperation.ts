/**
 * The last commit of a capture or a void: what the provider said, the events, what its request is told.
 *
 * The rule that a reader would otherwise break: once the provider may have been asked, a store that fails is no reason
 * to say that nothing happened. What cannot be recorded is `StateUnconfirmed`, and is tried again in the background.
 */
import { Clock, Effect, Option, Result } from "effect"
import { Ledger } from "../ports/Ledger.ts"
import { Background } from "./Background.ts"
import { factDecisionsAtMost, insistently, keepTrying } from "./Insistently.ts"
import type { Operation, OperationReply } from "./Operation.ts"
import { applyOperationFact, type OperationFact, saidOf } from "./OperationFact.ts"
import { ProviderRefused, ResultUnknown, StateConflict, StateUnconfirmed } from "./OperationOrder.ts"
import type { Payment } from "./Payment.ts"
import { Turns } from "./Turns.ts"

/** Records a fact and answers the request; gives the payment where it went well. */
export const settleOperation = Effect.fnUntraced(function* (
  payment: Payment,
  operation: Operation,
  fact: OperationFact
) {
  const turns = yield* Turns
  const background = yield* Background
  // A turn is one try: while the store is down, others are not kept waiting.
  const inTurn = (reply: OperationReply | undefined) =>
    Effect.catchDefect(turns.take(payment.id)(recordOperation(payment, operation, fact, reply)), Effect.fail)
  const recorded = yield* Effect.result(insistently(inTurn(undefined)))
  if (Result.isSuccess(recorded)) return yield* answerOf(recorded.success)
  const said = saidOf(fact)
  yield* Effect.logError(`the end of ${operation.id} could not be recorded; it is tried again`, recorded.failure)
  yield* background.run(keepTrying(inTurn({ _tag: "StateUnconfirmed", said })))
  return yield* new StateUnconfirmed({ said })
})

/**
 * Writes a fact, however often other writers come first, and gives the operation as it is stored. `reply` is what the
 * request was told already, where it was.
 */
export const recordOperation = Effect.fnUntraced(function* (
  payment: Payment,
  operation: Operation,
  fact: OperationFact,
  reply?: OperationReply
) {
  const ledger = yield* Ledger
  let stored = payment
  let ours = operation
  let failure: unknown = "other writers kept winning"
  for (let decision = 0; decision < factDecisionsAtMost; decision++) {
    const now = yield* Clock.currentTimeMillis
    const after = applyOperationFact(stored, ours, fact, now)
    const closed = reply === undefined ? after.operation : { ...after.operation, reply: standing(ours.reply, reply) }
    const written = yield* Effect.result(
      ledger.commit({
        tenant: stored.tenant,
        payment: { expected: stored.version, after: after.payment },
        attempts: [],
        operations: [closed],
        events: after.events
      })
    )
    if (Result.isSuccess(written)) return closed
    failure = written.failure
    if (written.failure._tag === "pointsman/StorageError") break
    const book = Option.getOrUndefined(yield* ledger.book(stored.tenant, stored.id))
    const found = book?.operations.find(({ id }) => id === operation.id)
    if (book === undefined || found === undefined) break
    // Settled by another courier, who was told more than silence; or by an earlier try of ours.
    if (fact._tag === "Unanswered" && isFreed(found)) return found
    if (isRecorded(found, closed, reply)) return found
    // Its key was free for a moment, and names another by now.
    if (reply !== undefined && isFreed(found) && book.operations.some((other) => isRival(other, found))) return found
    stored = book.payment
    ours = found
  }
  return yield* Effect.fail(failure)
})

/** What a retry was told after the claim window stands; what else is stored is an earlier try of ours. */
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
  other.id !== one.id &&
  other.kind === one.kind &&
  other.idempotencyKey !== null &&
  other.idempotencyKey === one.idempotencyKey &&
  (other.outcome === null || other.reply !== null)

/** What the request of a settled operation is told. */
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
      return Effect.fail(new ProviderRefused({ message: reason ?? "The provider refused." }))
  }
}
