/**
 * The customer comes back from the provider's page. The return address proves nothing, so this asks the provider for
 * its record. Where the record says that the customer approved and that nothing was taken, it asks for the money.
 */
import { Clock, Effect } from "effect"
import { aboutCharge, lookUpCharge } from "../../call/LookUp.ts"
import { LookUps } from "../../call/LookUps.ts"
import { adoptAnswer } from "../../commit/AdoptAnswer.ts"
import { recordLookup } from "../../commit/RecordLookup.ts"
import type { Attempt, Checkout } from "../../model/Attempt.ts"
import type { Payment } from "../../model/Payment.ts"
import type { PaymentState } from "../../model/PaymentMachine.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { completeCheckout } from "./CompleteCheckout.ts"
import { findPage, viewOf } from "./ViewHostedPage.ts"

/** Where the customer may have paid, and we have not heard the last word. */
const isOpen = (state: PaymentState): boolean => state === "CheckoutOpen" || state === "ChargePending"

export const returnFromCheckout = Effect.fnUntraced(function* (token: string) {
  const payment = yield* findPage(token)
  if (!isOpen(payment.state)) return yield* viewOf(payment)
  const lookUps = yield* LookUps
  return yield* viewOf(yield* lookUps.once(payment.id, lookUp(payment)))
})

const lookUp = Effect.fnUntraced(function* (payment: Payment) {
  const ledger = yield* Ledger
  return yield* lookUpCheckout(payment, yield* ledger.attempts(payment.tenant, payment.id))
})

/** The payment as the provider's record of its checkout leaves it, and the step that takes the money of an approved one. */
export const lookUpCheckout = Effect.fnUntraced(function* (payment: Payment, attempts: ReadonlyArray<Attempt>) {
  const attempt = attempts.findLast(hasCheckout)
  if (attempt === undefined) return payment
  const askedAt = yield* Clock.currentTimeMillis
  const found = yield* lookUpCharge(payment, attempt)
  if (found === undefined) return payment
  const book = { payment, attempts, operations: [], refunds: [] }
  const after = yield* recordLookup(book, { ...aboutCharge(attempt, found), askedAt })
  if (found._tag === "AnotherAttempt") yield* adoptAnswer(payment.tenant, attempt.connectionId, found.named)
  const isApproved = found._tag === "Found" && found.state._tag === "Approved"
  return isApproved ? yield* completeCheckout(after, attempt.id) : after.payment
})

export const hasCheckout = (attempt: Attempt): attempt is Attempt & { readonly checkout: Checkout } =>
  attempt.checkout !== null
