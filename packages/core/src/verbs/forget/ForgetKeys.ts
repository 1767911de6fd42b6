/**
 * Deletes the keys whose time is over: to their requests they are free already, and this is how they stop taking room.
 *
 * A claim is deleted only if it is unchanged since it was read: a request that takes the key anew meanwhile keeps it.
 * Any number of processes may do so, and dying leaves nothing half done.
 */
import { Clock, Effect } from "effect"
import { isRetentionOver, mayBeOver } from "../../decide/KeyRetention.ts"
import { keyRetentionMillis } from "../../model/Claim.ts"
import { Ledger, type OldClaim, type OldClaimsQuery } from "../../ports/Ledger.ts"
import { PaymentSettings } from "../../ports/PaymentSettings.ts"
import { StorageCondition } from "../../ports/StorageCondition.ts"

/** What is read and deleted at once. */
const batch = 200

/** Goes over all keys that are old enough; gives how many it deleted. */
export const forgetKeys = Effect.fnUntraced(function* () {
  const ledger = yield* Ledger
  const { claimWindowMillis } = yield* PaymentSettings
  const now = yield* Clock.currentTimeMillis
  if ((yield* (yield* StorageCondition).read).refusal !== null) return 0
  let after: OldClaimsQuery["after"]
  let forgotten = 0
  for (;;) {
    const old = yield* ledger.oldClaims({ claimedBefore: now - keyRetentionMillis, after, limit: batch })
    const over = old.filter((one) => isOver(one, claimWindowMillis, now))
    if (over.length > 0) {
      forgotten += yield* ledger.forgetClaims(
        over.map(({ claim: { key, version }, tenant }) => ({ tenant, key, version }))
      )
    }
    const last = old.at(-1)
    if (last === undefined || old.length < batch) return forgotten
    after = { claimedAt: last.claim.claimedAt, tenant: last.tenant, key: last.claim.key }
  }
})

const isOver = ({ claim, payment }: OldClaim, claimWindowMillis: number, now: number): boolean =>
  claim.state === "Released" ||
  claim.state === "Expired" ||
  (mayBeOver(claim, claimWindowMillis, now) && isRetentionOver(claim, payment, now))
