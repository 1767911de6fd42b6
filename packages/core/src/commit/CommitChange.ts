/**
 * The one place that writes a change: what becomes due with it, the book that is kept of it, and how long it is tried.
 */
import { Clock, Context, Effect, Random, Result, Schedule } from "effect"
import { checkedConnection, nextCheckAt } from "../decide/CheckSchedule.ts"
import { disputeCheckAt } from "../decide/DisputeReminders.ts"
import type { Attempt } from "../model/Attempt.ts"
import { spread } from "../model/Delivery.ts"
import { type Payment, refundableMinor } from "../model/Payment.ts"
import { bookAfter, type PaymentBook } from "../model/PaymentBook.ts"
import type { Tenant } from "../model/Tenant.ts"
import { type Change, type ClaimGuard, type CommitFailure, Ledger } from "../ports/Ledger.ts"
import { DeliverySettings, PaymentSettings } from "../ports/PaymentSettings.ts"
import { RecordLosses } from "../ports/RecordLoss.ts"
import { StorageHistory } from "../ports/StorageHistory.ts"
import { DeliveryWake } from "./WakeDelivery.ts"

/** A change as it is decided; when the payment is checked and its events are delivered follows from it. */
export type Step = Omit<Change, "attempts" | "checkAt" | "checkedConnection" | "deliverAt"> &
  Partial<Pick<Change, "attempts">>

/** The routing decision of the payment stores the declines of its attempts. */
const withoutDecline = ({ decline: _, ...attempt }: Attempt): Attempt => attempt

/** The change is made when this is called, and is to be sent at once. */
export const commitIn = (
  context: Context.Context<Ledger | DeliveryWake>,
  { attempts = [], ...decided }: Step
): Effect.Effect<void, CommitFailure> => {
  const { checkIntervals, claimWindowMillis } = Context.get(context, PaymentSettings)
  const now = Context.get(context, Clock.Clock).currentTimeMillisUnsafe()
  const { disputes, events, payment, refunds = [] } = decided
  const checkAt = nextCheckAt(payment.after, refunds, checkIntervals, claimWindowMillis, now)
  const change: Change = {
    ...decided,
    attempts: attempts.map(withoutDecline),
    checkAt,
    checkedConnection: checkAt === null ? null : checkedConnection(payment.after),
    ...(disputes && {
      disputes: disputes.map((dispute) => ({
        ...dispute,
        checkAt: disputeCheckAt(dispute, checkIntervals, claimWindowMillis, now)
      }))
    }),
    ...(events.length > 0 && { deliverAt: now + firstDelay(context) })
  }
  const keep = keeping(context, change, now)
  return Effect.map(Context.get(context, Ledger).commit(change), (isDelivered) => {
    keep()
    if (isDelivered) Context.get(context, DeliveryWake).wake()
  })
}

/** Until the events are delivered, in milliseconds. */
const firstDelay = (context: Context.Context<never>): number => {
  const [delay = 0] = Context.get(context, DeliverySettings).scheduleMillis
  return delay === 0 ? 0 : spread(delay, Context.get(context, Random.Random).nextDoubleUnsafe())
}

export const claimGuard = ({ afterRestore }: PaymentSettings, key: ClaimGuard["key"]): ClaimGuard => ({
  refusesMissing: afterRestore === "refuse",
  key
})

// The books that this process wrote last. A capture, a void or a refund may be decided on one without a read, because the
// store compares the version of what is written. Nothing is answered, shown or refused by one (`commitOnKept`). A kept
// book is a copy, and who decides on it takes it out. Only a commit that succeeded puts another one in its place.

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
const keeping = (context: Context.Context<never>, change: Change, at: number) => {
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

// How often and for how long a store is asked again: as long as a client waits.

/** Past this many tries something is wrong, however often other writers come first. */
const triesAtMost = 20
/** From the first try on. Only the second begins after it: a process that froze still holds what a provider said. */
const budgetMillis = 3_000
const firstPauseMillis = 50

/** When the chain of tries that this work belongs to is over, in epoch milliseconds. */
const ChainEnd = Context.Reference<number | undefined>("pointsman/payment/ChainEnd", { defaultValue: () => undefined })

export interface Budget {
  /** Epoch milliseconds. */
  readonly endsAt: number
  tries: number
  pauseMillis: number
}

/** For a loop whose first try begins now. */
export const newBudget = (context: Context.Context<never>): Budget => {
  const endsAt =
    Context.get(context, ChainEnd) ?? Context.get(context, Clock.Clock).currentTimeMillisUnsafe() + budgetMillis
  return { endsAt, tries: 1, pauseMillis: firstPauseMillis }
}

/** What is run with it ends when it does: a loop inside a loop gets no more. */
export const inBudget = <A, E, R>({ endsAt }: Budget, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(work, ChainEnd, endsAt)

/** Whether there may be another try. With `pauses` it waits first, each time twice as long, never past the end. */
export const another = Effect.fnUntraced(function* (budget: Budget, pauses: boolean) {
  const left = budget.endsAt - (yield* Clock.currentTimeMillis)
  const isSpent = budget.tries > 1 && left <= 0
  if (budget.tries >= triesAtMost || isSpent) return false
  budget.tries += 1
  if (!pauses) return true
  yield* Effect.sleep(Math.min(budget.pauseMillis, Math.max(left, 0)))
  budget.pauseMillis *= 2
  return true
})

/** For writes that may be sent twice: again for as long as a client waits. */
export const withRetries = <A, E, R>(
  step: Effect.Effect<A, E, R>,
  isWorthIt: (failure: E) => boolean = () => true
): Effect.Effect<A, E, R> =>
  Effect.retry(step, { schedule: Schedule.exponential(firstPauseMillis), times: 6, while: isWorthIt })
