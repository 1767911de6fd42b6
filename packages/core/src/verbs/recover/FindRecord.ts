/** What the store has of a charge, a refund or a dispute of a provider's list. */
import { Effect, Option } from "effect"
import { derivedUuidAlone } from "../../call/CallIds.ts"
import { withDisputes } from "../../commit/RecordDispute.ts"
import { wasNeverSent } from "../../model/Attempt.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { Ledger } from "../../ports/Ledger.ts"
import type { ListedCharge, ListedDispute, ListedRefund } from "../../ports/ProviderLists.ts"
import { Secrets } from "../../ports/Secrets.ts"
import type { ChargeOnFile, ListedAt } from "./PlanCharge.ts"

/** `undefined`: it is another connection's, which may have the same account at the provider. */
export const findCharge = Effect.fnUntraced(function* (
  { connectionId, tenant }: ListedAt,
  otherTenants: ReadonlyArray<Tenant>,
  charge: ListedCharge
) {
  const ledger = yield* Ledger
  const { attemptId, created } = charge
  const stated = charge.paymentId !== null && uuidV7.test(charge.paymentId) ? charge.paymentId : undefined
  const found = Option.getOrUndefined(yield* ledger.bookOf(tenant, { attemptId }))?.book
  const attempt = found?.attempts.findLast(({ id }) => id === attemptId)
  // The connection is part of what an attempt's id is derived from.
  if (attempt !== undefined && attempt.connectionId !== connectionId) return undefined
  // Nothing was sent of it: a later request under the same key took its id, and is another payment.
  const isUnsent = attempt !== undefined && wasNeverSent(attempt)
  const isOthers = isUnsent && stated !== undefined && found?.payment.id !== stated
  if (attempt !== undefined && !isOthers) {
    return { own: found, paymentId: "", named: undefined } satisfies ChargeOnFile
  }
  for (const other of otherTenants) {
    if (Option.isSome(yield* ledger.bookOf(other, { attemptId }))) return undefined
  }
  const paymentId = stated ?? (yield* paymentIdOf(attemptId, created))
  const named = Option.getOrUndefined(yield* ledger.book(tenant, paymentId))
  // A write of this recovery may have landed between the two reads: the charge is adopted once.
  const isOwn = named?.attempts.some((one) => one.id === attemptId && one.connectionId === connectionId) === true
  return (
    isOwn ? { own: named, paymentId, named: undefined } : { own: undefined, paymentId, named }
  ) satisfies ChargeOnFile
})

const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u

/** A UUIDv7 of the charge's time, for a payment whose id the provider was not told: the same at every recovery. */
const paymentIdOf = Effect.fnUntraced(function* (attemptId: string, created: number) {
  const hash = yield* (yield* Secrets).derive(JSON.stringify(["recovered payment", attemptId]))
  const derived = derivedUuidAlone(hash, Math.max(0, created))
  return `${derived.slice(0, 14)}7${derived.slice(15)}`
})

/** The payment of the charge that is refunded. */
export const findRefunded = Effect.fnUntraced(function* (
  { connectionId, tenant }: ListedAt,
  { providerRef }: ListedRefund
) {
  const ledger = yield* Ledger
  return Option.getOrUndefined(yield* ledger.bookOf(tenant, { connectionId, providerRef }))?.book
})

/** The payment of the charge that is disputed, with its disputes; `Others` where another tenant has it. */
export const findDisputed = Effect.fnUntraced(function* (
  { connectionId, tenant }: ListedAt,
  otherTenants: ReadonlyArray<Tenant>,
  { charge, ...stated }: ListedDispute
) {
  const ledger = yield* Ledger
  const subject = "attemptId" in charge ? charge : { connectionId, ...charge }
  const found = Option.getOrUndefined(yield* ledger.bookOf(tenant, subject))
  if (found !== undefined) return yield* withDisputes(tenant, found, { _tag: "Dispute", charge, ...stated })
  if (!("attemptId" in charge)) return undefined
  for (const other of otherTenants) {
    if (Option.isSome(yield* ledger.bookOf(other, charge))) return "Others" as const
  }
  return undefined
})
