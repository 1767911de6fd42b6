import { Clock, Effect, Schema } from "effect"
import { DeliveryWake } from "../../commit/WakeDelivery.ts"
import { type Delivery, redelivered } from "../../model/Delivery.ts"
import { deliveryStates } from "../../model/DeliveryMachine.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { Deliveries, type DeliveryQuery } from "../../ports/Deliveries.ts"
import { page } from "../read/ReadPayments.ts"

/** No such delivery of this tenant. */
export class DeliveryNotFound extends Schema.TaggedError<DeliveryNotFound>()("pointsman/DeliveryNotFound", {}) {}

/** It is still on its way, or has arrived; `state` says which. */
export class NotRedeliverable extends Schema.TaggedError<NotRedeliverable>()("pointsman/NotRedeliverable", {
  state: Schema.Literals(deliveryStates)
}) {}

/** Newest first. */
export const deliveries = Effect.fnUntraced(function* (tenant: Tenant, query: DeliveryQuery) {
  const store = yield* Deliveries
  return page<Delivery>(query.limit, yield* store.list(tenant, { ...query, limit: query.limit + 1 }))
})

const find = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
  const store = yield* Deliveries
  const found = yield* store.delivery(tenant, id)
  return yield* Effect.mapError(Effect.fromOption(found), () => new DeliveryNotFound())
})

export const deliveryAttempts = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
  yield* find(tenant, id)
  return yield* (yield* Deliveries).attempts(tenant, id)
})

/** Makes what was refused or given up due again (decisions, section 9). */
export const redeliver = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
  const before = yield* find(tenant, id)
  const after = redelivered(before, yield* Clock.currentTimeMillis)
  if (after === undefined) return yield* new NotRedeliverable({ state: before.state })
  if (!(yield* (yield* Deliveries).replace(before, after))) {
    // Somebody else asked for it in between.
    return yield* new NotRedeliverable({ state: (yield* find(tenant, id)).state })
  }
  yield* (yield* DeliveryWake).wake
  return after
})
