/**
 * The books that this process wrote last. A capture, a void or a refund may be decided on one without a read, because the
 * store compares the version of what is written. Nothing is answered, shown or refused by one (`commitOnKept`). A kept
 * book is a copy, and who decides on it takes it out. Only a commit that succeeded puts another one in its place.
 */
import { Clock, Context, Effect, Result } from "effect"
import type { Payment } from "../model/Payment.ts"
import { bookAfter, type PaymentBook } from "../model/PaymentBook.ts"
import { refundableMinor } from "../model/Refund.ts"
import type { Tenant } from "../model/Tenant.ts"
import type { Change } from "../ports/Ledger.ts"
import { RecordLosses } from "../ports/RecordLoss.ts"
import { StorageHistory } from "../ports/StorageHistory.ts"

/** Some ten megabytes. */
const booksAtMost = 1_000
/** Longer books are read: a payment has hundreds of partial refunds, each with its stored response. */
const entriesAtMost = 20
/** A shop that captures at once does so within seconds; a later capture costs one read more. */
const ageMillis = 60_000

interface Kept {
  readonly book: PaymentBook
  /** Epoch milliseconds: when its commit was sent. */
  readonly at: number
}

/** By payment, those that were written last at the end. */
type Books = Map<string, Kept>

/** Of one process; without it nothing is kept. */
export const KeptBooks = Context.Reference<Books | undefined>("pointsman/commit/KeptBooks", {
  defaultValue: () => undefined
})

export const makeKeptBooks = (): Books => new Map()

/** Called before a commit is sent (epoch milliseconds). Gives what keeps the book that it wrote, for where it succeeds. */
export const keeping = (context: Context.Context<never>, change: Change, at: number) => {
  const books = Context.get(context, KeptBooks)
  books?.delete(change.payment.after.id)
  return (): void => {
    if (books !== undefined) keep(books, change, at)
  }
}

const keep = (books: Books, change: Change, at: number): void => {
  const { after, before, expected } = change.payment
  if (!mayBeOperated(after) || (before === undefined && expected > 0)) return
  const book = bookAfter(before, { ...change, payment: after })
  if (book.attempts.length + book.operations.length + book.refunds.length > entriesAtMost) return
  // Callers have the records as well, and may change them. What cannot be copied is read.
  const copy = Result.try(() => copied(book))
  if (Result.isSuccess(copy)) books.set(after.id, { book: copy.success, at })
  for (const [id, kept] of books) {
    if (books.size <= booksAtMost && !isOld(kept, at)) break
    books.delete(id)
  }
}

/** Lists and records of plain values, in a fifth of the time of `structuredClone`. Throws where something else is in them. */
const copied = <A>(value: A): A => {
  if (typeof value === "function") throw new TypeError("expected no function")
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(copied) as A
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== null && prototype !== Object.prototype) throw new TypeError("expected plain records")
  const copy = { ...value }
  for (const key in copy) copy[key] = copied(copy[key])
  return copy
}

/** Every payment is read from now on, until it is written. */
export const dropKept = (context: Context.Context<never>): void => Context.get(context, KeptBooks)?.clear()

/** What else is written follows a provider's answer, and has its book in hand. */
const mayBeOperated = (payment: Payment): boolean => payment.state === "Authorized" || refundableMinor(payment) > 0

const isOld = ({ at }: Kept, now: number): boolean => now - at >= ageMillis

/** Takes out the book of a payment of the tenant; `undefined` where it is to be read. */
export const takeKept = (tenant: Tenant, paymentId: string) =>
  Effect.contextWith((context: Context.Context<RecordLosses>) => {
    const books = Context.get(context, KeptBooks)
    const kept = books?.get(paymentId)
    if (books === undefined || kept === undefined || !isOf(tenant, kept.book.payment)) return Effect.undefined
    books.delete(paymentId)
    const isEarlier = kept.book.payment.version < Context.get(context, StorageHistory).firstVersion()
    if (isEarlier || isOld(kept, Context.get(context, Clock.Clock).currentTimeMillisUnsafe())) return Effect.undefined
    return Effect.map(Context.get(context, RecordLosses).known, (loss) =>
      loss !== null && loss.declaredAt >= kept.at ? undefined : kept.book
    )
  })

const isOf = (tenant: Tenant, { tenant: owner }: Payment): boolean =>
  owner.workspaceId === tenant.workspaceId && owner.environment === tenant.environment
