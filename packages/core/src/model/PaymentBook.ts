import type { Attempt } from "./Attempt.ts"
import type { Operation } from "./Operation.ts"
import type { Payment } from "./Payment.ts"
import type { Refund } from "./Refund.ts"

/** One payment, with everything that was asked of providers for it. */
export interface PaymentBook {
  readonly payment: Payment
  /** In the order of their numbers. */
  readonly attempts: ReadonlyArray<Attempt>
  /** Oldest first. */
  readonly operations: ReadonlyArray<Operation>
  /** Oldest first. */
  readonly refunds: ReadonlyArray<Refund>
}
