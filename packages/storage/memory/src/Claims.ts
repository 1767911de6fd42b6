/** Claims of idempotency keys, and deleting those whose time is over. */
import type { Tenant } from "@pointsman/core"
import type { Ledger } from "@pointsman/core/ports"
import { Effect, Option, type Semaphore } from "effect"
import { sound } from "./Payments.ts"
import { byPlace, copy, forTenant, ofTenant, type Place, type State, tenantKey } from "./State.ts"

export const claimMethods = (
  state: State,
  turn: Semaphore.Semaphore
): Pick<Ledger["Service"], "claim" | "oldClaims" | "forgetClaims"> => ({
  claim: (tenant, key) =>
    Effect.sync(() => Option.map(Option.fromUndefinedOr(ofTenant(state, tenant).claims.get(key)), copy)),
  oldClaims: ({ after, claimedBefore, limit }) =>
    Effect.sync(() =>
      [...state.tenants.values()]
        .flatMap(({ claims, payments }) =>
          [...claims.values()].flatMap((claim) => {
            const payment = payments.get(claim.paymentId)
            return claim.claimedAt >= claimedBefore || payment === undefined ? [] : [{ claim, payment }]
          })
        )
        .map(({ claim, payment }) => ({ claim, payment, place: placeOf(claim.claimedAt, payment.tenant, claim.key) }))
        .filter(
          ({ place }) => after === undefined || byPlace(place, placeOf(after.claimedAt, after.tenant, after.key)) > 0
        )
        .sort((a, b) => byPlace(a.place, b.place))
        .slice(0, limit)
        .map(({ claim, payment }) => ({ tenant: payment.tenant, claim: copy(claim), payment: sound(payment) }))
    ),
  forgetClaims: (claims) =>
    turn.withPermit(
      Effect.sync(
        () =>
          claims.filter(({ key, tenant, version }) => {
            const stored = forTenant(state, tenant).claims
            return stored.get(key)?.version === version && stored.delete(key)
          }).length
      )
    )
})

const placeOf = (claimedAt: number, tenant: Tenant, key: string): Place => ({
  at: claimedAt,
  name: `${tenantKey(tenant)} ${key}`
})
