/**
 * The shop's own route: `POST /orders/:id/checkout` charges an order through the `Pointsman` service, without HTTP in
 * between.
 *
 * The key is made from the order, so that a second click, a second tab and
 * a request sent again are answered with the payment that is there. A new try gets a new key, and begins only once the
 * one before it is known to have moved nothing: never after an unknown result.
 */
import { type CreateRequest, type Payment, type PaymentStatus, Pointsman, statusOf } from "@pointsman/core"
import { Effect, Option } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { type Order, Orders } from "./Orders.ts"
import { ShopCaller } from "./Workspace.ts"

export const path = "/orders/:id/checkout"

/** A customer whose card was declined so often has to talk to somebody. */
const maxTries = 5

/** Nothing was charged, and nothing will be. */
const movedNothing: ReadonlySet<PaymentStatus> = new Set(["DECLINED", "FAILED"])

export const layer = HttpRouter.add(
  "POST",
  path,
  Effect.gen(function* () {
    const orders = yield* Orders
    const { id = "" } = yield* HttpRouter.params
    const order = yield* orders.find(id)
    if (Option.isNone(order)) return answer(404, { message: "There is no such order." })
    return yield* checkOut(order.value)
  })
)

const checkOut = Effect.fnUntraced(
  function* (order: Order) {
    const pointsman = yield* Pointsman
    const caller = yield* ShopCaller
    for (let tryNumber = 1; tryNumber <= maxTries; tryNumber++) {
      const created = yield* pointsman.create(caller, requestOf(order, tryNumber))
      if (!created.isReplay) return paymentAnswer(order, created.payment)
      // A replay shows what was answered the first time; its current state decides here.
      const payment = yield* pointsman.payment(caller.tenant, created.payment.id)
      if (!movedNothing.has(statusOf[payment.state])) return paymentAnswer(order, payment)
    }
    return answer(409, { order: order.id, message: "No card was accepted so often that this order needs our help." })
  },
  (effect, order) =>
    Effect.catchTags(effect, {
      // Another request of this order is charging at this moment. It has the answer, and so has the next one.
      "pointsman/RequestInProgress": () =>
        Effect.succeed(answer(409, { order: order.id, message: "This order is being paid." }, { "retry-after": "2" })),
      // The provider may have charged. The same key, later, finds out; the customer must not pay in another way.
      "pointsman/PaymentResultUnknown": ({ paymentId }) =>
        Effect.succeed(answer(202, { order: order.id, payment: paymentId, status: "UNKNOWN", message: waiting })),
      "pointsman/KeyReused": () =>
        Effect.succeed(answer(409, { order: order.id, message: "The order was changed after it was paid." })),
      "pointsman/RoutingFailed": ({ excluded }) =>
        Effect.as(
          Effect.logError("no connection takes the order", { order: order.id, excluded }),
          answer(503, { order: order.id, message: notNow })
        ),
      "pointsman/NothingSent": notCharged(order),
      "pointsman/StorageError": notRead(order),
      // The shop shows no API key that could be revoked, and reads no payment that it did not create.
      "pointsman/ApiKeyRevoked": Effect.die,
      "pointsman/PaymentNotFound": Effect.die
    })
)

const requestOf = (order: Order, tryNumber: number): CreateRequest => ({
  idempotencyKey: `order-${order.id}-try-${tryNumber}`,
  instruments: null,
  debug: false,
  details: {
    money: { minorUnits: order.amountMinor, currency: order.currency },
    country: order.country,
    method: "card",
    cardBrand: null,
    initiator: "cit",
    captureMethod: "automatic",
    reference: order.id,
    simulation: order.simulation
  }
})

const waiting = "We do not know yet whether this was paid. Please do not pay in another way."
const notNow = "This cannot be paid at the moment. Nothing was charged."

const notCharged = (order: Order) => (failure: unknown) =>
  Effect.as(
    Effect.logError("nothing was sent", failure),
    answer(503, { order: order.id, message: notNow }, { "retry-after": "2" })
  )

/** It was read whether an earlier try had ended: nothing new was charged, and the earlier one is unchanged. */
const notRead = (order: Order) => (failure: unknown) =>
  Effect.as(
    Effect.logError("the payment could not be read", failure),
    answer(503, { order: order.id, message: "Please try again in a moment." }, { "retry-after": "2" })
  )

const paymentAnswer = (order: Order, { id, state }: Payment) => {
  const status = statusOf[state]
  const body = { order: order.id, payment: id, status }
  switch (status) {
    case "CAPTURED":
    case "SETTLED":
      return answer(200, body)
    case "DECLINED":
    case "FAILED":
      return answer(402, { ...body, message: "Not paid. Try another card." })
    case "PENDING":
    case "UNKNOWN":
      return answer(202, { ...body, message: waiting })
    default:
      // Refunded, charged back and the like: the order's story goes on elsewhere, and it is not charged again.
      return answer(409, { ...body, message: "This order was paid before." })
  }
}

const answer = (status: number, body: object, headers: Readonly<Record<string, string>> = {}) =>
  HttpServerResponse.jsonUnsafe(body, { status, headers: { "cache-control": "no-store", ...headers } })
