/** A refund that was recovered without its key: its id is derived from the charge and the key. */
import { Effect } from "effect"
import { derivedRefundId } from "../../call/CallIds.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import type { Refund } from "../../model/Refund.ts"

/** The refund that a request under the key made; `undefined` where none was recovered. It asks nobody. */
export const recoveredRefund = Effect.fnUntraced(function* (book: PaymentBook, key: string) {
  const { payment, refunds } = book
  if (payment.reported?.isRecovered !== true) return undefined
  const unnamed = refunds.filter(({ claimedBy, idempotencyKey }) => claimedBy === null && idempotencyKey === null)
  let found: Refund | undefined
  // Each further id follows one that was refused: no key has more than its payment has refunds.
  for (let tries = 0; tries < unnamed.length; tries++) {
    const id = yield* derivedRefundId(book, key, tries)
    found = unnamed.find((one) => one.id === id) ?? found
  }
  return found
})

/** Whether the amount of a request can have become that of the refund: what was left may have been less. */
export const mayHaveAsked = (amountMinor: number | null, { money }: Refund): boolean =>
  amountMinor === null || amountMinor >= money.minorUnits
