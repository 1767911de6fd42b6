/** Reads what an explanation tells. */
import { Effect, Option } from "effect"
import { PaymentNotFound } from "../../payment/ReadPayments.ts"
import { Ledger } from "../../ports/Ledger.ts"
import type { Tenant } from "../../workspace/Tenant.ts"
import { explainRouting } from "./Explanation.ts"

export const explainStored = Effect.fnUntraced(function* (tenant: Tenant, paymentId: string) {
  const ledger = yield* Ledger
  const book = yield* ledger.book(tenant, paymentId)
  if (Option.isNone(book)) return yield* new PaymentNotFound()
  return explainRouting(book.value.payment, book.value.attempts)
})
