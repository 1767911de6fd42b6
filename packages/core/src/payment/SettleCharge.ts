/**
 * The last commit of a charge: its outcome, the events, the stored answer.
 *
 * The rule that a reader would otherwise break: once a provider may have been asked, a store that fails is no reason
 * to say that nothing happened. What cannot be recorded is `PaymentResultUnknown`.
 */
import { Clock, Effect, Option, Redacted, Result } from "effect"
import { checkoutUrlContext } from "../hosted/HostedPage.ts"
import { type Claim, moveClaim } from "../idempotency/Claim.ts"
import type { ClaimEvent } from "../idempotency/ClaimMachine.ts"
import type { CheckoutOpened } from "../ports/Connector.ts"
import { Ledger } from "../ports/Ledger.ts"
import { Secrets } from "../ports/Secrets.ts"
import { type Attempt, type AttemptEnd, abandonAttempt, endAttempt } from "./Attempt.ts"
import { applyChargeFact, type ChargeFact, lastFact, type Moved, tellsOfMoney, unexecutedFact } from "./ChargeFact.ts"
import { type ChargeInHand, claimChange, decisionsAtMost, withRouting } from "./ChargeInHand.ts"
import { NothingSent, PaymentResultUnknown } from "./CreateRequest.ts"
import { commitInsistently, readInsistently } from "./Insistently.ts"
import type { Payment } from "./Payment.ts"

/** Nothing follows the attempt in hand: how it ended is what became of the charge. */
export const settleEnd = (inHand: ChargeInHand, end: AttemptEnd, now: number) => {
  if (end._tag === "CheckoutOpened") return settleCheckout(inHand, end, now)
  const attempt = endAttempt(inHand.attempt, end, now)
  const fact = lastFact(inHand.payment, inHand.earlier, attempt, end)
  return settle(inHand, fact.on === "MismatchStated" ? { ...attempt, outcome: "Mismatched" } : attempt, fact)
}

/** No attempt executed anything. `unsent` are attempts that may be stored and were never sent. */
export const settleUnexecuted = (inHand: ChargeInHand, after: Attempt, unsent: ReadonlyArray<Attempt> = []) =>
  settle(inHand, after, unexecutedFact([...inHand.earlier, after]), unsent)

/** The provider's page is open: the customer pays there, and a look-up tells what came of it. */
const settleCheckout = Effect.fnUntraced(function* (inHand: ChargeInHand, opened: CheckoutOpened, now: number) {
  const secrets = yield* Secrets
  const { expiresAt, reference, url } = opened
  const sealedUrl = yield* secrets.seal(Redacted.make(url), checkoutUrlContext(inHand.attempt.id))
  const attempt = { ...endAttempt(inHand.attempt, opened, now), checkout: { reference, sealedUrl, expiresAt } }
  return yield* settle(inHand, attempt, { on: "CheckoutOpened", isEndless: opened.expiresAt === null })
})

/**
 * Nothing may be sent on the claim any more, and nothing was: the key is free again, and the request may be sent again.
 * Where a retry has answered the key meanwhile, that answer stands, and the payment is given.
 */
export const abandon = Effect.fnUntraced(function* (inHand: ChargeInHand) {
  const settled = yield* write(inHand, [abandonAttempt(inHand.attempt)], { on: "ChargeAbandoned" })
  if (settled.isAbandoned) return yield* new NothingSent({ cause: "nothing was sent on the claim" })
  return settled.payment
})

/** As `abandon`, where nobody will send the request again: the payment is given as it failed. */
export const abandonForGood = (inHand: ChargeInHand) =>
  settle(inHand, abandonAttempt(inHand.attempt), { on: "ChargeAbandoned" })

/** Records a fact, however often other writers come first, and gives the payment as it is answered. */
const settle = (inHand: ChargeInHand, attempt: Attempt, fact: ChargeFact, unsent: ReadonlyArray<Attempt> = []) =>
  Effect.map(write(inHand, [attempt, ...unsent], fact), ({ payment }) => payment)

const write = Effect.fnUntraced(function* (inHand: ChargeInHand, ended: ReadonlyArray<Attempt>, fact: ChargeFact) {
  const ledger = yield* Ledger
  let { payment: stored, claim } = inHand
  const unknown = (cause: unknown) => new PaymentResultUnknown({ paymentId: stored.id, cause })
  for (let decision = 0; decision < decisionsAtMost; decision++) {
    if (wasAbandoned(fact, stored, claim)) return { payment: stored, isAbandoned: true }
    const now = yield* Clock.currentTimeMillis
    const { moved, isAsStated } = decide(stored, inHand, fact, now)
    // Silence says less than what another courier has told of the attempt meanwhile.
    const isTold = fact.on === "ChargeUnanswered" && isEndTold(stored, inHand.attempt)
    const payment = isTold ? moved.payment : withRouting(moved.payment, [...inHand.earlier, ...ended])
    const isAbandoned = isAsStated && fact.on === "ChargeAbandoned" && (claim === null || claim.state === "Claimed")
    const answered = answerClaim(claim, isAbandoned ? "RequestAbandoned" : "RequestAnswered", payment, now)
    const written = yield* Effect.result(
      commitInsistently({
        tenant: payment.tenant,
        payment: { expected: stored.version, after: payment },
        attempts: isTold ? [] : ended,
        events: moved.events,
        claim: claimChange(claim, answered)
      })
    )
    if (Result.isSuccess(written)) return { payment, isAbandoned }
    const failure = written.failure
    if (failure._tag === "pointsman/StorageError") return yield* unknown(failure)
    const read = yield* Effect.mapError(readInsistently(ledger.payment(stored.tenant, stored.id)), unknown)
    if (Option.isNone(read)) return yield* unknown(failure)
    if (failure._tag === "pointsman/CommitUnknown" && isSameWrite(read.value, payment)) return { payment, isAbandoned }
    stored = read.value
    if (claim !== null) {
      const standing = yield* Effect.mapError(readInsistently(ledger.claim(stored.tenant, claim.key)), unknown)
      // A key that was freed since may stand for another request by now: it is not ours to answer any more.
      claim = Option.getOrNull(Option.filter(standing, ({ paymentId }) => paymentId === stored.id))
    }
  }
  return yield* unknown("other writers kept winning")
})

/** What a fact comes to on the payment as it stands now. */
const decide = (stored: Payment, inHand: ChargeInHand, fact: ChargeFact, now: number) => {
  const moved = applyChargeFact(stored, fact, now)
  if (Result.isSuccess(moved)) return { moved: moved.success, isAsStated: true }
  // Another courier settled it first, and that stands; the attempt and the answer are still written.
  const stands: Moved = { payment: { ...stored, version: stored.version + 1, updatedAt: now }, events: [] }
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

/** Whether the provider's word on the attempt is recorded: a message of it may be faster than its answer. */
const isEndTold = ({ routing }: Payment, { id }: Attempt): boolean => {
  const outcome = routing?.attempts.find(({ attemptId }) => attemptId === id)?.outcome ?? null
  return outcome !== null && outcome !== "Unanswered"
}

/** Of one connection, what is told under another reference: a charge keeps its own. */
const isOfAnotherCharge = (stored: Payment, fact: MayHold): boolean =>
  fact.connectionId !== stored.connectionId ||
  (tellsOfMoney(fact) && stored.providerRef !== null && fact.providerRef !== stored.providerRef)

type MayHold = Extract<ChargeFact, { readonly connectionId: string }>

const mayHoldMoney = (fact: ChargeFact): fact is MayHold => "connectionId" in fact

/** Whether a read shows the very write whose commit went unanswered. Only ours tells how our attempts ended. */
const isSameWrite = (read: Payment, written: Payment): boolean =>
  read.version === written.version &&
  read.state === written.state &&
  read.updatedAt === written.updatedAt &&
  JSON.stringify(read.routing?.attempts) === JSON.stringify(written.routing?.attempts)

/** Whether an earlier try of ours to abandon the charge was written after all, though nobody heard of it. */
const wasAbandoned = (fact: ChargeFact, stored: Payment, claim: Claim | null): boolean =>
  fact.on === "ChargeAbandoned" &&
  stored.state === "Failed" &&
  stored.routing?.attempts.at(-1)?.outcome === "Abandoned" &&
  claim?.state !== "Answered"

const answerClaim = (claim: Claim | null, on: ClaimEvent, payment: Payment, now: number): Claim | null => {
  // A retry after the claim window may have answered the key already: what it said stands.
  if (claim === null || claim.state !== "Claimed") return claim
  return moveClaim(claim, on, on === "RequestAbandoned" ? {} : { answeredAt: now, answer: payment })
}
