/** Deliveries: what is due is found by looking at all of them. */
import { resumed } from "@pointsman/core/internal"
import type { Deliveries, DueDelivery } from "@pointsman/core/ports"
import { Option } from "effect"
import { all, by, find, has, least, type Methods, newest, put, update } from "./Records.ts"
import { of } from "./State.ts"

export const deliveries: Methods<Deliveries["Service"]> = {
  takeDue: (state, { leaseMillis, limit, limitPerEndpoint, now }) => {
    const taken: Array<DueDelivery> = []
    const counts = new Map<string, number>()
    const open = all(state, "deliveries").filter(({ delivery }) => delivery.dueAt !== null)
    for (const { dueAt, endpointId, state } of open.map(({ delivery }) => delivery))
      if (state === "Sending" && dueAt !== null && dueAt > now)
        counts.set(endpointId, (counts.get(endpointId) ?? 0) + 1)
    const inOrder = by("dueAt", "id")
    for (const { attempts, delivery: before, event } of open.sort((a, b) => inOrder(a.delivery, b.delivery))) {
      const { dueAt, endpointId, id: deliveryId, tenant } = before
      const endpoint = state.webhookEndpoints.get(endpointId)
      const count = counts.get(endpointId) ?? 0
      const isDue = dueAt !== null && dueAt <= now && count < limitPerEndpoint
      if (!isDue || endpoint === undefined || taken.length === limit) continue
      counts.set(endpointId, count + 1)
      const number = before.attempts + 1
      const delivery = { ...before, state: "Sending", attempts: number, dueAt: now + leaseMillis } as const
      const begun = { deliveryId, number, sentAt: now, endedAt: null, end: null }
      put(of(state, tenant).deliveries, deliveryId, { delivery, event, attempts: [...attempts, begun] })
      taken.push({ delivery, endpoint, event })
    }
    return taken
  },
  firstDueAt: { get: (state) => least(all(state, "deliveries").flatMap(({ delivery }) => delivery.dueAt ?? [])) },
  record: (state, records) => {
    for (const { after, attempt } of records) {
      const { end, endedAt, number } = attempt
      const isActive = state.webhookEndpoints.get(after.endpointId)?.active === true
      const next = (isActive && resumed(after, end, endedAt ?? after.createdAt)) || after
      update(of(state, after.tenant).deliveries, after.id, ({ attempts, delivery }) => ({
        delivery: has({ attempts: number, state: "Sending" })(delivery) ? next : delivery,
        attempts: attempts.map((one) => (one.number === number ? { ...one, end, endedAt } : one))
      }))
    }
  },
  replace: (state, { attempts, id, state: before, tenant }, delivery) =>
    update(of(state, tenant).deliveries, id, { delivery }, (stored) =>
      has({ attempts, state: before })(stored.delivery)
    ),
  delivery: (state, tenant, id) => Option.map(find(of(state, tenant).deliveries, id), ({ delivery }) => delivery),
  list: (state, tenant, { before, endpointId, limit, paymentId, state: wanted }) => {
    const found = all(state, "deliveries", tenant).filter(({ event }) => has({ paymentId })(event))
    const listed = found.map(({ delivery }) => delivery).filter(has({ endpointId, state: wanted }))
    return newest(listed, { before, limit })
  },
  events: (state, tenant, ids) => {
    const found = ids.flatMap((id) => of(state, tenant).deliveries.get(id) ?? [])
    return new Map(found.map(({ delivery, event }) => [delivery.id, event]))
  },
  attempts: (state, tenant, id) => of(state, tenant).deliveries.get(id)?.attempts ?? []
}
