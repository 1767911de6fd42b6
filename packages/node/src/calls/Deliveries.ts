/** Webhooks and their attempts. */
import * as Core from "@pointsman/core"
import * as InProcess from "@pointsman/http/in-process"
import { Effect } from "effect"
import { checkId, deliveriesQuery } from "../Orders.ts"
import { InternalError, NotFoundError, type PointsmanError, StateError } from "../PointsmanError.ts"
import { deliveryAttemptView, deliveryView } from "../Views.ts"
import { type Defaults, failing, fromStore, logCause, readerOf, storeFailed } from "./RunCall.ts"

export const deliveries = Effect.fnUntraced(function* (defaults: Defaults, query: unknown, options: unknown) {
  const pointsman = yield* Core.Pointsman
  const tenant = yield* readerOf(defaults, options)
  const page = yield* pointsman.deliveries(tenant, yield* deliveriesQuery(query)).pipe(fromStore)
  return InProcess.pageView(page, deliveryView)
})

export const deliveryAttempts = Effect.fnUntraced(function* (
  defaults: Defaults,
  deliveryId: unknown,
  options: unknown
) {
  const pointsman = yield* Core.Pointsman
  const tenant = yield* readerOf(defaults, options)
  const attempts = yield* pointsman
    .deliveryAttempts(tenant, yield* checkId("deliveryId", deliveryId))
    .pipe(failing((failure) => (failure._tag === "pointsman/StorageError" ? storeFailed() : noSuchDelivery())))
  return attempts.map(deliveryAttemptView)
})

export const redeliver = Effect.fnUntraced(function* (defaults: Defaults, deliveryId: unknown, options: unknown) {
  const pointsman = yield* Core.Pointsman
  const tenant = yield* readerOf(defaults, options)
  return yield* pointsman.redeliver(tenant, yield* checkId("deliveryId", deliveryId)).pipe(
    Effect.tapError(logCause),
    Effect.mapBoth({
      onFailure: (failure) => {
        switch (failure._tag) {
          case "pointsman/DeliveryNotFound":
            return noSuchDelivery()
          case "pointsman/NotRedeliverable":
            return new StateError("not_redeliverable", "The delivery is still in progress, or has succeeded.")
          case "pointsman/StorageError":
            return new InternalError("The delivery may have been scheduled. Read its status.")
        }
      },
      onSuccess: deliveryView
    })
  )
})

const noSuchDelivery = (): PointsmanError => new NotFoundError("Delivery not found.")
