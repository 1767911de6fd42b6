/**
 * Records what a provider's record says, looked up. A lookup says what was so when it was made. Where its subject has
 * moved since, what it says may be the older of the two, and the next lookup is made on what is stored. Only that money
 * is held or taken counts whenever it comes: a charge that was declined meanwhile is not looked up again.
 */
import { Effect } from "effect"
import { type Applied, unchangedBook } from "../decide/Applied.ts"
import { attemptNamed, interpret } from "../decide/interpret/Interpret.ts"
import type { StatementAbout } from "../decide/interpret/Statement.ts"
import { leftUndecided, withoutUndecided } from "../decide/interpret/Undecided.ts"
import { withoutReused } from "../decide/ReusedReference.ts"
import { bookAfter, movedPayment, type PaymentBook, type ReusedReference } from "../model/PaymentBook.ts"
import type { UndecidedStatement } from "../model/Reported.ts"
import { Ledger } from "../ports/Ledger.ts"
import { StorageClock } from "../ports/StorageClock.ts"
import { LearnedRates, learnFrom } from "../routing/run/LearnedRates.ts"
import { asStorageError, decideAndCommit, done, isSameWrite, orLost, write } from "./DecideAndCommit.ts"
import { PaymentLocks } from "./PaymentLocks.ts"

interface Lookup {
  readonly connectionId: string
  /** What was found; `null` where the lookup did not answer, or found nothing. */
  readonly about: StatementAbout | null
  /** Epoch milliseconds, before the lookup began. */
  readonly askedAt: number
  /** The message that the lookup decides; operators review it where the lookup says nothing. */
  readonly decides?: UndecidedStatement
  /** `lookup` unless set. */
  readonly via?: "lookup" | "answer"
}

interface WeighedLookup extends Lookup {
  readonly agesFrom: number | null
}

/** Gives the book as it is afterwards. `asked`: the book as it was read before the lookup began. */
export const recordLookup = Effect.fnUntraced(function* (asked: PaymentBook, made: Lookup) {
  const lookup = { ...made, agesFrom: (yield* StorageClock)?.agesFrom() ?? null }
  const ledger = yield* Ledger
  const learned = yield* LearnedRates
  const locks = yield* PaymentLocks
  const { id, tenant } = asked.payment
  const before = subjectOf(asked, lookup)
  const recorded = yield* decideAndCommit({
    withLock: locks.take(id),
    first: asked,
    decide: (book: PaymentBook, now, reused) => {
      const isOvertaken = subjectOf(book, lookup) !== before
      const stated = isOvertaken ? appliedLate(book, lookup, now) : appliedOf(book, lookup, now)
      const applied = stated && reused ? appliedWithout(book, stated, reused, now) : stated
      if (applied === undefined) return done({ book, learn: () => {} })
      const { payment, ...beside } = applied
      const step = { tenant, payment: movedPayment(book, payment), ...beside }
      return Effect.succeed(
        write(step, { book: bookAfter(book, applied), learn: () => learnFrom(learned, book, applied, now) })
      )
    },
    read: () => Effect.flatMap(ledger.book(tenant, id), orLost("recording a lookup")),
    afterUnknown: ({ payment }, step) => isSameWrite(payment, step),
    storageErrors: "fail"
  }).pipe(Effect.mapError(asStorageError("recording a lookup")))
  recorded.learn()
  return recorded.book
})

/** Another payment has the reference that was found. */
const appliedWithout = (
  book: PaymentBook,
  stated: Applied,
  reused: ReusedReference,
  now: number
): Applied | undefined => {
  const applied = withoutReused(book, stated.attempts, reused, now)
  return applied.events.length === 0 ? undefined : applied
}

/** `undefined` where nothing has to be written. */
const appliedOf = (
  book: PaymentBook,
  { about, agesFrom, askedAt, connectionId, decides, via = "lookup" }: WeighedLookup,
  now: number
): Applied | undefined => {
  const asked = { agesFrom, askedAt, via }
  if (decides === undefined) {
    const meaning = about === null ? undefined : interpret(book, connectionId, { about, at: null, ...asked }, now)
    return meaning !== undefined && "applied" in meaning ? meaning.applied : undefined
  }
  const cleared = withoutUndecided(book, decides)
  // What was found is recorded already.
  if (decides.about === "charge" && about !== null) return unchangedBook(cleared, now)
  // Without an answer about it from its account, operators review the message itself.
  const isAnswered = about !== null && about._tag !== "OtherAccount" && about._tag !== "AnotherAttempt"
  const meaning = !isAnswered ? undefined : interpret(cleared, connectionId, { about, at: decides.at, ...asked }, now)
  const isDecided = meaning !== undefined && meaning._tag !== "TooEarly" && meaning._tag !== "Malformed"
  const decided = isDecided ? meaning : leftUndecided(cleared, decides, now)
  return ("applied" in decided ? decided.applied : undefined) ?? unchangedBook(cleared, now)
}

/** As a statement that its provider does not date, of when the lookup began at the earliest. */
const appliedLate = (
  book: PaymentBook,
  { about, agesFrom, askedAt, connectionId }: WeighedLookup,
  now: number
): Applied | undefined => {
  if (about === null || !tellsOfMoney(book, connectionId, about)) return undefined
  const meaning = interpret(book, connectionId, { about, at: null, agesFrom, askedAt, via: "answer" }, now)
  return "applied" in meaning ? meaning.applied : undefined
}

const tellsOfMoney = (book: PaymentBook, connectionId: string, about: StatementAbout): boolean => {
  if (about._tag === "Operation") {
    const operation = book.operations.find(({ id }) => id === about.operationId)
    return operation?.kind === "capture" && about.state(operation.money)._tag === "OperationConfirmed"
  }
  const attempt = about._tag === "Charge" ? attemptNamed(book, connectionId, about.charge) : undefined
  if (about._tag !== "Charge" || attempt === undefined) return false
  const { _tag } = about.state(attempt.money)
  return _tag === "Authorized" || _tag === "Captured"
}

/** What the lookup is about, as it is recorded, and all that decides what it means. */
const subjectOf = (book: PaymentBook, { about, connectionId, decides }: Lookup): string => {
  const { attempts, operations, payment, refunds } = book
  const { reported } = payment
  // Another process may have decided it already.
  const asked = decides === undefined ? null : reported?.undecided
  if (about?._tag === "Refund") return JSON.stringify([asked, refunds.find(({ id }) => id === about.refundId)])
  if (about?._tag === "UnnamedRefund") return JSON.stringify([asked, payment.state, refunds, reported?.refundsByHand])
  const attempt = about !== null && "charge" in about ? attemptNamed(book, connectionId, about.charge) : attempts
  return JSON.stringify([asked, payment.state, attempt, operations])
}
