/**
 * Records what a provider's record says, looked up.
 *
 * The rule that a reader would otherwise break: a lookup says what was so when it was made. Where its subject has moved
 * since, what it says may be the older of the two, and nothing is written: the next lookup is made on what is stored.
 */
import { Effect, Option } from "effect"
import { bookAfter } from "../decide/Applied.ts"
import { attemptNamed, interpret } from "../decide/interpret/Interpret.ts"
import type { StatementAbout } from "../decide/interpret/Statement.ts"
import type { PaymentBook } from "../model/PaymentBook.ts"
import { Ledger } from "../ports/Ledger.ts"
import { StorageError } from "../ports/StorageError.ts"
import { LearnedRates } from "../routing/run/LearnedRates.ts"
import { decideAndCommit, done, write } from "./DecideAndCommit.ts"
import { learnFrom } from "./LearnFrom.ts"
import { Turns } from "./Turns.ts"

export interface Lookup {
  readonly connectionId: string
  readonly about: StatementAbout
  /** Epoch milliseconds, before the lookup began. */
  readonly askedAt: number
}

/** Gives the book as it is afterwards. `asked`: the book as it was read before the lookup began. */
export const recordLookup = Effect.fnUntraced(function* (asked: PaymentBook, { about, askedAt, connectionId }: Lookup) {
  const ledger = yield* Ledger
  const learned = yield* LearnedRates
  const turns = yield* Turns
  const { id, tenant } = asked.payment
  const gaveUp = (cause: unknown) => new StorageError({ operation: "recording a lookup", cause })
  const before = subjectOf(asked, connectionId, about)
  const recorded = yield* decideAndCommit({
    inTurn: turns.take(id),
    first: asked,
    decide: (book: PaymentBook, now) => {
      if (subjectOf(book, connectionId, about) !== before) return Effect.succeed(done({ book, learn: () => {} }))
      const meaning = interpret(book, connectionId, { courier: "lookup", about, at: null, askedAt }, now)
      const applied = "applied" in meaning ? meaning.applied : undefined
      if (applied === undefined) return Effect.succeed(done({ book, learn: () => {} }))
      const { payment, ...beside } = applied
      const step = { tenant, payment: { expected: book.payment.version, after: payment }, ...beside }
      return Effect.succeed(
        write(step, { book: bookAfter(book, applied), learn: () => learnFrom(learned, book, applied, now) })
      )
    },
    read: () =>
      Effect.flatMap(
        ledger.book(tenant, id),
        Option.match({ onNone: () => Effect.fail(gaveUp("the payment is not stored")), onSome: Effect.succeed })
      ),
    afterUnknown: ({ payment }, { payment: { after } }) =>
      payment.version === after.version && payment.state === after.state && payment.updatedAt === after.updatedAt,
    storageErrors: "fail"
  }).pipe(Effect.mapError((failure) => (failure._tag === "NotWritten" ? failure.cause : gaveUp(failure))))
  recorded.learn()
  return recorded.book
})

/** What the lookup is about, as it is recorded, and all that decides what it means. */
const subjectOf = (book: PaymentBook, connectionId: string, about: StatementAbout): string => {
  if (about._tag === "Refund") return JSON.stringify(book.refunds.find(({ id }) => id === about.refundId))
  const { attempts, operations, payment } = book
  const attempt = about._tag === "Operation" ? attempts : attemptNamed(book, connectionId, about.charge)
  return JSON.stringify([payment.state, attempt, operations])
}
