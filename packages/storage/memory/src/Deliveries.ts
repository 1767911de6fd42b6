/** Deliveries: what is due is found by looking at all of them. */
import { resumed } from "@pointsman/core/internal"
import type { Deliveries, DueDelivery } from "@pointsman/core/ports"
import { Option } from "effect"
import { by, find, has, type Methods, named, newestFirst, page, update } from "./Records.ts"
import { of, type State, tenantsOf } from "./State.ts"

export const deliveries: Methods<Deliveries["Service"]> = {
  takeDue: (state, { leaseMillis, limit, limitPerEndpoint, now }) => {
    const sending = allOf(state).filter(({ dueAt, state }) => state === "Sending" && dueAt !== null && dueAt > now)
    const counts = new Map(
      [...Map.groupBy(sending, ({ endpointId }) => endpointId)].map(([id, some]) => [id, some.length])
    )
    const taken: Array<DueDelivery> = []
    for (const due of page(allOf(state), by("dueAt", "id"), { where: ({ dueAt }) => dueAt !== null && dueAt <= now })) {
      const endpoint = state.webhookEndpoints.get(due.endpointId)
      const count = counts.get(due.endpointId) ?? 0
      if (taken.length === limit || endpoint === undefined || count >= limitPerEndpoint) continue
      counts.set(due.endpointId, count + 1)
      const number = due.attempts + 1
      const delivery = { ...due, state: "Sending", attempts: number, dueAt: now + leaseMillis } as const
      const begun = { deliveryId: due.id, number, sentAt: now, endedAt: null, end: null }
      update(of(state, due.tenant).deliveries, due.id, ({ attempts, event }) => {
        taken.push({ delivery, endpoint, event })
        return { delivery, event, attempts: [...attempts, begun] }
      })
    }
    return taken
  },
  firstDueAt: {
    get: (state) => {
      const times = allOf(state).flatMap(({ dueAt }) => dueAt ?? [])
      return times.length === 0 ? null : Math.min(...times)
    }
  },
  record: (state, records) => {
    for (const { after, attempt } of records) {
      const { end, endedAt, number } = attempt
      const isActive = state.webhookEndpoints.get(after.endpointId)?.active === true
      const next = (isActive && resumed(after, end, endedAt ?? after.createdAt)) || after
      update(of(state, after.tenant).deliveries, after.id, ({ attempts, delivery, event }) => ({
        delivery: has({ attempts: number, state: "Sending" })(delivery) ? next : delivery,
        event,
        attempts: attempts.map((one) => (one.number === number ? { ...one, end, endedAt } : one))
      }))
    }
  },
  replace: (state, { attempts, id, state: before, tenant }, delivery) =>
    update(of(state, tenant).deliveries, id, (stored) =>
      has({ attempts, state: before })(stored.delivery) ? { ...stored, delivery } : undefined
    ),
  delivery: (state, tenant, id) => Option.map(find(of(state, tenant).deliveries, id), ({ delivery }) => delivery),
  list: (state, tenant, { before: id, endpointId, limit, paymentId, state: wanted }) =>
    page(
      [...of(state, tenant).deliveries.values()]
        .filter(({ event }) => has({ paymentId })(event))
        .map(({ delivery }) => delivery),
      newestFirst,
      { after: named(id), limit, where: has({ endpointId, state: wanted }) }
    ),
  events: (state, tenant, ids) =>
    new Map(
      ids.flatMap((id) => {
        const stored = of(state, tenant).deliveries.get(id)
        return stored === undefined ? [] : [[id, stored.event] as const]
      })
    ),
  attempts: (state, tenant, id) => of(state, tenant).deliveries.get(id)?.attempts ?? []
}

const allOf = (state: State) =>
  tenantsOf(state).flatMap(({ deliveries }) => [...deliveries.values()].map(({ delivery }) => delivery))
