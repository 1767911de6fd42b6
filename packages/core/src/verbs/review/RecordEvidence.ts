/**
 * An operator read the provider's record, and states what it says (specification, `UNKNOWN`). Their evidence, what
 * follows from it and its events are one commit; nothing is asked of the provider.
 *
 * The rule that a reader would otherwise break: the background may settle the same payment meanwhile. The statement is
 * decided again on what is stored then, and refused where it no longer fits.
 */
import { Effect, Option, Result, Schema } from "effect"
import { type Conflict, decideAndCommit, done, write } from "../../commit/DecideAndCommit.ts"
import { type Turn, Turns } from "../../commit/Turns.ts"
import { applyEvidence, type Evidence, evidenceEvent, type OperatorStatement } from "../../decide/OperatorEvidence.ts"
import { unnamed, withoutReused } from "../../decide/ReusedReference.ts"
import type { ReusedReference } from "../../model/ChargeReference.ts"
import type { Event } from "../../model/Event.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { StorageClock } from "../../ports/StorageClock.ts"
import { StorageError } from "../../ports/StorageError.ts"
import { PaymentNotFound } from "../read/ReadArchive.ts"
import { eventsAtMost } from "./ReadReviews.ts"

export interface ResolveReviewOrder extends Evidence {
  readonly tenant: Tenant
  readonly paymentId: string
  readonly stated: OperatorStatement
  /**
   * The record that the operator compared with the provider's. Where the payment has moved on since, the statement is
   * refused; where this very statement moved it, the payment is returned. So a repeated order is written once.
   */
  readonly basedOn?: ReadRecord | undefined
}

/** A payment's record as an operator read it. */
export interface ReadRecord {
  /** The payment's. */
  readonly version: number
  /** The last event of its timeline. */
  readonly lastEventId: string
}

/** The statement cannot be written; nothing was. `field`: of the order, as it names it. */
export class StatementRefused extends Schema.TaggedError<StatementRefused>()("pointsman/StatementRefused", {
  field: Schema.Literals(["stated", "evidence", "by", "amountMinor"]),
  reason: Schema.String
}) {}

/** Unicode code points. */
const longestEvidence = 2000
const longestName = 120

/** Returns the payment afterwards. */
export const resolveReview = Effect.fnUntraced(function* (order: ResolveReviewOrder) {
  yield* checkOrder(order)
  const turns = yield* Turns
  return yield* decideAndWrite(order, turns.take(order.paymentId))
})

const checkOrder = Effect.fnUntraced(function* ({ by, evidence, stated }: ResolveReviewOrder) {
  const isText = (text: string, longest: number) => text.trim() !== "" && [...text].length <= longest
  if (!isText(evidence, longestEvidence)) {
    return yield* new StatementRefused({
      field: "evidence",
      reason: `expected text of 1 to ${longestEvidence} characters`
    })
  }
  if (!isText(by, longestName)) {
    return yield* new StatementRefused({ field: "by", reason: `expected a name of 1 to ${longestName} characters` })
  }
  const isAmount = stated._tag !== "Charge" || stated.amountMinor === null || isMinorUnits(stated.amountMinor)
  if (!isAmount) {
    return yield* new StatementRefused({
      field: "amountMinor",
      reason: "expected a whole number of minor units above 0"
    })
  }
})

const isMinorUnits = (amount: number): boolean => Number.isSafeInteger(amount) && amount > 0

const takesMoney = (stated: OperatorStatement): boolean =>
  stated._tag === "Charge" && (stated.says === "captured" || stated.says === "authorized")

const sharedWith = ({ paymentId, providerRef }: ReusedReference): string =>
  `the provider's reference ${providerRef} belongs to payment ${paymentId}`

interface Read {
  readonly book: PaymentBook
  /** The timeline, where the statement may be on it. */
  readonly told: ReadonlyArray<Event>
}

/** The record is not the one that the operator read. */
const isStale = ({ payment }: PaymentBook, basedOn: ReadRecord | undefined): boolean =>
  basedOn !== undefined && basedOn.version !== payment.version

/** Whether two notes of evidence say the same, whatever became of the payment since. */
const isSameEvidence = (a: Pick<Event, "data" | "type">, b: Pick<Event, "data" | "type">): boolean =>
  a.type === b.type &&
  ["reviewed_by", "evidence", "finding"].every((name) => JSON.stringify(a.data[name]) === JSON.stringify(b.data[name]))

const decideAndWrite = ({ basedOn, by, evidence, paymentId, stated, tenant }: ResolveReviewOrder, inTurn: Turn) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const clock = yield* StorageClock
    return yield* decideAndCommit({
      inTurn,
      read: Effect.fnUntraced(function* (conflict: Conflict) {
        const book = Option.getOrUndefined(yield* ledger.book(tenant, paymentId))
        if (book === undefined) return yield* new PaymentNotFound()
        // Others may have moved the payment on since: where it was written, the timeline says so.
        const mayBeOurs = conflict._tag === "Unanswered" || isStale(book, basedOn)
        const since = { after: basedOn?.lastEventId, limit: eventsAtMost }
        const told = mayBeOurs ? yield* ledger.timeline(tenant, paymentId, since) : []
        return { book, told } satisfies Read
      }),
      decide: Effect.fnUntraced(function* ({ book, told }: Read, now, reused) {
        if (isStale(book, basedOn)) {
          const ours = evidenceEvent(book.payment, stated, { by, evidence })
          if (told.some((event) => isSameEvidence(event, ours))) return done(book.payment)
          return yield* new StatementRefused({
            field: "stated",
            reason: "the payment has changed since its record was read: compare the record with the provider's again"
          })
        }
        const applied = applyEvidence(book, stated, { by, evidence }, { now, agesFrom: clock?.agesFrom() ?? null })
        if (Result.isFailure(applied)) return yield* new StatementRefused({ field: "stated", reason: applied.failure })
        const { attempts, payment, ...beside } = applied.success
        if (reused !== undefined && takesMoney(stated)) {
          const refused = withoutReused(book, attempts, reused, now)
          // Both payments are reviewed for it already.
          if (refused.events.length === 0) {
            return yield* new StatementRefused({ field: "stated", reason: sharedWith(reused) })
          }
          const events = [evidenceEvent(refused.payment, stated, { by, evidence }), ...refused.events]
          const reviewed = { expected: book.payment.version, after: refused.payment }
          return write({ tenant, payment: reviewed, attempts: refused.attempts, events }, refused.payment)
        }
        const named = reused === undefined ? attempts : unnamed(attempts, reused)
        const step = { tenant, payment: { expected: book.payment.version, after: payment }, attempts: named, ...beside }
        return write(step, payment)
      }),
      afterUnknown: ({ told }: Read, { events: [note] }) =>
        told.some(
          ({ createdAt, data }) => createdAt === note?.createdAt && JSON.stringify(data) === JSON.stringify(note?.data)
        ),
      storageErrors: "fail"
    })
  }).pipe(
    Effect.mapError((failure) => {
      switch (failure._tag) {
        case "NotWritten":
          return failure.cause
        case "MaybeWritten":
          return new StorageError({ operation: "resolving a review", cause: failure.cause })
        case "Contended":
        case "pointsman/ApiKeyRevoked":
          return new StatementRefused({
            field: "stated",
            reason: "concurrent updates of the payment prevented the write: read the payment again"
          })
        default:
          return failure
      }
    })
  )
