/**
 * Settles what is open about one payment: a page that is over, a request that died mid-call, a result that nobody
 * knows. What the provider's record says becomes the same facts as its direct answer, applied by the same code.
 *
 * It may die at any point, and run in several processes at once: every step is guarded by the version like any other,
 * and nothing is asked of a provider but to look something up.
 */
import { Clock, Effect, Option, Result } from "effect"
import { endExpiredPage } from "../hosted/FindPage.ts"
import { hasCheckout, lookUpCheckout } from "../hosted/ReturnFromCheckout.ts"
import { type Attempt, isInFlight, unansweredAttempt } from "../payment/Attempt.ts"
import { applyChargeFact } from "../payment/ChargeFact.ts"
import { withRouting } from "../payment/ChargeInHand.ts"
import { holdingAttempt, openAttempt, openOperation, openRivals } from "../payment/Holding.ts"
import { lookUpCharge, lookUpRefund } from "../payment/LookUp.ts"
import { PaymentSettings } from "../payment/PaymentSettings.ts"
import { recordOperation } from "../payment/SettleOperation.ts"
import { Turns } from "../payment/Turns.ts"
import { toldOf, writeFact } from "../payment/WriteFact.ts"
import { Ledger, type PaymentBook } from "../ports/Ledger.ts"
import type { Refund } from "../refunds/Refund.ts"
import { recordRefund } from "../refunds/SettleRefund.ts"
import type { Tenant } from "../workspace/Tenant.ts"
import { authorizationVerdict, chargeVerdict, operationVerdict, refundVerdict, rivalVerdict } from "./Verdict.ts"

/** Why a result is unknown whose request nobody waits for any more. */
const died = "the process that sent it did not come back"

export const checkPayment = Effect.fnUntraced(function* (tenant: Tenant, paymentId: string) {
  const ledger = yield* Ledger
  const found = yield* ledger.book(tenant, paymentId)
  if (Option.isNone(found)) return
  yield* checkState(found.value)
  for (const rival of openRivals(found.value.payment.state, found.value.attempts)) yield* checkRival(found.value, rival)
  for (const refund of found.value.refunds) yield* checkRefund(found.value, refund)
})

const checkState = Effect.fnUntraced(function* (book: PaymentBook) {
  const { attempts, payment } = book
  switch (payment.state) {
    case "AwaitingCustomer":
      return yield* endExpiredPage(payment)
    case "CheckoutOpen":
      return yield* lookUpCheckout(payment, attempts)
    case "ChargePending":
      // On a checkout the customer may still be at a challenge: its own rules say what the record means.
      return yield* attempts.some(hasCheckout) ? lookUpCheckout(payment, attempts) : checkCharge(book)
    case "Charging":
      return yield* endDeadCharge(book)
    case "ChargeUnknown":
      return yield* checkCharge(book)
    case "Capturing":
    case "Voiding":
      return yield* endDeadOperation(book)
    case "CapturePending":
    case "CaptureUnknown":
    case "VoidPending":
    case "VoidUnknown":
      return yield* checkOperation(book)
    case "Authorized":
      return yield* checkAuthorization(book)
  }
})

const isDead = Effect.fnUntraced(function* (sentAt: number) {
  const { claimWindowMillis } = yield* PaymentSettings
  return (yield* Clock.currentTimeMillis) - sentAt >= claimWindowMillis
})

/**
 * Decided on these very attempts, and written once: where another write came first, its process is alive, and may have
 * begun a further attempt. What it wrote says when to look again.
 */
const endDeadCharge = Effect.fnUntraced(function* ({ attempts, payment }: PaymentBook) {
  const ledger = yield* Ledger
  const attempt = attempts.findLast(isInFlight) ?? attempts.at(-1)
  if (attempt === undefined || !(yield* isDead(attempt.sentAt))) return
  const ended = isInFlight(attempt) ? unansweredAttempt(attempt) : attempt
  const now = yield* Clock.currentTimeMillis
  const moved = applyChargeFact(payment, { on: "ChargeUnanswered", connectionId: attempt.connectionId }, now)
  if (Result.isFailure(moved)) return
  const all = attempts.map((one) => (one.id === ended.id ? ended : one))
  yield* ledger
    .commit({
      tenant: payment.tenant,
      payment: { expected: payment.version, after: withRouting(moved.success.payment, all) },
      attempts: [ended],
      events: moved.success.events
    })
    .pipe(Effect.catchTag("pointsman/Stale", () => Effect.void))
})

const checkCharge = Effect.fnUntraced(function* (book: PaymentBook) {
  const { attempts, payment } = book
  const attempt = openAttempt(book)
  if (attempt === undefined) return
  const askedAt = yield* Clock.currentTimeMillis
  const found = yield* lookUpCharge(payment, attempt)
  const fact = found === undefined ? undefined : chargeVerdict(payment, attempt, found, askedAt)
  if (found === undefined || fact === undefined) return
  yield* writeFact(payment, fact, yield* toldOf(attempts, attempt, found, fact))
})

/** Written once: where another write came first, the next look decides on it. */
const checkRival = Effect.fnUntraced(function* (book: PaymentBook, rival: Attempt) {
  if (isInFlight(rival) && !(yield* isDead(rival.sentAt))) return
  const ledger = yield* Ledger
  const askedAt = yield* Clock.currentTimeMillis
  const found = yield* lookUpCharge(book.payment, rival)
  const now = yield* Clock.currentTimeMillis
  const applied = found === undefined ? undefined : rivalVerdict(book, rival, found, askedAt, now)
  if (applied === undefined) return
  const { payment, ...beside } = applied
  yield* ledger
    .commit({ tenant: payment.tenant, payment: { expected: book.payment.version, after: payment }, ...beside })
    .pipe(Effect.catchTag("pointsman/Stale", () => Effect.void))
})

const checkAuthorization = Effect.fnUntraced(function* (book: PaymentBook) {
  const attempt = holdingAttempt(book)
  if (attempt === undefined) return
  const found = yield* lookUpCharge(book.payment, attempt)
  const fact = found === undefined ? undefined : authorizationVerdict(book.payment, attempt, found)
  if (fact !== undefined) yield* writeFact(book.payment, fact)
})

const endDeadOperation = Effect.fnUntraced(function* (book: PaymentBook) {
  const operation = openOperation(book)
  if (operation === undefined || !(yield* isDead(operation.sentAt))) return
  const turns = yield* Turns
  yield* turns.take(book.payment.id)(recordOperation(book.payment, operation, { _tag: "Unanswered", reason: died }))
})

const checkOperation = Effect.fnUntraced(function* (book: PaymentBook) {
  const operation = openOperation(book)
  const attempt = holdingAttempt(book)
  if (operation === undefined || attempt === undefined) return
  const askedAt = yield* Clock.currentTimeMillis
  const found = yield* lookUpCharge(book.payment, attempt)
  const fact = found === undefined ? undefined : operationVerdict(book.payment, operation, found, askedAt)
  if (fact === undefined) return
  const turns = yield* Turns
  yield* turns.take(book.payment.id)(recordOperation(book.payment, operation, fact))
})

const checkRefund = Effect.fnUntraced(function* (book: PaymentBook, refund: Refund) {
  const turns = yield* Turns
  if (refund.stage === "Sending") {
    if (!(yield* isDead(refund.sentAt))) return
    const unanswered = { on: "RefundUnanswered", reason: died } as const
    return yield* turns.take(refund.paymentId)(recordRefund(book, refund, unanswered))
  }
  if (refund.stage !== "Pending" && refund.stage !== "Unknown") return
  const askedAt = yield* Clock.currentTimeMillis
  const found = yield* lookUpRefund(book.payment, refund)
  const fact = found === undefined ? undefined : refundVerdict(refund, found, askedAt)
  if (fact !== undefined) return yield* turns.take(refund.paymentId)(recordRefund(book, refund, fact))
})
