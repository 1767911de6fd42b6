/** What a hosted page shows. */
import { Clock, Effect } from "effect"
import type { DeliveryWake } from "../../commit/WakeDelivery.ts"
import { writeFact } from "../../commit/WriteFact.ts"
import { type HostedView, isPageOver, PageNotFound } from "../../decide/HostedOrder.ts"
import type { Payment } from "../../model/Payment.ts"
import { Directory } from "../../ports/Directory.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { Secrets } from "../../ports/Secrets.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import type { LearnedRates } from "../../routing/run/LearnedRates.ts"

export const hostedPage = Effect.fnUntraced(function* (token: string) {
  return yield* viewOf(yield* findPage(token))
})

export const viewOf = Effect.fnUntraced(function* (payment: Payment) {
  const directory = yield* Directory
  const workspace = yield* directory.workspace(payment.tenant.workspaceId)
  const { brand = null, name } = yield* Effect.fromOption(workspace, () => new PageNotFound())
  return { payment, merchant: brand?.name ?? name, brand } satisfies HostedView
})

export const pageToken = Effect.fnUntraced(function* (paymentId: string) {
  const secrets = yield* Secrets
  return yield* secrets.pageToken(paymentId)
})

export const findPage = Effect.fnUntraced(function* (token: string) {
  const ledger = yield* Ledger
  const secrets = yield* Secrets
  const found = yield* ledger.paymentOfPage(yield* secrets.hash(token))
  return yield* endExpiredPage(yield* Effect.fromOption(found, () => new PageNotFound()))
})

/** The current payment; cancelled first if its page expired and nothing has begun on it. */
export const endExpiredPage = Effect.fnUntraced(function* (
  payment: Payment
): Effect.fn.Return<Payment, StorageError, Ledger | LearnedRates | DeliveryWake> {
  if (!isPageOver(payment, yield* Clock.currentTimeMillis)) return payment
  return (yield* writeFact(payment, { on: "PageExpired" })).payment
})
