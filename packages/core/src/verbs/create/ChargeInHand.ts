import type { Attempt } from "../../model/Attempt.ts"
import type { Claim } from "../../model/Claim.ts"
import type { Connection } from "../../model/Connection.ts"
import type { Payment } from "../../model/Payment.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import type { Change } from "../../ports/Ledger.ts"

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

/** The part of a change that moves a claim; nothing if there is no claim, or if it is unchanged. */
export const claimChange = (before: Claim | null, after: Claim | null): Change["claim"] =>
  before === null || after === null || before === after ? undefined : { expected: before.version, after }
