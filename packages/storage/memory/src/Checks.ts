/** Which payments the background checks, and when. */
import type { Ledger } from "@pointsman/core/ports"
import { Effect } from "effect"
import { forTenant, type State } from "./State.ts"

export const checkMethods = (state: State): Pick<Ledger["Service"], "takeDue" | "postpone" | "watched"> => ({
  takeDue: ({ leaseMillis, limit, now }) =>
    Effect.sync(() => {
      const due = [...state.tenants.values()].flatMap(({ checks, payments }) =>
        [...checks].flatMap(([id, at]) => {
          const payment = payments.get(id)
          return at > now || payment === undefined ? [] : [{ at, checks, tenant: payment.tenant, paymentId: id }]
        })
      )
      const taken = due.sort((a, b) => a.at - b.at).slice(0, limit)
      for (const { checks, paymentId } of taken) checks.set(paymentId, now + leaseMillis)
      return taken.map(({ paymentId, tenant }) => ({ tenant, paymentId }))
    }),
  postpone: ({ id, tenant, version }, checkAt) =>
    Effect.sync(() => {
      const { checks, payments } = forTenant(state, tenant)
      if (payments.get(id)?.version === version) setCheck(checks, id, checkAt)
    }),
  watched: (limit) =>
    Effect.sync(() => {
      const all = [...state.tenants.values()].flatMap(({ checks, payments }) =>
        [...checks].map(([id, at]) => ({ at, pendingMinor: payments.get(id)?.refundPendingMinor ?? 0 }))
      )
      const counted = all.sort((a, b) => a.at - b.at).slice(0, limit)
      return {
        payments: counted.length,
        withRefunds: counted.filter(({ pendingMinor }) => pendingMinor > 0).length,
        firstAt: counted[0]?.at ?? null
      }
    })
})

export const setCheck = (checks: Map<string, number>, paymentId: string, checkAt: number | null): void => {
  if (checkAt === null) checks.delete(paymentId)
  else checks.set(paymentId, checkAt)
}
