/** A refund that was recovered without its key: its id ends with the key's tag. */
import { Effect } from "effect"
import { keyTag } from "../../call/CallIds.ts"
import { keyTagOf } from "../../decide/DerivedId.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import type { Refund } from "../../model/Refund.ts"

/** The refund that a request under the key made; `undefined` where none was recovered. It asks nobody. */
export const recoveredRefund = Effect.fnUntraced(function* (book: PaymentBook, key: string) {
  const { payment, refunds } = book
  if (payment.reported?.isRecovered !== true) return undefined
  const tag = yield* keyTag(payment.tenant, key)
  // Those before it were refused.
  return refunds.findLast(
    ({ claimedBy, id, idempotencyKey }) => claimedBy === null && idempotencyKey === null && keyTagOf(id) === tag
  )
})

/** Whether the amount of a request can have become that of the refund: what was left may have been less. */
export const mayHaveAsked = (amountMinor: number | null, { money }: Refund): boolean =>
  amountMinor === null || amountMinor >= money.minorUnits
