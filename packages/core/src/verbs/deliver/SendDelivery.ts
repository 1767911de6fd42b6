/** One attempt of a delivery: signed, sent, and what its end makes of the delivery. */
import { Cause, Clock, Effect, Option, Random, type Redacted, Result } from "effect"
import { observeDelivery } from "../../metrics/DeliveryAttempt.ts"
import { afterAttempt, type DeliveryEnd } from "../../model/Delivery.ts"
import { endpointSecretContext, signingSecrets } from "../../model/EndpointSecret.ts"
import type { AttemptRecord } from "../../ports/Deliveries.ts"
import { Directory, type WebhookEndpoint } from "../../ports/Directory.ts"
import type { DeliverySettings } from "../../ports/PaymentSettings.ts"
import { Secrets } from "../../ports/Secrets.ts"
import { signatureHeader, signatureOf } from "../../ports/Signature.ts"
import { WebhookSender } from "../../ports/WebhookSender.ts"
import type { TakenDelivery } from "./TakenAhead.ts"
import { makeTimeouts } from "./Timeouts.ts"

export interface Attempted {
  readonly record: AttemptRecord
  /** Its fiber was interrupted by that, and can send nothing else. */
  readonly isTimedOut: boolean
}

export const makeSendDelivery = ({ scheduleMillis, timeoutMillis }: DeliverySettings) => {
  const liveSecrets = makeLiveSecrets()
  const timeouts = makeTimeouts(timeoutMillis)

  /** To be run uninterruptibly: the sending itself is interruptible, and what it came to is recorded. */
  const sendOnce = Effect.fnUntraced(function* (taken: TakenDelivery) {
    const { body, due, takenAt } = taken
    const { delivery, event } = due
    const endpoint = yield* endpointNow(taken)
    let isTimedOut = false
    const end = yield* timeouts.within(send(endpoint, liveSecrets, delivery.id, event.id, body)).pipe(
      Effect.map(
        Option.getOrElse(() => {
          isTimedOut = true
          return failed("TimedOut")
        })
      ),
      Effect.catchCauseIf(
        (cause) => !Cause.hasInterrupts(cause),
        (cause) => Effect.as(Effect.logError(`webhook ${delivery.id} could not be sent`, cause), failed("NoAnswer"))
      ),
      observeDelivery(delivery, endpoint)
    )
    const endedAt = yield* Clock.currentTimeMillis
    const drawn = yield* Random.next
    const record: AttemptRecord = {
      after: afterAttempt(delivery, end, endedAt, scheduleMillis, drawn),
      attempt: { deliveryId: delivery.id, number: delivery.attempts, sentAt: takenAt, endedAt, end }
    }
    return { record, isTimedOut } satisfies Attempted
  })

  return { sendOnce, watch: timeouts.watch }
}

/** As long as the directory's copy may be behind the store, in milliseconds. */
const staleAfterMillis = 1_000

/**
 * A delivery that was taken ahead waits, while its endpoint may be withdrawn or its secret replaced: a receiver refuses the
 * old secret with a 4xx, which is final. Without the directory, the endpoint is the one that was taken.
 */
const endpointNow = Effect.fnUntraced(function* ({ due: { endpoint }, takenAt }: TakenDelivery) {
  if ((yield* Clock.currentTimeMillis) - takenAt < staleAfterMillis) return endpoint
  const contents = Option.getOrUndefined(yield* Effect.option((yield* Directory).contents))
  return contents?.webhookEndpoints.find(({ id }) => id === endpoint.id) ?? endpoint
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

/** Endpoints; the one that was opened first makes room. */
const keptAtMost = 1_024

/** Known again by what is sealed: a secret that is replaced, or sealed by another key, is opened anew. */
export const makeLiveSecrets = () => {
  const kept = new Map<string, ReadonlyArray<Redacted.Redacted<string>>>()
  return Effect.fnUntraced(function* (endpoint: WebhookEndpoint) {
    const { id } = endpoint
    const live = signingSecrets(endpoint, yield* Clock.currentTimeMillis)
    const key = JSON.stringify([id, ...live])
    const known = kept.get(key)
    if (known !== undefined) return known
    const secrets = yield* Secrets
    const opened = yield* Effect.forEach(live, (sealed) => secrets.open(sealed, endpointSecretContext(id)))
    const [oldest] = kept.keys()
    if (kept.size >= keptAtMost && oldest !== undefined) kept.delete(oldest)
    kept.set(key, opened)
    return opened
  })
}

export type LiveSecrets = ReturnType<typeof makeLiveSecrets>
