/** Deliveries in a map: what is due is found by looking at all of them. */
import type { Delivery, Event } from "@pointsman/core"
import { resumed } from "@pointsman/core/internal"
import {
  type AttemptRecord,
  type Change,
  Deliveries,
  type DueDelivery,
  type DueDeliveryQuery,
  type WebhookEndpoint
} from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { byText, copy, type State, type StoredDelivery, tenantKey } from "./State.ts"

export const make = (state: State): Deliveries["Service"] =>
  Deliveries.of({
    takeDue: (query) => Effect.sync(() => takeDue(state, query)),
    firstDueAt: Effect.sync(() =>
      [...state.deliveries.values()].reduce<number | null>((first, { delivery: { dueAt } }) => {
        if (dueAt === null) return first
        return first === null ? dueAt : Math.min(first, dueAt)
      }, null)
    ),
    record: (records) =>
      Effect.sync(() => {
        for (const record of copy(records)) keep(state, record)
      }),
    replace: (before, after) =>
      Effect.sync(() => {
        const stored = ofTenant(state, before)
        const { delivery } = stored ?? {}
        if (stored === undefined || delivery?.state !== before.state || delivery.attempts !== before.attempts)
          return false
        stored.delivery = copy(after)
        return true
      }),
    delivery: (tenant, id) =>
      Effect.sync(() => Option.map(Option.fromUndefinedOr(ofTenant(state, { tenant, id })?.delivery), copy)),
    list: (tenant, { before, endpointId, limit, paymentId, state: wanted }) =>
      Effect.sync(() =>
        [...state.deliveries.values()]
          .filter(({ event }) => paymentId === undefined || event.paymentId === paymentId)
          .map(({ delivery }) => delivery)
          .filter((delivery) => endpointId === undefined || delivery.endpointId === endpointId)
          .filter((delivery) => tenantKey(delivery.tenant) === tenantKey(tenant))
          .filter((delivery) => wanted === undefined || delivery.state === wanted)
          .filter(({ id }) => before === undefined || id < before)
          .sort((a, b) => byText(b.id, a.id))
          .slice(0, limit)
          .map(copy)
      ),
    events: (tenant, ids) =>
      Effect.sync(
        () =>
          new Map(
            ids.flatMap((id) => {
              const stored = ofTenant(state, { tenant, id })
              return stored === undefined ? [] : [[id, copy(stored.event)] as const]
            })
          )
      ),
    attempts: (tenant, id) => Effect.sync(() => copy(ofTenant(state, { tenant, id })?.attempts ?? []))
  })

const ofTenant = (state: State, { id, tenant }: Pick<Delivery, "id" | "tenant">): StoredDelivery | undefined => {
  const stored = state.deliveries.get(id)
  return stored !== undefined && tenantKey(stored.delivery.tenant) === tenantKey(tenant) ? stored : undefined
}

const takeDue = (
  state: State,
  { leaseMillis, limit, limitPerEndpoint, now }: DueDeliveryQuery
): ReadonlyArray<DueDelivery> => {
  const all = [...state.deliveries.values()]
  const isDue = ({ delivery }: StoredDelivery) => delivery.dueAt !== null && delivery.dueAt <= now
  const onTheirWay = new Map<string, number>()
  const count = (endpointId: string) => onTheirWay.set(endpointId, (onTheirWay.get(endpointId) ?? 0) + 1)
  for (const stored of all) {
    if (stored.delivery.state === "Sending" && !isDue(stored)) count(stored.delivery.endpointId)
  }
  const taken: Array<DueDelivery> = []
  const inTurn = all
    .filter(isDue)
    .sort((a, b) => (a.delivery.dueAt ?? 0) - (b.delivery.dueAt ?? 0) || byText(a.delivery.id, b.delivery.id))
  for (const stored of inTurn) {
    const { attempts, endpointId } = stored.delivery
    const endpoint = state.webhookEndpoints.get(endpointId)
    if (taken.length === limit) break
    if (endpoint === undefined || (onTheirWay.get(endpointId) ?? 0) >= limitPerEndpoint) continue
    count(endpointId)
    stored.delivery = { ...stored.delivery, state: "Sending", attempts: attempts + 1, dueAt: now + leaseMillis }
    stored.attempts.push({
      deliveryId: stored.delivery.id,
      number: attempts + 1,
      sentAt: now,
      endedAt: null,
      end: null
    })
    taken.push(copy({ delivery: stored.delivery, endpoint, event: stored.event }))
  }
  return taken
}

const keep = (state: State, { after, attempt }: AttemptRecord): void => {
  const stored = ofTenant(state, after)
  if (stored === undefined) return
  const { end, endedAt } = attempt
  const index = stored.attempts.findIndex(({ number }) => number === attempt.number)
  const begun = stored.attempts[index]
  if (begun !== undefined) stored.attempts[index] = { ...begun, endedAt, end }
  const { attempts, state: now } = stored.delivery
  if (now !== "Sending" || attempts !== attempt.number) return
  const isActive = state.webhookEndpoints.get(after.endpointId)?.active === true
  stored.delivery = (isActive ? resumed(after, end, endedAt ?? after.createdAt) : undefined) ?? after
}

/** The endpoints that an event of the change goes to, as they are at this moment. */
export const endpointsFor = (
  state: State,
  { tenant }: Change,
  { type }: Pick<Event, "type">
): ReadonlyArray<WebhookEndpoint> =>
  [...state.webhookEndpoints.values()].filter(
    (endpoint) =>
      endpoint.active &&
      tenantKey(endpoint) === tenantKey(tenant) &&
      (endpoint.events.includes("*") || endpoint.events.includes(type))
  )
