/** Reads what an explanation tells. */
import { Effect } from "effect"
import type { Tenant } from "../../model/Tenant.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { explainRouting } from "../../routing/Explanation.ts"
import { PaymentNotFound } from "../read/ReadArchive.ts"

export const explainStored = Effect.fnUntraced(function* (tenant: Tenant, paymentId: string) {
  const ledger = yield* Ledger
  const book = yield* Effect.fromOption(yield* ledger.book(tenant, paymentId), () => new PaymentNotFound())
  return explainRouting(book.payment, book.attempts)
})
