/** Whether connections can be used, and how they fared in the newest payments. */
import { Effect, Result } from "effect"
import { OpenConnections } from "../../call/CallProvider.ts"
import type { AttemptOutcome } from "../../model/Attempt.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { Directory } from "../../ports/Directory.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { measuredAttempts } from "../../routing/MeasuredOutcome.ts"
import { isRouted } from "../../routing/Replay.ts"

export interface ConnectionHealth {
  readonly connectionId: string
  /** Why it cannot be used at all, such as credentials that cannot be decrypted; `null` where it can. No secret. */
  readonly fault: string | null
  /** How its attempts in the newest payments ended. */
  readonly succeeded: number
  readonly failed: number
  /** `null` where none of those attempts succeeded, or failed. */
  readonly lastSuccess: ConnectionOutcome | null
  readonly lastFailure: ConnectionOutcome | null
}

export interface ConnectionOutcome {
  readonly paymentId: string
  /** When the payment was created; epoch milliseconds. */
  readonly at: number
  readonly outcome: AttemptOutcome
  /** The provider's raw code. */
  readonly code: string | null
}

/** The newest payments of the tenant that are looked at: one read along the ids. */
export const healthPayments = 100

/** Of the tenant's connections, active or not, in the order of the directory. No provider is asked. */
export const connectionHealth = Effect.fnUntraced(function* (tenant: Tenant) {
  const ledger = yield* Ledger
  const opened = yield* OpenConnections
  const connections = yield* (yield* Directory).connections(tenant)
  const payments = yield* ledger.payments(tenant, { limit: healthPayments })
  const ends = payments.filter(isRouted).flatMap((payment) =>
    measuredAttempts(payment)
      // Newest first, as the payments are.
      .toReversed()
      .flatMap(({ code, connectionId, isSuccess, outcome }) =>
        outcome === null
          ? []
          : [{ connectionId, isSuccess, seen: { paymentId: payment.id, at: payment.createdAt, outcome, code } }]
      )
  )
  return yield* Effect.forEach(connections, (connection) =>
    Effect.map(Effect.result(opened.connector(connection)), (connector): ConnectionHealth => {
      const ours = ends.filter(({ connectionId }) => connectionId === connection.id)
      const succeeded = ours.filter(({ isSuccess }) => isSuccess)
      return {
        connectionId: connection.id,
        fault: Result.isFailure(connector) ? connector.failure.reason : null,
        succeeded: succeeded.length,
        failed: ours.length - succeeded.length,
        lastSuccess: succeeded[0]?.seen ?? null,
        lastFailure: ours.find(({ isSuccess }) => !isSuccess)?.seen ?? null
      }
    })
  )
})
