/** What was learned, for people. */
import { Clock, Effect } from "effect"
import { faded } from "../../model/SuccessRate.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { type StoredRate, SuccessRates } from "../../ports/SuccessRates.ts"

/** As they weigh now; by connection and segment. */
export const successRates = Effect.fnUntraced(function* ({ environment, workspaceId }: Tenant) {
  const store = yield* SuccessRates
  const now = yield* Clock.currentTimeMillis
  const all = yield* store.changedSince(0)
  return all
    .filter(({ tenant }) => tenant.workspaceId === workspaceId && tenant.environment === environment)
    .map((stored): StoredRate => ({ ...stored, rate: faded(stored.rate, now) }))
    .sort((a, b) => byText(a.connectionId, b.connectionId) || byText(a.segment, b.segment))
})

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
