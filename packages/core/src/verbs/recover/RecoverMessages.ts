/**
 * Messages that came after the loss and name a charge that was lost: kept as unmatched until now. What they state is
 * adopted where it is enough for a payment, which is all that there is of providers without a list.
 */
import { Cause, Effect, Result } from "effect"
import type { Connection } from "../../model/Connection.ts"
import type { ProviderMessage } from "../../model/ProviderStatement.ts"
import type { TenantMessage } from "../../model/StoredMessage.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { money } from "../../money/Money.ts"
import { Ledger } from "../../ports/Ledger.ts"
import type { ListedCharge } from "../../ports/ProviderLists.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import { applyMessage, readMessage } from "../receive/StoredMessages.ts"

/** Messages read at once, and of one connection: more wait for the next recovery. */
const batch = 100
const messagesAtMost = 10_000

/**
 * Returns how many messages the store failed to read or to apply: a repeated recovery applies those. `adopt` takes a charge
 * as a list would state it; of a provider that has a list it adopts nothing.
 */
export const recoverMessages = Effect.fnUntraced(function* <R>(
  { id: connectionId }: Connection,
  tenant: Tenant,
  { isDryRun, since }: { readonly since: number; readonly isDryRun: boolean },
  adopt: (charge: ListedCharge) => Effect.Effect<void, StorageError, R>
) {
  let failed = 0
  for (const { eventId, receivedAt } of yield* unmatched(connectionId, tenant, since)) {
    const read = yield* Effect.result(readMessage(connectionId, eventId))
    const charge = Result.isSuccess(read) ? chargeIn(read.success, receivedAt) : undefined
    if (charge !== undefined) yield* adopt(charge)
    if (Result.isFailure(read) && !isOfMessage(read.failure)) failed += 1
    if (isDryRun || Result.isFailure(read)) continue
    yield* Effect.catchCause(applyMessage(connectionId, eventId), (cause) => {
      if (cause.reasons.some((reason) => Cause.isFailReason(reason) && !isOfMessage(reason.error))) failed += 1
      return Effect.logWarning(`message ${eventId} of connection ${connectionId} could not be applied`, cause)
    })
  }
  return failed
})

/** The message is what cannot be applied: trying again changes nothing. */
const isOfMessage = ({ _tag }: { readonly _tag: string }): boolean => permanent.has(_tag)
const permanent: ReadonlySet<string> = new Set([
  "pointsman/MessageNotApplicable",
  "pointsman/MessageNotFound",
  "pointsman/SealBroken"
])

/** As they came. */
const unmatched = Effect.fnUntraced(function* (connectionId: string, tenant: Tenant, since: number) {
  const ledger = yield* Ledger
  const found: Array<TenantMessage> = []
  while (found.length < messagesAtMost) {
    const page: ReadonlyArray<TenantMessage> = yield* ledger.messages({
      tenant,
      connectionId,
      outcome: "unmatched",
      before: found.at(-1),
      limit: batch
    })
    const recent = page.filter(({ receivedAt }) => receivedAt >= since)
    found.push(...recent)
    if (recent.length < batch) break
  }
  return found.toReversed()
})

/** No currency: a state that is made of it states none. */
const notAsked = money(0, "XXX")

/** `undefined` where the message does not state the amount of a charge under our id. */
const chargeIn = ({ about, at }: ProviderMessage, receivedAt: number): ListedCharge | undefined => {
  if (about._tag !== "Charge" || !("attemptId" in about.charge)) return undefined
  const state = about.state(notAsked)
  if (state._tag !== "Authorized" && state._tag !== "Captured") return undefined
  if (state.stated === undefined || state.stated.currency === notAsked.currency) return undefined
  return {
    attemptId: about.charge.attemptId,
    paymentId: null,
    idempotencyKey: null,
    reference: null,
    country: null,
    method: null,
    cardBrand: null,
    initiator: null,
    capture: null,
    money: state.stated,
    state,
    created: at ?? receivedAt
  }
}
