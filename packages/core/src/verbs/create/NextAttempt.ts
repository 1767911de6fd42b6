/**
 * The connection of a further attempt, as it is now. Operators change configurations while a payment is at its first
 * provider: what the plan was made of may be deactivated, removed, limited or at another account by now.
 */
import { Effect, Result } from "effect"
import type { Connection } from "../../model/Connection.ts"
import type { Exclusion } from "../../model/RoutingDecision.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { Directory } from "../../ports/Directory.ts"
import type { RoutePlan } from "../../routing/RoutePlan.ts"
import { Circuits } from "../../routing/run/Circuits.ts"

export interface NextAttempt {
  /** `undefined`: none. */
  readonly connection: Connection | undefined
  /** Those before it in the plan that may not be used any more. */
  readonly skipped: ReadonlyArray<Exclusion>
}

/** Of those that the plan would ask next, the first that may still be asked. */
export const nextAttempt = Effect.fnUntraced(function* (
  plan: RoutePlan,
  tenant: Tenant,
  planned: ReadonlyArray<Connection>,
  now: number
) {
  const read = yield* Effect.result((yield* Directory).connections(tenant))
  if (Result.isFailure(read)) {
    yield* Effect.logError("the connections could not be read: no other connection is tried", read.failure)
    return { connection: undefined, skipped: [] } satisfies NextAttempt
  }
  const circuits = yield* Circuits
  const skipped: Array<Exclusion> = []
  for (const before of planned) {
    const connection = read.success.find(({ id }) => id === before.id)
    const exclusion = exclusionNow(plan, before, connection)
    if (connection === undefined || exclusion !== undefined) {
      if (exclusion !== undefined) skipped.push(exclusion)
    } else if (plan.decision.degraded || !circuits.isOpen(connection, now)) {
      return { connection, skipped } satisfies NextAttempt
    }
  }
  return { connection: undefined, skipped } satisfies NextAttempt
})

const exclusionNow = (plan: RoutePlan, before: Connection, now: Connection | undefined): Exclusion | undefined => {
  const { id: connectionId, name } = before
  if (now === undefined || !now.active) {
    return {
      connectionId,
      name,
      code: "CONNECTION_INACTIVE",
      reason: "The connection was deactivated after the payment was routed."
    }
  }
  return plan.exclusionOf(now)
}
