/** What moves a stored payment, as a change writes it. Pure. */
import type { Payment } from "./Payment.ts"
import type { PaymentBook } from "./PaymentBook.ts"

export const movedPayment = (before: PaymentBook, after: Payment) => ({
  expected: before.payment.version,
  before,
  after
})
