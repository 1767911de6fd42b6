/**
 * What it means that a customer approved a checkout and that nothing was taken yet (decision 56). It moves a payment
 * only where a lookup says it, because a message was written before the step that takes the money. And it never leads
 * to a request by itself: from an unknown result it leads back to the open checkout. Pure.
 */
import { type Attempt, untakenAttempt } from "../../model/Attempt.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import { held } from "../../model/PaymentMachine.ts"
import type { Approved } from "../../model/ProviderStatement.ts"
import { ofChargeFact } from "../Applied.ts"
import { isCheckoutOver } from "../CheckoutFact.ts"
import { holdingAttempt } from "../Holding.ts"
import { confirms, contradicts, evidenceOf, type Interpretation, moved, older } from "./Interpretation.ts"
import { isCurrent, type Weighing } from "./Statement.ts"

export const ofApproved = (book: PaymentBook, attempt: Attempt, said: Approved, source: Weighing): Interpretation => {
  const { attempts, payment } = book
  const { checkout } = attempt
  // Of an attempt without a checkout nothing is left to take, and one that another attempt followed had executed nothing.
  if (checkout === null || attempts.at(-1)?.id !== attempt.id) return older
  if (!isCurrent(source)) return payment.state === "CheckoutOpen" ? confirms : older
  if (held.has(payment.state)) {
    return holdingAttempt(book)?.id === attempt.id
      ? contradicts(book, `charge:${said._tag}`, evidenceOf(attempt, said), source.now)
      : confirms
  }
  if (payment.state !== "CheckoutOpen" && payment.state !== "ChargeUnknown") return confirms
  // Nothing was taken in all the time that the customer had, and nothing will be: the step is not taken without end.
  if (isCheckoutOver({ ...attempt, checkout }, source)) {
    return moved(ofChargeFact(book, untakenAttempt(attempt, source.now), { on: "CheckoutEnded" }, source.now))
  }
  return payment.state === "CheckoutOpen"
    ? confirms
    : moved(ofChargeFact(book, untakenAttempt(attempt, source.now), { on: "CheckoutApproved" }, source.now))
}
