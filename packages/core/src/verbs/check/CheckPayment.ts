/**
 * Settles what is open about one payment: a page that is over, a request that died mid-call, an unknown result. What
 * the provider's record says becomes the same facts as its direct answer, applied by the same code.
 *
 * It may die at any point, and run in several processes at once: every step is guarded by the version like any other,
 * and nothing is asked of a provider but to look something up, and for the money of a checkout that its customer approved.
 */
import { Clock, Effect, Option, Result } from "effect"
import {
  aboutCharge,
  aboutOperation,
  aboutRefund,
  aboutRefundsOf,
  lookUpCharge,
  lookUpOperation,
  lookUpRefund
} from "../../call/LookUp.ts"
import { adoptAnswer } from "../../commit/AdoptAnswer.ts"
import { commitOnce } from "../../commit/DecideAndCommit.ts"
import { PaymentLocks } from "../../commit/PaymentLocks.ts"
import { recordLookup } from "../../commit/RecordLookup.ts"
import { applyChargeFact, withRouting } from "../../decide/ChargeFact.ts"
import { holdingAttempt, openAttempt, openOperation } from "../../decide/Holding.ts"
import { weighRefundsByHand } from "../../decide/interpret/RefundByHand.ts"
import { openRivals } from "../../decide/WithReview.ts"
import { type Attempt, isInFlight, unansweredAttempt } from "../../model/Attempt.ts"
import { movedPayment, type PaymentBook } from "../../model/PaymentBook.ts"
import type { PaymentState } from "../../model/PaymentMachine.ts"
import type { Refund } from "../../model/Refund.ts"
import type { UndecidedStatement } from "../../model/Reported.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { PaymentSettings } from "../../ports/PaymentSettings.ts"
import { hasCheckout, lookUpCheckout } from "../hosted/ReturnFromCheckout.ts"
import { endExpiredPage } from "../hosted/ViewHostedPage.ts"
import { recordOperation } from "../operate/RecordOperation.ts"
import { recordRefund } from "../refund/RecordRefund.ts"

/** Why a result is unknown after its caller has stopped waiting. */
const died = "the process that sent it did not come back"

export const checkPayment = Effect.fnUntraced(function* (tenant: Tenant, paymentId: string) {
  const ledger = yield* Ledger
  const found = yield* ledger.book(tenant, paymentId)
  if (Option.isNone(found)) return
  yield* endRefundsByHand(found.value)
  const undecided = found.value.payment.reported?.undecided ?? []
  for (const said of undecided) {
    yield* said.about === "charge" ? checkChanged(found.value, said) : decideByLookup(found.value, said)
  }
  // What the lookup of an operation says is about the payment's state too.
  if (undecided.length === 0) yield* checkState(found.value)
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
    case "ChargeUnknown":
      return yield* attempts.some(hasCheckout) ? lookUpCheckout(payment, attempts) : checkCharge(book)
    case "Charging":
      return yield* endDeadCharge(book)
    case "Capturing":
    case "Voiding":
      return yield* endDeadOperation(book)
    case "CapturePending":
    case "CaptureUnknown":
    case "VoidPending":
    case "VoidUnknown":
      return yield* checkOperation(book)
    case "Authorized":
      return yield* checkHolder(book)
  }
})

const isDead = Effect.fnUntraced(function* (sentAt: number) {
  const { claimWindowMillis } = yield* PaymentSettings
  return (yield* Clock.currentTimeMillis) - sentAt >= claimWindowMillis
})

/** A store that fails is left to the next check. */
const inTurns = (paymentId: string) =>
  Effect.map(PaymentLocks, (locks) => ({ storageErrors: "fail", withLock: locks.take(paymentId) }) as const)

/**
 * Decided on these very attempts, and written once: where another write came first, its process is alive, and may have
 * begun a further attempt. What it wrote says when to look again.
 */
const endDeadCharge = Effect.fnUntraced(function* (book: PaymentBook) {
  const { attempts, payment } = book
  const attempt = attempts.findLast(isInFlight) ?? attempts.at(-1)
  if (attempt === undefined || !(yield* isDead(attempt.sentAt))) return
  const ended = isInFlight(attempt) ? unansweredAttempt(attempt) : attempt
  const now = yield* Clock.currentTimeMillis
  const moved = applyChargeFact(payment, { on: "ChargeUnanswered", connectionId: attempt.connectionId }, now)
  if (Result.isFailure(moved)) return
  const all = attempts.map((one) => (one.id === ended.id ? ended : one))
  yield* commitOnce({
    tenant: payment.tenant,
    payment: movedPayment(book, withRouting(moved.success.payment, all)),
    attempts: [ended],
    events: moved.success.events
  }).pipe(Effect.catchTag("Contended", () => Effect.void))
})

/** What waited for the end of a charge, a capture or a refund; the step that ended it may not have weighed it. */
const endRefundsByHand = Effect.fnUntraced(function* ({ payment, ...rest }: PaymentBook) {
  const weighed = weighRefundsByHand({ payment, ...rest }, yield* Clock.currentTimeMillis)
  if (weighed === undefined) return
  const { payment: after, ...beside } = weighed
  yield* commitOnce({ tenant: payment.tenant, payment: movedPayment({ payment, ...rest }, after), ...beside }).pipe(
    Effect.catchTag("Contended", () => Effect.void)
  )
})

const checkCharge = Effect.fnUntraced(function* (book: PaymentBook) {
  const attempt = openAttempt(book)
  if (attempt !== undefined) return yield* lookUpAttempt(book, attempt)
})

const checkRival = Effect.fnUntraced(function* (book: PaymentBook, rival: Attempt) {
  if (isInFlight(rival) && !(yield* isDead(rival.sentAt))) return
  return yield* lookUpAttempt(book, rival)
})

/** Where nothing can look the operation up, the record of its charge has to do. */
const checkOperation = Effect.fnUntraced(function* (book: PaymentBook) {
  const operation = openOperation(book)
  const attempt = holdingAttempt(book)
  if (operation === undefined || attempt === undefined) return
  const askedAt = yield* Clock.currentTimeMillis
  const found = yield* lookUpOperation(book.payment, operation, attempt)
  if (found === "Unsupported") return yield* lookUpAttempt(book, attempt)
  if (found !== undefined) return yield* recordLookup(book, { ...aboutOperation(operation, found), askedAt })
})

/** For an authorization without an operation under way. */
const checkHolder = Effect.fnUntraced(function* (book: PaymentBook) {
  const attempt = holdingAttempt(book)
  if (attempt !== undefined) return yield* lookUpAttempt(book, attempt)
})

const lookUpAttempt = Effect.fnUntraced(function* (book: PaymentBook, attempt: Attempt) {
  const askedAt = yield* Clock.currentTimeMillis
  const found = yield* lookUpCharge(book.payment, attempt)
  if (found === undefined) return { isFound: false, book }
  let recorded = yield* recordLookup(book, { ...aboutCharge(attempt, found), askedAt })
  for (const of of yield* aboutRefundsOf(book.payment, attempt, found)) {
    recorded = yield* recordLookup(recorded, { ...of, askedAt })
  }
  if (found._tag === "AnotherAttempt") yield* adoptAnswer(book.payment.tenant, attempt.connectionId, found.named)
  return { isFound: found._tag !== "NotFound", book: recorded }
})

/**
 * Something about the charge changed that no message said. Everything that the provider's record says is written before the
 * statement is taken off, so that a process that dies in between looks it up again.
 */
const checkChanged = Effect.fnUntraced(function* (before: PaymentBook, decides: ChangedStatement) {
  const { id, tenant } = before.payment
  const isOpen = ({ attempts, payment }: PaymentBook) => onCheckout.has(payment.state) && attempts.some(hasCheckout)
  if (isOpen(before)) yield* lookUpCheckout(before.payment, before.attempts)
  const book = isOpen(before) ? Option.getOrElse(yield* (yield* Ledger).book(tenant, id), () => before) : before
  const attempt = book.attempts.find((one) => one.id === decides.id)
  if (attempt === undefined) return
  const askedAt = yield* Clock.currentTimeMillis
  // While a checkout is open, it is looked up again and again.
  const looked = isOpen(book) ? { isFound: true, book } : yield* lookUpAttempt(book, attempt)
  const changed = { _tag: "Changed", charge: { attemptId: attempt.id }, reason: decides.state.reason } as const
  const about = looked.isFound ? changed : null
  yield* recordLookup(looked.book, { connectionId: attempt.connectionId, about, askedAt, decides })
})

type ChangedStatement = Extract<UndecidedStatement, { readonly about: "charge" }>

/** On a checkout the customer may still be at a challenge: its own rules say what the record means. */
const onCheckout: ReadonlySet<PaymentState> = new Set(["CheckoutOpen", "ChargePending", "ChargeUnknown"])

const endDeadOperation = Effect.fnUntraced(function* (book: PaymentBook) {
  const operation = openOperation(book)
  if (operation === undefined || !(yield* isDead(operation.sentAt))) return
  yield* recordOperation(book, operation, { _tag: "Unanswered", reason: died }, yield* inTurns(book.payment.id))
})

const checkRefund = Effect.fnUntraced(function* (book: PaymentBook, refund: Refund) {
  const how = yield* inTurns(refund.paymentId)
  if (refund.stage === "Sending") {
    if (!(yield* isDead(refund.sentAt))) return
    const unanswered = { on: "RefundUnanswered", reason: died } as const
    return yield* recordRefund(book, refund, unanswered, how)
  }
  if (refund.stage !== "Pending" && refund.stage !== "Unknown") return
  const askedAt = yield* Clock.currentTimeMillis
  const found = yield* lookUpRefund(book.payment, refund, holdingAttempt(book))
  if (found !== undefined) return yield* recordLookup(book, { ...aboutRefund(refund, found), askedAt })
})

/**
 * One lookup decides a message that was kept for it: the failure of a capture or a void, or a success without a time
 * after a failure. Where the lookup does not answer, operators review the message.
 */
const decideByLookup = Effect.fnUntraced(function* (
  book: PaymentBook,
  decides: Exclude<UndecidedStatement, { readonly about: "charge" }>
) {
  const askedAt = yield* Clock.currentTimeMillis
  const found = yield* decides.about === "refund" ? findRefund(book, decides.id) : findOperation(book, decides)
  const unanswered = { connectionId: book.payment.connectionId ?? "", about: null }
  yield* recordLookup(book, { ...(found ?? unanswered), askedAt, decides })
})

const findRefund = Effect.fnUntraced(function* (book: PaymentBook, refundId: string) {
  const refund = book.refunds.find(({ id }) => id === refundId)
  const found = refund === undefined ? undefined : yield* lookUpRefund(book.payment, refund, holdingAttempt(book))
  return refund === undefined || found === undefined ? undefined : aboutRefund(refund, found)
})

const findOperation = Effect.fnUntraced(function* (
  book: PaymentBook,
  { id, state }: Extract<UndecidedStatement, { readonly about: "operation" }>
) {
  const operation = book.operations.find((one) => one.id === id)
  const attempt = holdingAttempt(book)
  if (operation === undefined || attempt === undefined) return undefined
  const found = yield* lookUpOperation(book.payment, operation, attempt)
  if (found === undefined) return undefined
  if (found !== "Unsupported") return aboutOperation(operation, found)
  // The provider's word on the failure is all that there is. Of a success, the charge's record can tell.
  if (state._tag === "OperationFailed") return aboutOperation(operation, { _tag: "Found", state })
  const charge = yield* lookUpCharge(book.payment, attempt)
  return charge === undefined ? undefined : aboutCharge(attempt, charge)
})
