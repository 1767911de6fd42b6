/** What moves a stored payment, as a change writes it. Pure. */
import type { Payment } from "./Payment.ts"
import type { PaymentBook } from "./PaymentBook.ts"

/** What a create decides. A capture, a refund, a dispute and a settlement leave it as it is. */
const createdFields = [
  "money",
  "country",
  "method",
  "paymentMethod",
  "cardBrand",
  "initiator",
  "captureMethod",
  "reference",
  "metadata",
  "purchase",
  "declineCategory",
  "declineReason",
  "authorizedMinor",
  "connectionId",
  "providerRef",
  "idempotencyKey",
  "hosted",
  "routing",
  "simulation",
  "createdAt"
] as const satisfies ReadonlyArray<keyof Payment>

export const movedPayment = (before: PaymentBook, after: Payment) => ({
  expected: before.payment.version,
  before,
  after
})

/** A record that was made anew counts as another one, though it may say the same: it is written. */
export const keepsCreated = ({
  after,
  before
}: {
  readonly before?: Pick<PaymentBook, "payment"> | undefined
  readonly after: Payment
}) => before !== undefined && createdFields.every((field) => before.payment[field] === after[field])
