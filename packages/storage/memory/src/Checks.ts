/** Which payments the background checks, and when. */
import type { Change, DuePayment, DueQuery, Ledger } from "@pointsman/core/ports"
import { Effect } from "effect"
import { forTenant, type State, type TenantState } from "./State.ts"

export const checkMethods = (
  state: State
): Pick<Ledger["Service"], "takeDue" | "postpone" | "watched" | "dueByConnection"> => ({
  takeDue: (query) => Effect.sync(() => takeDue(state, query)),
  postpone: ({ id, tenant, version }, checkAt) =>
    Effect.sync(() => {
      const { checks, payments } = forTenant(state, tenant)
      const checkedConnection = checks.get(id)?.connectionId
      if (payments.get(id)?.version === version) setCheck(checks, id, { checkAt, checkedConnection })
    }),
  watched: (limit) =>
    Effect.sync(() => {
      const all = [...state.tenants.values()].flatMap(({ checks, payments }) =>
        [...checks].map(([id, { at }]) => ({ at, pendingMinor: payments.get(id)?.refundPendingMinor ?? 0 }))
      )
      const counted = all.sort((a, b) => a.at - b.at).slice(0, limit)
      return {
        payments: counted.length,
        withRefunds: counted.filter(({ pendingMinor }) => pendingMinor > 0).length,
        firstAt: counted[0]?.at ?? null
      }
    }),
  dueByConnection: ({ limit, now }) =>
    Effect.sync(() => {
      const counts = new Map<string | null, number>()
      for (const { connectionId } of dueAt(state, now)) {
        counts.set(connectionId, Math.min(limit, (counts.get(connectionId) ?? 0) + 1))
      }
      return [...counts].map(([connectionId, payments]) => ({ connectionId, payments }))
    })
})

/** Those that wait longest first. */
const dueAt = (state: State, now: number) =>
  [...state.tenants.values()]
    .flatMap(({ checks, payments }) =>
      [...checks].flatMap(([paymentId, { at, connectionId }]) => {
        const payment = payments.get(paymentId)
        return at > now || payment === undefined
          ? []
          : [{ at, checks, connectionId, paymentId, tenant: payment.tenant }]
      })
    )
    .sort((a, b) => a.at - b.at)

const takeDue = (
  state: State,
  { leaseMillis, limit, limitPerConnection, now, underWay }: DueQuery
): ReadonlyArray<DuePayment> => {
  const places = new Map<string | null, number>()
  const inTurn = dueAt(state, now).flatMap((due) => {
    const place = places.get(due.connectionId) ?? underWay.get(due.connectionId) ?? 0
    if (place >= limitPerConnection) return []
    places.set(due.connectionId, place + 1)
    return [{ ...due, place }]
  })
  const taken = inTurn.sort((a, b) => a.place - b.place || a.at - b.at).slice(0, limit)
  for (const { checks, connectionId, paymentId } of taken) {
    checks.set(paymentId, { at: now + leaseMillis, connectionId })
  }
  return taken.map(({ connectionId, paymentId, tenant }) => ({ tenant, paymentId, connectionId }))
}

export const setCheck = (
  checks: TenantState["checks"],
  paymentId: string,
  { checkAt, checkedConnection }: Pick<Change, "checkAt" | "checkedConnection">
): void => {
  if (checkAt == null) checks.delete(paymentId)
  else checks.set(paymentId, { at: checkAt, connectionId: checkedConnection ?? null })
}
