/** Disputes of payments, and the evidence that is kept for them. */
import type { Dispute } from "@pointsman/core"
import type { Change, DueDispute, Ledger } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { byPlace, byText, copy, ofTenant, type State, type TenantState } from "./State.ts"

export const disputeMethods = (
  state: State
): Pick<Ledger["Service"], "dispute" | "disputes" | "dueDisputes" | "evidence"> => ({
  dispute: (tenant, id) =>
    Effect.sync(() =>
      Option.map(Option.fromUndefinedOr(disputesOf(ofTenant(state, tenant)).find((one) => one.id === id)), copy)
    ),
  disputes: (tenant, { before, limit, paymentId, status }) =>
    Effect.sync(() =>
      disputesOf(ofTenant(state, tenant))
        .filter((one) => paymentId === undefined || one.paymentId === paymentId)
        .filter((one) => status === undefined || one.status === status)
        .filter(({ id }) => before === undefined || id < before)
        .sort((a, b) => byText(b.id, a.id))
        .slice(0, limit)
        .map(copy)
    ),
  dueDisputes: ({ after, limit, now }) =>
    Effect.sync(() =>
      [...state.tenants.values()]
        .flatMap((stored) => disputesOf(stored).flatMap((dispute) => dueOf(stored, dispute)))
        .filter(({ checkAt }) => checkAt <= now)
        .filter((due) => after === undefined || byPlace(placeOf(due), placeOf(after)) > 0)
        .sort((a, b) => byPlace(placeOf(a), placeOf(b)))
        .slice(0, limit)
    ),
  evidence: (tenant, paymentId, disputeId) =>
    Effect.sync(() => {
      const kept = ofTenant(state, tenant).evidence.get(disputeId)
      return kept?.paymentId === paymentId && kept.sealed !== "" ? Option.some(kept.sealed) : Option.none()
    })
})

const disputesOf = ({ disputes }: TenantState): ReadonlyArray<Dispute> => [...disputes.values()].flat()

const dueOf = ({ tenant }: TenantState, { checkAt, id, paymentId }: Dispute): ReadonlyArray<DueDispute> =>
  checkAt === null ? [] : [{ tenant, paymentId, disputeId: id, checkAt }]

const placeOf = ({ checkAt, disputeId }: Pick<DueDispute, "checkAt" | "disputeId">) => ({
  at: checkAt,
  name: disputeId
})

/** Of a change that is written. */
export const takeDisputes = (stored: TenantState, { disputes = [], evidence = [], payment }: Change): void => {
  const { id } = payment.after
  if (disputes.length > 0) {
    const kept = (stored.disputes.get(id) ?? []).filter((one) => !disputes.some((written) => written.id === one.id))
    stored.disputes.set(id, [...kept, ...disputes])
  }
  for (const one of evidence) stored.evidence.set(one.id, one)
}
