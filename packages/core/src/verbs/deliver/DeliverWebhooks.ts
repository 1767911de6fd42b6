/**
 * Sends what is due, for as long as it runs. A delivery is taken by a lease, sent, and its outcome recorded. A process that
 * dies in between has perhaps sent it: after the lease it is sent again, under the same ids, by which receivers know it.
 *
 * An attempt waits for no other. The store hands out only so many at once for one endpoint, and an attempt that is not
 * answered soon gives its place to others: a hanging receiver delays no other. The store reads and writes meanwhile.
 */
import { Clock, Effect, Exit, Queue } from "effect"
import { withRetries } from "../../commit/CommitChange.ts"
import { makePlaces } from "../../commit/Places.ts"
import { DeliveryWake } from "../../commit/WakeDelivery.ts"
import { type AttemptRecord, Deliveries } from "../../ports/Deliveries.ts"
import { DeliverySettings } from "../../ports/PaymentSettings.ts"
import { StorageCondition } from "../../ports/StorageCondition.ts"
import { WebhookSender } from "../../ports/WebhookSender.ts"
import { type Attempted, makeSendDelivery } from "./SendDelivery.ts"
import { makeTakenAhead, type TakenDelivery } from "./TakenAhead.ts"

/** What has ended waits for others for so long, in milliseconds: far less than a receiver takes to answer. */
const gatherMillis = 10

/** Runs until it is interrupted; deliveries in flight are sent again by the next run. */
export const deliverWebhooks = Effect.fnUntraced(function* (everyMillis: number) {
  const sender = yield* Effect.serviceOption(WebhookSender)
  if (sender._tag === "None") {
    yield* Effect.logInfo("no WebhookSender is provided: webhooks stay queued in the database")
    return yield* Effect.never
  }
  return yield* Effect.provideService(deliverBy(everyMillis), WebhookSender, sender.value)
})

const deliverBy = Effect.fnUntraced(function* (everyMillis: number) {
  const store = yield* Deliveries
  const deliveryWake = yield* DeliveryWake
  const condition = yield* StorageCondition
  const settings = yield* DeliverySettings
  const { atOncePerEndpoint, leaseMillis } = settings
  const places = makePlaces<string>(settings)
  const ahead = makeTakenAhead(settings)
  const { sendOnce, watch } = makeSendDelivery(settings)
  // Holds one entry for each place, and for each record that may wait besides.
  const ended = yield* Queue.unbounded<AttemptRecord>()

  /** What ended together is recorded together: one durable write for all. Where much is under way, more ends soon. */
  const record = Effect.gen(function* () {
    yield* Queue.peek(ended)
    if (places.underWay() > settings.atOnce / 2) yield* Effect.sleep(gatherMillis)
    const records = yield* Queue.takeAll(ended)
    yield* withRetries(store.record(records)).pipe(
      // They are due again when their leases are over.
      Effect.catchCause((cause) => Effect.logError(`${records.length} webhook attempts could not be recorded`, cause))
    )
    places.recorded(records.length)
    deliveryWake.wake()
  })

  /** Gives whether more may be due than was taken. */
  const take = Effect.fnUntraced(function* (now: number) {
    const { free, moreAfterMillis } = places.at(now)
    // Where no place becomes free soon, another process is better at sending it.
    const limit = free + (moreAfterMillis < Number.POSITIVE_INFINITY ? ahead.room() : 0)
    if (limit === 0 || (yield* condition.read).refusal !== null) return false
    const due = yield* store
      .takeDue({ now, leaseMillis, limit, limitPerEndpoint: atOncePerEndpoint })
      .pipe(
        Effect.catchCause((cause) => Effect.as(Effect.logError("the due webhooks could not be claimed", cause), []))
      )
    ahead.add(due, now)
    return due.length === limit
  })

  const next = (now: number): TakenDelivery | undefined => {
    if (places.at(now).free === 0) return undefined
    const found = ahead.next(now)
    if (found !== undefined) places.take(found.due.delivery.id, now)
    return found
  }

  /** Sends one delivery after the other, as long as there is a place and something to send. */
  const sendAll = Effect.fnUntraced(function* (first: TakenDelivery) {
    for (let one: TakenDelivery | undefined = first; one !== undefined; one = next(yield* Clock.currentTimeMillis)) {
      const { id } = one.due.delivery
      const exit: Exit.Exit<Attempted> = yield* Effect.exit(sendOnce(one))
      // Of a sender that interrupts itself nothing is recorded: it is due again when its lease is over.
      if (Exit.isFailure(exit)) return places.leave(id)
      places.end(id)
      Queue.offerUnsafe(ended, exit.value.record)
      if (exit.value.isTimedOut) return
    }
  }, Effect.uninterruptible)

  const begin = Effect.gen(function* () {
    deliveryWake.reset()
    const now = yield* Clock.currentTimeMillis
    const isMore = ahead.isLow() && (yield* take(now))
    for (let one = next(now); one !== undefined; one = next(now)) yield* Effect.forkChild(sendAll(one))
    if (isMore && ahead.isLow()) return
    const { free, moreAfterMillis } = places.at(now)
    yield* deliveryWake.rest(free > 0 ? everyMillis : Math.min(everyMillis, moreAfterMillis))
  })

  yield* Effect.forkChild(Effect.forever(record))
  yield* Effect.forkChild(watch)
  return yield* Effect.forever(begin)
})
