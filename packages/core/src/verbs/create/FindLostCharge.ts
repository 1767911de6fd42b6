/**
 * Asks providers for a charge whose record the store may have lost, before a create under a key that is not on file
 * sends one: under the ids that the key had on the days of the loss, at each connection that could be asked.
 * Connections whose lists were recovered are not asked again: what they have is on file.
 *
 * No loss, or one that is over: nothing is read and nobody is asked.
 */
import { Clock, Effect, Option } from "effect"
import { lookUpCharge } from "../../call/LookUp.ts"
import type { Caller, CreateRequest } from "../../decide/CreateRequest.ts"
import { KeyReused } from "../../decide/CreateRequest.ts"
import {
  type ChargePlace,
  isOfOtherRequest,
  type LostCharge,
  type LostFinding,
  lostCharge,
  lostDays
} from "../../decide/LostCharge.ts"
import { isOldEnough } from "../../decide/SentCall.ts"
import { type Attempt, wasNeverSent } from "../../model/Attempt.ts"
import { keyRetentionMillis } from "../../model/Claim.ts"
import type { Connection } from "../../model/Connection.ts"
import { Directory } from "../../ports/Directory.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { PaymentSettings } from "../../ports/PaymentSettings.ts"
import { type RecordLoss, RecordLosses, RecordsMissing } from "../../ports/RecordLoss.ts"
import { StorageClock } from "../../ports/StorageClock.ts"
import type { RoutePlan } from "../../routing/RoutePlan.ts"
import { newAttempt } from "./NewPayment.ts"

/** Lookups at once: two for each connection. */
const askedAtOnce = 8
const retryAfterMillis = 60_000

/** What may be sent for the request; it fails where that is not known, and nothing was sent. */
export const findLostCharge = Effect.fnUntraced(function* (
  { tenant }: Caller,
  { details, idempotencyKey: key }: CreateRequest,
  paymentId: string,
  plan: RoutePlan
) {
  const none: Exclude<LostCharge, { readonly _tag: "Undecided" }> = { _tag: "None" }
  const loss = yield* (yield* RecordLosses).known
  if (loss === null || key === null || loss.ended?.outcome === "recovered") return none
  const { afterRestore, claimWindowMillis } = yield* PaymentSettings
  const days = lostDays(loss, yield* Clock.currentTimeMillis, claimWindowMillis)
  if (days.length === 0) return none
  const connections = (yield* askable(tenant, plan)).filter(({ id }) => !loss.recovered.includes(id))
  const places = connections.flatMap((connection) => days.map((day): ChargePlace => ({ connection, day })))
  const { money, simulation } = details
  const findings = yield* Effect.forEach(
    places,
    Effect.fnUntraced(function* (place) {
      const until = Math.min(loss.declaredAt, place.day + keyRetentionMillis + claimWindowMillis)
      const made = { id: paymentId, money, tenant, idempotencyKey: key, createdAt: place.day, asks: "charge" as const }
      const attempt = { ...(yield* newAttempt(place.connection, made, 1, until)), account: null }
      return { ...place, state: yield* stateOf({ id: paymentId, tenant, simulation }, attempt) } satisfies LostFinding
    }),
    { concurrency: askedAtOnce }
  )
  const lost = lostCharge(findings)
  if (lost._tag === "Made" && isOfOtherRequest(money, lost.state)) return yield* new KeyReused()
  const isAskable = lost._tag !== "MaybeMade" || plan.order.some(({ id }) => id === lost.connection.id)
  if (lost._tag !== "Undecided" && isAskable) return lost
  if (afterRestore === "serve") return firstPossible(plan, findings) ?? none
  return yield* missing(lost.connection, loss, lost._tag === "Undecided" ? lost.why : "ambiguous")
})

const missing = ({ id }: Connection, { since }: RecordLoss, why: RecordsMissing["why"]) =>
  new RecordsMissing({ connectionId: id, since, retryAfterMillis, why })

/** Those of the plan, and those that it passes over because their circuits opened, perhaps since the loss. */
const askable = Effect.fnUntraced(function* (tenant: Caller["tenant"], { decision, mode, order }: RoutePlan) {
  if (mode === "fixed") return order
  const open = decision.excluded.filter(({ code }) => code === "CIRCUIT_OPEN").map(({ connectionId }) => connectionId)
  if (open.length === 0) return order
  const all = yield* (yield* Directory).connections(tenant)
  return [...order, ...all.filter(({ id }) => open.includes(id) && order.every((one) => one.id !== id))]
})

const stateOf = Effect.fnUntraced(function* (
  payment: Parameters<typeof lookUpCharge>[0],
  attempt: Attempt
): Effect.fn.Return<
  LostFinding["state"],
  Effect.Error<ReturnType<typeof lookUpCharge>>,
  Ledger | Effect.Services<ReturnType<typeof lookUpCharge>>
> {
  const ledger = yield* Ledger
  const stored = Option.getOrUndefined(yield* ledger.bookOf(payment.tenant, { attemptId: attempt.id }))
  const isOnFile = stored?.book.attempts.some((one) => one.id === attempt.id && !wasNeverSent(one)) === true
  // The key was used before on the same day, and that is not what was lost.
  if (isOnFile) return "denied"
  const asked = { askedAt: yield* Clock.currentTimeMillis, agesFrom: (yield* StorageClock)?.agesFrom() ?? null }
  const found = yield* lookUpCharge(payment, attempt)
  switch (found?._tag) {
    case "Found":
      // Of a direct charge no provider says that it is approved and not taken.
      return found.state._tag === "Approved" ? "possible" : found.state
    case "NotFound":
      return found.conclusive && isOldEnough(attempt, asked) ? "denied" : "possible"
    default:
      return "unanswered"
  }
})

/** Operators serve although records are missing: the first connection is asked under the id that it may know. */
const firstPossible = ({ order }: RoutePlan, findings: ReadonlyArray<LostFinding>) => {
  const place = findings.findLast(
    ({ connection, state }) => connection.id === order[0]?.id && (state === "possible" || state === "unanswered")
  )
  return place === undefined
    ? undefined
    : ({ _tag: "MaybeMade", connection: place.connection, day: place.day } satisfies LostCharge)
}
