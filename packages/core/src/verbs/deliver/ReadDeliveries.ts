import { Clock, Effect, Schema } from "effect"
import { DeliveryWake } from "../../commit/WakeDelivery.ts"
import { type Delivery, type DeliveryAttempt, redelivered } from "../../model/Delivery.ts"
import { deliveryStates } from "../../model/DeliveryMachine.ts"
import type { Event } from "../../model/Event.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { Deliveries, type DeliveryQuery } from "../../ports/Deliveries.ts"
import { page } from "../read/ReadPayments.ts"

/** No such delivery of this tenant. */
export class DeliveryNotFound extends Schema.TaggedError<DeliveryNotFound>()("pointsman/DeliveryNotFound", {}) {}

/** It is still on its way, has arrived unseen, or was sent again since; `state` says where it is now. */
export class NotRedeliverable extends Schema.TaggedError<NotRedeliverable>()("pointsman/NotRedeliverable", {
  state: Schema.Literals(deliveryStates)
}) {}

/** A delivery with what is sent, and every attempt in the order of their numbers. */
export interface DeliveryFile {
  readonly delivery: Delivery
  readonly event: Event
  readonly attempts: ReadonlyArray<DeliveryAttempt>
}

export interface RedeliveryOptions {
  /**
   * `attempts` of the delivery that the operator saw: a repeated request then sends nothing once more. One that has arrived
   * is sent again only with them.
   */
  readonly seenAttempts?: number | undefined
}

/** Newest first. */
export const deliveries = Effect.fnUntraced(function* (tenant: Tenant, query: DeliveryQuery) {
  const store = yield* Deliveries
  return page<Delivery>(query.limit, yield* store.list(tenant, { ...query, limit: query.limit + 1 }))
})

const find = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
  const store = yield* Deliveries
  const found = yield* store.delivery(tenant, id)
  return yield* Effect.fromOption(found, () => new DeliveryNotFound())
})

export const deliveryFile = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
  const store = yield* Deliveries
  const delivery = yield* find(tenant, id)
  const event = (yield* store.events(tenant, [id])).get(id)
  if (event === undefined) return yield* Effect.die(new Error(`delivery ${id} has no event`))
  return { delivery, event, attempts: yield* store.attempts(tenant, id) } satisfies DeliveryFile
})

/** By the delivery's id. */
export const deliveredEvents = Effect.fnUntraced(function* (tenant: Tenant, deliveryIds: ReadonlyArray<string>) {
  return yield* (yield* Deliveries).events(tenant, deliveryIds)
})

export const deliveryAttempts = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
  yield* find(tenant, id)
  return yield* (yield* Deliveries).attempts(tenant, id)
})

/** Makes what ended due again. */
export const redeliver = Effect.fnUntraced(function* (
  tenant: Tenant,
  id: string,
  { seenAttempts }: RedeliveryOptions = {}
) {
  const before = yield* find(tenant, id)
  if (seenAttempts === undefined ? before.state === "Delivered" : seenAttempts !== before.attempts) {
    return yield* new NotRedeliverable({ state: before.state })
  }
  const after = redelivered(before, yield* Clock.currentTimeMillis)
  if (after === undefined) return yield* new NotRedeliverable({ state: before.state })
  if (!(yield* (yield* Deliveries).replace(before, after))) {
    // Another request asked for it in between.
    return yield* new NotRedeliverable({ state: (yield* find(tenant, id)).state })
  }
  const deliveryWake = yield* DeliveryWake
  deliveryWake.wake()
  return after
})
