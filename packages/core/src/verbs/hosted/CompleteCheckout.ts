/**
 * Takes the money of a checkout that its customer approved, where the provider does not take it by itself (decision
 * 56). The step is written before it is sent, and only who wrote it sends it. Nothing is sent on a commit that may not
 * be written: the check that finds the dead request asks the provider for its record, and the step is taken again where
 * that says that nothing was taken.
 */
import { Clock, Effect, Exit, Metric, Option, Result } from "effect"
import { askProvider, OpenConnections } from "../../call/CallProvider.ts"
import { connectionOf } from "../../call/LookUp.ts"
import { adoptAnswer } from "../../commit/AdoptAnswer.ts"
import { asStorageError, decideAndCommit, done, orLost, write } from "../../commit/DecideAndCommit.ts"
import { applyChargeFact, withRouting } from "../../decide/ChargeFact.ts"
import { asUsable } from "../../decide/UsableAnswer.ts"
import { attemptsEnded } from "../../metrics/Metrics.ts"
import { type Attempt, completingAttempt, endAttempt, outcomeOf } from "../../model/Attempt.ts"
import type { Connection } from "../../model/Connection.ts"
import type { Payment } from "../../model/Payment.ts"
import { bookAfter, movedPayment, type PaymentBook } from "../../model/PaymentBook.ts"
import { type ChargeEnd, NotSent } from "../../model/ProviderStatement.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { PaymentSettings } from "../../ports/PaymentSettings.ts"
import { StorageError } from "../../ports/StorageError.ts"
import { LearnedRates } from "../../routing/run/LearnedRates.ts"
import { chargeCall } from "../create/CreatePayment.ts"
import { type ChargeInHand, isUntaken, recordCompletion } from "../create/RecordCharge.ts"

type Book = Pick<PaymentBook, "attempts" | "payment">

/** `attemptId`: of the checkout that a lookup said to be approved. Gives the payment as it is afterwards. */
export const completeCheckout = (book: PaymentBook, attemptId: string) =>
  Effect.uninterruptible(complete(book, attemptId))

const complete = Effect.fnUntraced(function* (book: PaymentBook, attemptId: string) {
  const { payment } = book
  const open = openCheckoutOf(book, attemptId)
  if (open === undefined) return payment
  const connection = yield* connectionOf(payment.tenant, open.connectionId)
  if (connection === undefined || !(yield* completes(connection))) return payment
  const inHand = yield* claim(book, attemptId, connection)
  if (inHand === undefined) return yield* storedPayment(payment)
  const { sendWithinMillis } = yield* PaymentSettings
  const end = yield* send(inHand, inHand.attempt.sentAt + sendWithinMillis)
  const now = yield* Clock.currentTimeMillis
  const recorded = yield* Effect.mapError(
    recordCompletion(inHand, end, now),
    (cause) => new StorageError({ operation, cause })
  )
  yield* Metric.update(attemptsEnded(connection.id, outcomeOf(end)), 1)
  if (end._tag === "Rejected") {
    yield* Effect.logWarning("the provider refused to take the money of an approved checkout; it is asked again").pipe(
      Effect.annotateLogs({ paymentId: payment.id, connectionId: connection.id, code: end.code })
    )
  }
  // What executed nothing is sent again, and counts then.
  const learned = yield* LearnedRates
  if (!isUntaken(end)) {
    learned.learn(inHand.payment, null, endAttempt(inHand.attempt, end, now), now)
  }
  if (end._tag === "pointsman/Unanswered" && end.ofAnother !== undefined) {
    yield* adoptAnswer(payment.tenant, connection.id, end.ofAnother)
  }
  return recorded
})

const operation = "completing a checkout"

/** The checkout that the payment waits on; `undefined` where it waits no more, or on another one. */
const openCheckoutOf = ({ attempts, payment }: Book, attemptId: string) => {
  const attempt = attempts.at(-1)
  const checkout = attempt?.checkout
  if (payment.state !== "CheckoutOpen" || attempt?.id !== attemptId || !checkout) return undefined
  return { attempt, checkout, connectionId: attempt.connectionId }
}

const completes = Effect.fnUntraced(function* (connection: Connection) {
  const connections = yield* OpenConnections
  const connector = yield* Effect.exit(connections.connector(connection))
  return Exit.isSuccess(connector) && connector.value.completeCheckout !== undefined
})

/** Writes that the step is being taken. `undefined`: another one took it, or it is not known whether it is written. */
const claim = Effect.fnUntraced(function* (book: PaymentBook, attemptId: string, connection: Connection) {
  const ledger = yield* Ledger
  const { id, tenant } = book.payment
  return yield* decideAndCommit({
    first: book,
    decide: (stored: PaymentBook, now) => {
      const open = openCheckoutOf(stored, attemptId)
      if (open === undefined) return done(undefined)
      const moved = Result.getOrThrow(applyChargeFact(stored.payment, { on: "CompletionSent" }, now))
      const attempt = completingAttempt(open.attempt, open.checkout, now)
      const earlier = stored.attempts.slice(0, -1)
      const payment = withRouting(moved.payment, [...earlier, attempt])
      const step = { tenant, payment: movedPayment(stored, payment), attempts: [attempt], events: moved.events }
      const book = bookAfter(stored, { payment, attempts: [attempt] })
      const inHand: ChargeInHand = { payment, claim: null, connection, attempt, book, earlier }
      return Effect.succeed(write(step, inHand))
    },
    read: () => Effect.flatMap(ledger.book(tenant, id), orLost(operation)),
    afterUnknown: "stop",
    storageErrors: "fail"
  }).pipe(
    // Nothing is sent on it.
    Effect.catchTags({ MaybeWritten: () => Effect.void, Contended: () => Effect.void }),
    Effect.mapError(asStorageError(operation))
  )
})

const storedPayment = Effect.fnUntraced(function* (asked: Payment) {
  const ledger = yield* Ledger
  return Option.getOrElse(yield* ledger.payment(asked.tenant, asked.id), () => asked)
})

const send = (inHand: ChargeInHand, beginBy: number) => {
  const { attempt, payment } = inHand
  const request = {
    attemptId: attempt.id,
    checkoutReference: referenceOf(attempt),
    money: payment.money,
    capture: payment.captureMethod === "automatic"
  }
  return askProvider<ChargeEnd>(
    inHand.connection,
    chargeCall("complete_checkout", inHand),
    ({ completeCheckout }) =>
      completeCheckout === undefined
        ? Effect.fail(new NotSent({ reason: "the connection cannot complete a checkout" }))
        : Effect.map(completeCheckout(request), asUsable),
    beginBy
  )
}

const referenceOf = ({ checkout }: Attempt): string => checkout?.reference ?? ""
