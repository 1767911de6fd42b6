/** Applies what a row states to its payment, as a message of the provider is applied. */
import { Effect } from "effect"
import type { Step } from "../../commit/CommitChange.ts"
import {
  asStorageError,
  commitFirst,
  decideAndCommit,
  done,
  isSameWrite,
  orLost,
  write
} from "../../commit/DecideAndCommit.ts"
import { PaymentLocks } from "../../commit/PaymentLocks.ts"
import {
  type DisputedBook,
  nextVersionOf,
  type Stated,
  statedIn,
  withDisputes,
  withStated
} from "../../commit/RecordDispute.ts"
import { interpret } from "../../decide/interpret/Interpret.ts"
import type { Interpretation } from "../../decide/interpret/Interpretation.ts"
import type { StatementAbout } from "../../decide/interpret/Statement.ts"
import { ofReused } from "../../decide/ReusedReference.ts"
import { holdsStated } from "../../decide/reconcile/RowStatement.ts"
import { sourceOf } from "../../decide/reconcile/WeighRow.ts"
import { isEnded, lacksDeadline } from "../../model/Dispute.ts"
import { movedPayment, type PaymentBook, type ReusedReference } from "../../model/PaymentBook.ts"
import { Ids } from "../../ports/Ids.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { LearnedRates, learnFrom } from "../../routing/run/LearnedRates.ts"

export interface RowStated {
  readonly connectionId: string
  readonly about: StatementAbout
  /** Epoch milliseconds. */
  readonly occurredAt: number
}

/**
 * Whether the record takes the statement: it says the same afterwards, or did before. `first`: the book as it was read, or
 * `undefined` where it is to be read.
 */
export const applyStatement = Effect.fnUntraced(function* (
  { payment: { id, tenant } }: PaymentBook,
  first: PaymentBook | undefined,
  { about, connectionId, occurredAt }: RowStated
) {
  const ledger = yield* Ledger
  const learned = yield* LearnedRates
  const locks = yield* PaymentLocks
  const isDispute = about._tag === "Dispute"
  const disputeId = isDispute ? yield* (yield* Ids).dispute : ""
  const disputed = (book: PaymentBook) => {
    const alone = { book, others: [], disputes: [] }
    return isDispute
      ? Effect.map(withDisputes(tenant, alone, about), (found): DisputedBook => found ?? alone)
      : Effect.succeed<DisputedBook>(alone)
  }
  const loop = {
    withLock: locks.take(id),
    decide: (found: DisputedBook, now: number, reused: ReusedReference | undefined) => {
      const { book } = found
      const source = sourceOf({ occurredAt }, now)
      const stated = interpret(book, connectionId, { about, ...source }, now)
      const before = "applied" in stated ? stated.applied : undefined
      const meaning = before !== undefined && reused !== undefined ? ofReused(book, before, reused, now) : stated
      const told = "applied" in meaning ? meaning.applied : undefined
      const payment = told?.payment ?? book.payment
      const dispute = toLookUp(statedIn(found, payment, connectionId, { about, source }, disputeId, now), now)
      const applied = told ?? (dispute && nextVersionOf(book.payment))
      const value = { isTaken: isTaken(meaning) && holdsStated(payment, about), learn: () => {} }
      if (applied === undefined) return done(value)
      const { payment: after, ...beside } = applied
      const step = { tenant, payment: movedPayment(book, after), ...withStated(beside, dispute) }
      return Effect.succeed(write(step, { ...value, learn: () => learnFrom(learned, book, applied, now) }))
    },
    read: () => Effect.flatMap(Effect.flatMap(ledger.book(tenant, id), orLost(operation)), disputed),
    afterUnknown: ({ book }: DisputedBook, step: Step) => isSameWrite(book.payment, step),
    storageErrors: "retry" as const
  }
  const applied = first === undefined ? decideAndCommit(loop) : commitFirst({ ...loop, first: yield* disputed(first) })
  const decided = yield* Effect.mapError(applied, asStorageError(operation))
  decided.learn()
  return decided.isTaken
})

/** A row has neither deadline nor reason: the background asks the provider for them. */
const toLookUp = (stated: Stated | undefined, now: number): Stated | undefined =>
  stated !== undefined && (stated.before === undefined || isEnded(stated.before)) && lacksDeadline(stated.dispute)
    ? { ...stated, dispute: { ...stated.dispute, lookUp: { at: now, tries: 0 } } }
    : stated

const operation = "applying a row of a report"

const isTaken = ({ _tag }: Interpretation): boolean => _tag === "Moves" || _tag === "Confirms"
