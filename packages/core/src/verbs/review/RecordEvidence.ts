/**
 * An operator read the provider's record, and states what it says. Their evidence, what follows from it and its events
 * are one commit; nothing is asked of the provider. Where the workspace's four eyes ask for a second person, the
 * statement is stored on the payment as a proposal instead, and nothing else changes. The background may settle the
 * same payment meanwhile. The statement is decided again on what is stored then, and refused where it no longer fits.
 */
import { Effect, Result, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { asStorageError, type Conflict, decideAndCommit, done, write } from "../../commit/DecideAndCommit.ts"
import { type Lock, PaymentLocks } from "../../commit/PaymentLocks.ts"
import { amountAtStake, applyEvidence, evidenceEvent, targetOf } from "../../decide/OperatorEvidence.ts"
import { unnamed, withoutReused } from "../../decide/ReusedReference.ts"
import { withProposal } from "../../decide/WithReview.ts"
import { type Correction, isSamePerson, openCorrection, type Person } from "../../model/Correction.ts"
import type { Event } from "../../model/Event.ts"
import type { Evidence, OperatorStatement } from "../../model/OperatorStatement.ts"
import { movedPayment, type PaymentBook, type ReusedReference } from "../../model/PaymentBook.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { type FourEyes, needsSecondPerson } from "../../model/Workspace.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { StorageClock } from "../../ports/StorageClock.ts"
import { PaymentNotFound } from "../read/ReadArchive.ts"
import { eventsAtMost } from "./ReadReviews.ts"
import { fourEyesOf, knownPerson } from "./SecondPerson.ts"

export interface ResolveReviewOrder extends Evidence {
  readonly tenant: Tenant
  readonly paymentId: string
  readonly stated: OperatorStatement
  /** Who that is, for four eyes; a statement that needs a second person is refused without it. */
  readonly person?: Person | undefined
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
  field: Schema.Literals(["stated", "evidence", "by", "amountMinor", "fileHash", "providerReference"]),
  reason: Schema.String
}) {}

/** Unicode code points. */
const longestEvidence = 2000
const longestName = 120
const longestReference = 255
const fileHashShape = /^[0-9a-f]{64}$/u

/** Returns the payment afterwards; where four eyes apply, with the proposal (`openCorrection`). */
export const resolveReview = Effect.fnUntraced(function* (order: ResolveReviewOrder) {
  yield* checkOrder(order)
  const limits = yield* fourEyesOf(order.tenant.workspaceId)
  const proposer = limits === undefined ? undefined : yield* proposerOf(order)
  const locks = yield* PaymentLocks
  return yield* decideAndWrite(order, { limits, proposer }, locks.take(order.paymentId))
})

const refused = (field: StatementRefused["field"], reason: string) => new StatementRefused({ field, reason })

/** `undefined` where the operator is not named: enough for amounts below the limit. */
const proposerOf = Effect.fnUntraced(function* ({ person, tenant }: ResolveReviewOrder) {
  if (person === undefined) return undefined
  const known = yield* knownPerson(person, "review.resolve", tenant.workspaceId)
  return yield* Effect.mapError(Effect.fromResult(known), (reason) => refused("by", reason))
})

const isText = (text: string, longest: number) => text.trim() !== "" && [...text].length <= longest

const checkOrder = Effect.fnUntraced(function* (order: ResolveReviewOrder) {
  const { by, evidence, fileHash, providerReference, stated } = order
  if (!isText(evidence, longestEvidence)) {
    return yield* refused("evidence", `expected text of 1 to ${longestEvidence} characters`)
  }
  if (!isText(by, longestName)) return yield* refused("by", `expected a name of 1 to ${longestName} characters`)
  if (fileHash !== undefined && !fileHashShape.test(fileHash)) {
    return yield* refused("fileHash", "expected the SHA-256 of a file: 64 lower-case hexadecimal digits")
  }
  if (providerReference !== undefined && !isText(providerReference, longestReference)) {
    return yield* refused("providerReference", `expected text of 1 to ${longestReference} characters`)
  }
  const isAmount = stated._tag !== "Charge" || stated.amountMinor === null || isMinorUnits(stated.amountMinor)
  if (!isAmount) return yield* refused("amountMinor", "expected a whole number of minor units above 0")
})

const isMinorUnits = (amount: number): boolean => Number.isSafeInteger(amount) && amount > 0

export const takesMoney = (stated: OperatorStatement): boolean =>
  stated._tag === "Charge" && (stated.says === "captured" || stated.says === "authorized")

export const sharedWith = ({ paymentId, providerRef }: ReusedReference): string =>
  `the provider's reference ${providerRef} belongs to payment ${paymentId}`

interface Read {
  readonly book: PaymentBook
  /** The timeline, where the statement may be on it. */
  readonly told: ReadonlyArray<Event>
}

/** The record is not the one that the operator read. */
const isStale = ({ payment }: PaymentBook, basedOn: ReadRecord | undefined): boolean =>
  basedOn !== undefined && basedOn.version !== payment.version

const evidenceFields = ["reviewed_by", "evidence", "evidence_sha256", "evidence_reference", "finding"]

/** Whether two notes of evidence say the same, whatever became of the payment since. */
const isSameEvidence = (a: Pick<Event, "data" | "type">, b: Pick<Event, "data" | "type">): boolean =>
  a.type === b.type && evidenceFields.every((name) => JSON.stringify(a.data[name]) === JSON.stringify(b.data[name]))

const evidenceOf = ({ by, evidence, fileHash, providerReference }: ResolveReviewOrder): Evidence => ({
  evidence,
  by,
  ...(fileHash === undefined ? {} : { fileHash }),
  ...(providerReference === undefined ? {} : { providerReference })
})

/** How many people a statement takes. */
interface Eyes {
  readonly limits: FourEyes | undefined
  readonly proposer: Person | undefined
}

const isSameProposal = (open: Correction, order: ResolveReviewOrder, proposer: Person | undefined): boolean =>
  proposer !== undefined &&
  isSamePerson(open.proposedBy, proposer) &&
  JSON.stringify([open.stated, { ...open.evidence, by: "" }]) ===
    JSON.stringify([order.stated, { ...evidenceOf(order), by: "" }])

/** The payment with the proposal, and nothing else of it changed. */
const propose = Effect.fnUntraced(function* (
  book: PaymentBook,
  order: ResolveReviewOrder,
  proposedBy: Person,
  now: number
) {
  const { payment } = book
  const correction: Correction = {
    id: `cor_${yield* (yield* SecureRandom.SecureRandom).uuidV7()}`,
    state: "proposed",
    stated: order.stated,
    target: targetOf(book, order.stated),
    evidence: { ...evidenceOf(order), by: proposedBy.name },
    proposedBy,
    proposedAt: now,
    version: payment.version,
    decision: null
  }
  const after = withProposal(payment, correction, now)
  const step = { tenant: payment.tenant, payment: movedPayment(book, after), events: [] }
  return write(step, after)
})

const decideAndWrite = (order: ResolveReviewOrder, { limits, proposer }: Eyes, withLock: Lock) =>
  Effect.gen(function* () {
    const { basedOn, paymentId, stated, tenant } = order
    const seen = evidenceOf(order)
    const ledger = yield* Ledger
    const clock = yield* StorageClock
    return yield* decideAndCommit({
      withLock,
      read: Effect.fnUntraced(function* (conflict: Conflict) {
        const book = yield* Effect.fromOption(yield* ledger.book(tenant, paymentId), () => new PaymentNotFound())
        // Others may have moved the payment on since: where it was written, the timeline says so.
        const mayBeOurs = conflict._tag === "Unanswered" || isStale(book, basedOn)
        const since = { after: basedOn?.lastEventId, limit: eventsAtMost }
        const told = mayBeOurs ? yield* ledger.timeline(tenant, paymentId, since) : []
        return { book, told } satisfies Read
      }),
      decide: Effect.fnUntraced(function* ({ book, told }: Read, now, reused) {
        const open = openCorrection(book.payment)
        if (open !== undefined) {
          if (isSameProposal(open, order, proposer)) return done(book.payment)
          return yield* refused(
            "stated",
            "a correction or a refund of it is proposed: approve, reject or withdraw that one first"
          )
        }
        if (isStale(book, basedOn)) {
          const ours = evidenceEvent(book.payment, stated, seen)
          if (told.some((event) => isSameEvidence(event, ours))) return done(book.payment)
          return yield* refused(
            "stated",
            "the payment has changed since its record was read: compare the record with the provider's again"
          )
        }
        const applied = applyEvidence(book, stated, seen, { now, agesFrom: clock?.agesFrom() ?? null })
        if (Result.isFailure(applied)) return yield* refused("stated", applied.failure)
        if (needsSecondPerson(limits, amountAtStake(book, stated))) {
          if (proposer === undefined) return yield* refused("by", secondPersonNeeded)
          return yield* propose(book, order, proposer, now)
        }
        const { attempts, payment, ...beside } = applied.success
        if (reused !== undefined && takesMoney(stated)) {
          const refusal = withoutReused(book, attempts, reused, now)
          // Both payments are reviewed for it already.
          if (refusal.events.length === 0) return yield* refused("stated", sharedWith(reused))
          const events = [evidenceEvent(refusal.payment, stated, seen), ...refusal.events]
          const reviewed = movedPayment(book, refusal.payment)
          return write({ tenant, payment: reviewed, attempts: refusal.attempts, events }, refusal.payment)
        }
        const named = reused === undefined ? attempts : unnamed(attempts, reused)
        const step = { tenant, payment: movedPayment(book, payment), attempts: named, ...beside }
        return write(step, payment)
      }),
      // A proposal that was written is found by the next decision.
      afterUnknown: ({ told }: Read, { events: [note] = [] }) =>
        note !== undefined &&
        told.some(
          ({ createdAt, data }) => createdAt === note.createdAt && JSON.stringify(data) === JSON.stringify(note.data)
        ),
      storageErrors: "fail"
    })
  }).pipe(
    Effect.catchTag("Contended", () =>
      Effect.fail(refused("stated", "concurrent updates of the payment prevented the write: read the payment again"))
    ),
    Effect.mapError(asStorageError("resolving a review"))
  )

const secondPersonNeeded =
  "an amount like this needs a second person (four eyes): state it as an operator who signed in, so that the one who " +
  "approves it is surely another"
