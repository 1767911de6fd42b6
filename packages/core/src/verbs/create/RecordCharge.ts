/**
 * The last commit of a charge: its outcome, the events, the stored answer. Once a provider may have been asked, a store
 * that fails is no reason to say that nothing happened. What cannot be recorded is `PaymentResultUnknown`.
 */
import { Effect, Option, Redacted, Result } from "effect"
import { decideAndCommit, done, write } from "../../commit/DecideAndCommit.ts"
import {
  applyChargeFact,
  type ChargeFact,
  lastFact,
  type Moved,
  tellsOfMoney,
  unexecutedFact,
  withRouting,
  withSkipped
} from "../../decide/ChargeFact.ts"
import { NothingSent, PaymentResultUnknown } from "../../decide/CreateRequest.ts"
import { interpret } from "../../decide/interpret/Interpret.ts"
import { withoutReused } from "../../decide/ReusedReference.ts"
import {
  type Attempt,
  type AttemptEnd,
  abandonAttempt,
  checkoutUrlContext,
  endAttempt,
  untakenAttempt
} from "../../model/Attempt.ts"
import { type Claim, moveClaim } from "../../model/Claim.ts"
import type { ClaimEvent } from "../../model/ClaimMachine.ts"
import type { Connection } from "../../model/Connection.ts"
import type { Payment } from "../../model/Payment.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import type { ChargeEnd, ChargeState, CheckoutOpened } from "../../model/ProviderStatement.ts"
import { type Change, Ledger } from "../../ports/Ledger.ts"
import { Secrets } from "../../ports/Secrets.ts"
import { isSameCount } from "../../ports/StorageHistory.ts"

/** The progress of a charge: what is stored, and the attempt that is about to be sent or was sent. */
export interface ChargeInHand {
  readonly payment: Payment
  /** `null` for a request without a key. */
  readonly claim: Claim | null
  readonly connection: Connection
  readonly attempt: Attempt
  /** The book as this process wrote it just now; absent where that is not known. */
  readonly book?: PaymentBook | undefined
  /** The attempts before it; all of them executed nothing. */
  readonly earlier: ReadonlyArray<Attempt>
}

/** Nothing follows the attempt in hand: its result is the outcome of the charge. */
export const recordEnd = (inHand: ChargeInHand, end: AttemptEnd, now: number) => {
  if (end._tag === "CheckoutOpened") return recordCheckout(inHand, end, now)
  const attempt = endAttempt(inHand.attempt, end, now)
  const fact = lastFact(inHand.payment, inHand.earlier, attempt, end)
  const after: Attempt = fact.on === "MismatchStated" ? { ...attempt, outcome: "Mismatched" } : attempt
  return recordPayment(inHand, after, fact, [], isStated(end) ? end : undefined)
}

/** The end of the step that takes an approved checkout's money. Where nothing was executed, it is taken again. */
export const recordCompletion = (inHand: ChargeInHand, end: ChargeEnd, now: number) =>
  isUntaken(end)
    ? recordPayment(inHand, untakenAttempt(inHand.attempt, now), { on: "CheckoutApproved" })
    : recordEnd(inHand, end, now)

/** Whether the step that takes the money of a checkout certainly executed nothing, and is no word about the payment. */
export const isUntaken = (end: ChargeEnd): boolean => end._tag === "pointsman/NotSent" || end._tag === "Rejected"

/** What a provider says of the charge itself. */
const isStated = (end: ChargeEnd): end is ChargeState =>
  end._tag !== "pointsman/NotSent" && end._tag !== "pointsman/Unanswered" && end._tag !== "Rejected"

/** No attempt executed anything. `unsent` are attempts that may be stored and were never sent. */
export const recordUnexecuted = (inHand: ChargeInHand, after: Attempt, unsent: ReadonlyArray<Attempt> = []) =>
  recordPayment(inHand, after, unexecutedFact([...inHand.earlier, after]), unsent)

/** The provider's page is open: the customer pays there, and a lookup finds the result. */
const recordCheckout = Effect.fnUntraced(function* (inHand: ChargeInHand, opened: CheckoutOpened, now: number) {
  const secrets = yield* Secrets
  const { expiresAt, reference, url } = opened
  const sealedUrl = yield* Effect.mapError(
    secrets.seal(Redacted.make(url), checkoutUrlContext(inHand.attempt.id)),
    // The page is open at the provider, and the record does not have it: a lookup tells what came of it.
    (cause) => new PaymentResultUnknown({ paymentId: inHand.payment.id, cause })
  )
  const attempt = { ...endAttempt(inHand.attempt, opened, now), checkout: { reference, sealedUrl, expiresAt } }
  return yield* recordPayment(inHand, attempt, { on: "CheckoutOpened", isEndless: opened.expiresAt === null })
})

/**
 * Nothing may be sent on the claim any more, and nothing was: the key is free again, and the request may be sent again.
 * Where a retry has answered the key meanwhile, that response is kept, and the payment is returned.
 */
export const abandon = Effect.fnUntraced(function* (inHand: ChargeInHand) {
  const recorded = yield* record(inHand, [abandonAttempt(inHand.attempt)], { on: "ChargeAbandoned" })
  if (recorded.isAbandoned) return yield* new NothingSent({ cause: "nothing was sent on the claim" })
  return recorded.payment
})

/** As `abandon`, where the request will not be sent again: returns the failed payment. */
export const abandonForGood = (inHand: ChargeInHand) =>
  recordPayment(inHand, abandonAttempt(inHand.attempt), { on: "ChargeAbandoned" })

/** Records a fact, however often other writers come first, and gives the payment as it is answered. */
const recordPayment = (
  inHand: ChargeInHand,
  attempt: Attempt,
  fact: ChargeFact,
  unsent: ReadonlyArray<Attempt> = [],
  stated?: ChargeState
) => Effect.map(record(inHand, [attempt, ...unsent], fact, stated), ({ payment }) => payment)

const record = (inHand: ChargeInHand, ended: ReadonlyArray<Attempt>, fact: ChargeFact, stated?: ChargeState) => {
  const { id, tenant } = inHand.payment
  const unknown = (cause: unknown) => new PaymentResultUnknown({ paymentId: id, cause })
  const recorded = decideAndCommit({
    first: { payment: inHand.payment, attempts: inHand.earlier, claim: inHand.claim, book: inHand.book },
    decide: ({ attempts, book: before, claim, payment: stored }, now, reused) => {
      if (wasAbandoned(fact, stored, claim)) return done({ payment: stored, isAbandoned: true })
      if (isForgotten(fact, stored)) return done({ payment: stored, isAbandoned: false })
      const earlier = earlierOf(attempts, inHand)
      const book = { payment: stored, attempts: [...earlier, ...ended] }
      const refused = reused === undefined ? undefined : withoutReused(book, ended, reused, now)
      const { moved, isAsStated } =
        refused === undefined ? decide(stored, inHand, fact, stated, now) : { moved: refused, isAsStated: false }
      const told = refused?.attempts ?? ended
      const isReported = isLessSpecific(stored, inHand, fact)
      const after = withSkipped(moved.payment, inHand.payment.routing?.skipped ?? [])
      const payment = isReported ? after : withRouting(after, [...earlier, ...told])
      const isAbandoned = isAsStated && fact.on === "ChargeAbandoned" && (claim === null || claim.state === "Claimed")
      const answered = answerClaim(claim, isAbandoned ? "RequestAbandoned" : "RequestAnswered", payment, now)
      const step = {
        tenant,
        payment: { expected: stored.version, before, after: payment },
        attempts: isReported ? [] : [...lostAttemptsOf(attempts, earlier), ...told],
        events: moved.events,
        claim: claimChange(claim, answered)
      }
      return write(step, { payment, isAbandoned })
    },
    read: () =>
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const book = yield* Effect.fromOption(yield* ledger.book(tenant, id), () =>
          unknown("the payment is not stored")
        )
        const { attempts, payment: stored } = book
        const standing = inHand.claim === null ? Option.none() : yield* ledger.claim(tenant, inHand.claim.key)
        // A key that was freed since may belong to another request by now: we must not write its response any more.
        const claim = Option.getOrNull(Option.filter(standing, ({ paymentId }) => paymentId === stored.id))
        return { payment: stored, attempts, claim, book }
      }),
    afterUnknown: ({ payment }, step) => isSameWrite(payment, step.payment.after),
    storageErrors: "retry"
  })
  return Effect.mapError(recorded, (failure) =>
    failure._tag === "pointsman/PaymentResultUnknown" ? failure : unknown(failure)
  )
}

/** As they are stored, because a message may have told more of one meanwhile; one without an end there is as we have it. */
const earlierOf = (stored: ReadonlyArray<Attempt>, { earlier }: ChargeInHand): ReadonlyArray<Attempt> =>
  earlier.map((ours) => stored.find(({ id, outcome }) => id === ours.id && !isOpen(outcome)) ?? ours)

const isOpen = (outcome: Attempt["outcome"]): boolean => outcome === null || outcome === "Unanswered"

/** Earlier attempts whose ends the store lost. Each executed nothing, or no other one had followed. */
const lostAttemptsOf = (stored: ReadonlyArray<Attempt>, earlier: ReadonlyArray<Attempt>): ReadonlyArray<Attempt> =>
  earlier.filter((one) => !stored.includes(one))

/** The effect of a fact on the current payment. */
const decide = (
  stored: Payment,
  inHand: ChargeInHand,
  fact: ChargeFact,
  stated: ChargeState | undefined,
  now: number
) => {
  // Another source settled it first, and that result is kept; the attempt and the answer are still written.
  const stands: Moved = { payment: { ...stored, version: stored.version + 1, updatedAt: now }, events: [] }
  if (isVoidedSince(stored, fact)) return { moved: stands, isAsStated: false }
  const moved = applyChargeFact(stored, fact, now)
  if (Result.isSuccess(moved)) return { moved: moved.success, isAsStated: true }
  const contradiction = stated === undefined ? undefined : contradictionOf(stored, inHand, stated, now)
  if (contradiction !== undefined) return { moved: contradiction, isAsStated: false }
  if (!mayHoldMoney(fact) || !isOfAnotherCharge(stored, fact)) return { moved: stands, isAsStated: false }
  const second = applyChargeFact(
    stored,
    {
      on: "SecondChargeReported",
      attemptId: inHand.attempt.id,
      connectionId: fact.connectionId,
      providerRef: "providerRef" in fact ? fact.providerRef : null
    },
    now
  )
  return { moved: Result.getOrElse(second, () => stands), isAsStated: false }
}

/** The answer contradicts what a message told of the same charge first: operations review it. */
const contradictionOf = (
  stored: Payment,
  { attempt, earlier }: ChargeInHand,
  stated: ChargeState,
  now: number
): Moved | undefined => {
  const book = { payment: stored, attempts: [...earlier, attempt], operations: [], refunds: [] }
  const about = { _tag: "Charge", charge: { attemptId: attempt.id }, state: () => stated } as const
  const meaning = interpret(book, attempt.connectionId, { via: "answer", about, at: null, askedAt: now }, now)
  return meaning._tag === "Contradicts" ? meaning.applied : undefined
}

/**
 * Whether another source reported more about the attempt meanwhile: a message of it may be faster than its answer, and
 * the step that takes the money of a checkout may be repeated before its first answer is recorded.
 */
const isLessSpecific = (
  { routing }: Payment,
  { attempt: { checkout, id } }: ChargeInHand,
  fact: ChargeFact
): boolean => {
  const outcome = routing?.attempts.find(({ attemptId }) => attemptId === id)?.outcome ?? null
  if (isOpen(outcome)) return false
  return fact.on === "ChargeUnanswered" || (checkout !== null && outcome !== "CheckoutOpened" && !tellsOfMoney(fact))
}

/** Of one connection, what is reported under another reference: a charge keeps its own. */
const isOfAnotherCharge = (stored: Payment, fact: MayHold): boolean =>
  fact.connectionId !== stored.connectionId ||
  (tellsOfMoney(fact) && stored.providerRef !== null && fact.providerRef !== stored.providerRef)

/** A message told of the authorization first, and it was voided before the answer came. */
const isVoidedSince = (stored: Payment, fact: ChargeFact): boolean =>
  stored.state === "Voided" && fact.on === "ChargeAuthorized" && !isOfAnotherCharge(stored, fact)

type MayHold = Extract<ChargeFact, { readonly connectionId: string }>

const mayHoldMoney = (fact: ChargeFact): fact is MayHold => "connectionId" in fact

/** Whether a read shows the very write whose answer was lost. Only ours tells how our attempts ended. */
const isSameWrite = (read: Payment, written: Payment): boolean =>
  isSameCount(read.version, written.version) &&
  read.state === written.state &&
  read.updatedAt === written.updatedAt &&
  JSON.stringify(read.routing?.attempts) === JSON.stringify(written.routing?.attempts)

/** Whether an earlier try to abandon the charge was written after all, although its commit was not confirmed. */
const wasAbandoned = (fact: ChargeFact, stored: Payment, claim: Claim | null): boolean =>
  fact.on === "ChargeAbandoned" &&
  stored.state === "Failed" &&
  stored.routing?.attempts.at(-1)?.outcome === "Abandoned" &&
  claim?.state !== "Answered"

/** The store lost the claim of a hosted payment: its page can be used again, and the attempt was never sent. */
const isForgotten = (fact: ChargeFact, stored: Payment): boolean =>
  fact.on === "ChargeAbandoned" && stored.state === "AwaitingCustomer"

const answerClaim = (claim: Claim | null, on: ClaimEvent, payment: Payment, now: number): Claim | null => {
  // A retry after the claim window may have answered the key already: its response is kept.
  if (claim === null || claim.state !== "Claimed") return claim
  return moveClaim(claim, on, on === "RequestAbandoned" ? {} : { answeredAt: now, answer: payment })
}

/** The part of a change that moves a claim; nothing if there is no claim, or if it is unchanged. */
export const claimChange = (before: Claim | null, after: Claim | null): Change["claim"] =>
  before === null || after === null || before === after ? undefined : { expected: before.version, after }
