/**
 * Sends what is due, for as long as it runs (specification, Delivery rules; decisions, section 9).
 *
 * A delivery is taken by a lease before it is sent, and its outcome is recorded afterwards. A process that dies in
 * between has perhaps sent it: after the lease it is sent again, under the same ids. So every event arrives at least
 * once, and receivers know it again by its id.
 *
 * Each attempt runs by itself and waits for no other. The store hands out only so many at once for one endpoint, and an
 * attempt that is not answered soon gives its place to others and waits on: a hanging receiver delays no other.
 */
import { Cause, Clock, Effect, Exit, Queue, Random, Result } from "effect"
import { insistently } from "../../commit/Budget.ts"
import { makePlaces } from "../../commit/Places.ts"
import { DeliveryWake } from "../../commit/WakeDelivery.ts"
import { observeDelivery } from "../../metrics/DeliveryAttempt.ts"
import { afterAttempt, type DeliveryEnd } from "../../model/Delivery.ts"
import { viewOfEvent } from "../../model/EventView.ts"
import { type AttemptRecord, Deliveries, type DueDelivery } from "../../ports/Deliveries.ts"
import { DeliverySettings } from "../../ports/DeliverySettings.ts"
import type { WebhookEndpoint } from "../../ports/Directory.ts"
import { signatureHeader, signatureOf } from "../../ports/Signature.ts"
import { StorageCondition } from "../../ports/StorageCondition.ts"
import { WebhookSender } from "../../ports/WebhookSender.ts"
import { type LiveSecrets, makeLiveSecrets } from "./LiveSecrets.ts"

const utf8 = new TextEncoder()

/** Runs until it is interrupted; deliveries in flight are sent again by the next run. */
export const deliverWebhooks = Effect.fnUntraced(function* (everyMillis: number) {
  const sender = yield* Effect.serviceOption(WebhookSender)
  if (sender._tag === "None") {
    yield* Effect.logInfo("no WebhookSender is provided: webhooks stay queued in the database")
    return yield* Effect.never
  }
  const store = yield* Deliveries
  const deliveryWake = yield* DeliveryWake
  const condition = yield* StorageCondition
  const { atOncePerEndpoint, leaseMillis } = yield* DeliverySettings
  const places = makePlaces<string>(yield* DeliverySettings)
  const liveSecrets = makeLiveSecrets()
  // Holds one entry for each attempt under way at most.
  const ended = yield* Queue.unbounded<AttemptRecord>()

  /** What ended together is recorded together: one durable write for all. */
  const record = Effect.gen(function* () {
    const records = yield* Queue.takeAll(ended)
    yield* insistently(store.record(records)).pipe(
      // They are due again when their leases are over.
      Effect.catchCause((cause) => Effect.logError(`${records.length} webhook attempts could not be recorded`, cause))
    )
    places.recorded(records.length)
    yield* deliveryWake.wake
  })

  const begin = Effect.gen(function* () {
    yield* deliveryWake.reset
    const now = yield* Clock.currentTimeMillis
    const isRefused = (yield* condition.read).refusal !== null
    const limit = isRefused ? 0 : places.at(now).free
    if (limit > 0) {
      const due = yield* store
        .takeDue({ now, leaseMillis, limit, limitPerEndpoint: atOncePerEndpoint })
        .pipe(
          Effect.catchCause((cause) => Effect.as(Effect.logError("the due webhooks could not be claimed", cause), []))
        )
      const bodyOf = makeBodies()
      for (const one of due) {
        places.take(one.delivery.id, now)
        const attempt = attemptOnce(one, bodyOf, liveSecrets, now).pipe(
          Effect.onExit((exit) =>
            Effect.sync(() => {
              // Of a sender that interrupts itself nothing is recorded: it is due again when its lease is over.
              if (Exit.isFailure(exit)) return places.leave(one.delivery.id)
              places.end(one.delivery.id)
              Queue.offerUnsafe(ended, exit.value)
            })
          )
        )
        yield* Effect.forkChild(Effect.provideService(attempt, WebhookSender, sender.value))
      }
    }
    const { free, moreAfterMillis } = places.at(now)
    yield* deliveryWake.rest(free > 0 ? everyMillis : Math.min(everyMillis, moreAfterMillis))
  })

  yield* Effect.forkChild(Effect.forever(record))
  return yield* Effect.forever(begin)
})

/** Of deliveries that were taken together: their events were read together, so that one of them has one body. */
const makeBodies = () => {
  const rendered = new Map<string, Uint8Array>()
  return ({ delivery: { tenant }, event }: DueDelivery): Uint8Array => {
    const key = JSON.stringify([tenant.workspaceId, tenant.environment, event.id])
    const known = rendered.get(key)
    if (known !== undefined) return known
    const body = utf8.encode(JSON.stringify(viewOfEvent(event)))
    rendered.set(key, body)
    return body
  }
}

const attemptOnce = Effect.fnUntraced(function* (
  due: DueDelivery,
  bodyOf: (due: DueDelivery) => Uint8Array,
  liveSecrets: LiveSecrets,
  sentAt: number
) {
  const { delivery, endpoint, event } = due
  const { scheduleMillis, timeoutMillis } = yield* DeliverySettings
  const end = yield* send(endpoint, liveSecrets, delivery.id, event.id, bodyOf(due)).pipe(
    Effect.timeoutOrElse({ duration: timeoutMillis, orElse: () => Effect.succeed(failed("TimedOut")) }),
    Effect.catchCauseIf(
      (cause) => !Cause.hasInterrupts(cause),
      (cause) => Effect.as(Effect.logError(`webhook ${delivery.id} could not be sent`, cause), failed("NoAnswer"))
    ),
    observeDelivery(delivery, endpoint)
  )
  const endedAt = yield* Clock.currentTimeMillis
  const drawn = yield* Random.next
  return {
    after: afterAttempt(delivery, end, endedAt, scheduleMillis, drawn),
    attempt: { deliveryId: delivery.id, number: delivery.attempts, sentAt, endedAt, end }
  } satisfies AttemptRecord
})

const send = Effect.fnUntraced(function* (
  endpoint: WebhookEndpoint,
  liveSecrets: LiveSecrets,
  deliveryId: string,
  eventId: string,
  body: Uint8Array
) {
  if (!endpoint.active) return failed("EndpointWithdrawn")
  const secrets = yield* Effect.result(liveSecrets(endpoint))
  if (Result.isFailure(secrets)) {
    yield* Effect.logError(`the secret of webhook endpoint ${endpoint.id} cannot be decrypted`)
    return failed("SecretUnreadable")
  }
  // Signed for each attempt anew: a receiver refuses a signature that is older than five minutes.
  const timestamp = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
  const signature = yield* signatureOf(secrets.success, timestamp, body)
  const sender = yield* WebhookSender
  const answer = yield* Effect.result(
    sender.send({
      url: endpoint.url,
      headers: {
        "content-type": "application/json",
        [signatureHeader]: signature,
        "x-service-event-id": eventId,
        "x-service-delivery-id": deliveryId
      },
      body
    })
  )
  if (Result.isSuccess(answer)) return { _tag: "Answered", status: answer.success } as const
  yield* Effect.logDebug(`webhook ${deliveryId}: ${answer.failure.message}`)
  return failed(answer.failure.failure)
})

const failed = (failure: Extract<DeliveryEnd, { _tag: "Failed" }>["failure"]): DeliveryEnd => ({
  _tag: "Failed",
  failure
})
