/** The refusal of a message whose sender is not known to be the provider. Who sent it learns nothing from it. */
import { Clock, Context, Effect, Metric, Redacted, Schema } from "effect"
import { OpenConnections } from "../../call/CallProvider.ts"
import { messagesRefused } from "../../metrics/Metrics.ts"
import { messageCrypto } from "../../ports/ReadMessage.ts"
import { keyStorageError, Secrets } from "../../ports/Secrets.ts"
import { signatureHeader, verifySignature } from "../../ports/Signature.ts"

/** The message is refused. There is one refusal, whatever the reason: see the log. */
export class MessageRefused extends Schema.TaggedError<MessageRefused>()("pointsman/MessageRefused", {}) {}

/**
 * A refusal is answered so many milliseconds after the message was received, or a multiple of them where it took longer: by
 * its time, a sender could tell which connections exist and which provider each of them is for, because every provider's
 * messages are verified in another manner. Verification takes 1 to 8 ms, by the length of the message. 0: at once.
 */
export const RefusalTick = Context.Reference<number>("pointsman/RefusalTick", { defaultValue: () => 25 })

const nanosPerMilli = 1_000_000

/** `verify`, which begins when the message is received, with its refusals at ticks. */
export const refuseAtTicks = Effect.fnUntraced(function* <A, E, R>(verify: Effect.Effect<A, E | MessageRefused, R>) {
  const tickNanos = (yield* RefusalTick) * nanosPerMilli
  const receivedAt = yield* Clock.monotonicTimeNanos
  const sinceNanos = Effect.map(Clock.monotonicTimeNanos, (now) => Number(now - receivedAt))
  const nextTick = Effect.gen(function* () {
    const took = yield* sinceNanos
    const dueNanos = tickNanos * Math.max(1, Math.ceil(took / tickNanos))
    // A timer counts whole milliseconds, from when the event loop last looked at the clock: it may end early.
    for (let left = dueNanos - took; left > 0; left = dueNanos - (yield* sinceNanos)) {
      yield* Effect.sleep(left / nanosPerMilli)
    }
  })
  return yield* Effect.tapError(verify, (failure) =>
    failure instanceof MessageRefused && tickNanos > 0 ? nextTick : Effect.void
  )
})

/** Anybody can cause refusals: the log has one line for each connection and minute, and the metric counts them all. */
const warningMillis = 60_000

/** `connectionId`: of a connection that exists. */
export const refuseUnverified = Effect.fnUntraced(function* (connectionId: string, reason: string) {
  yield* Metric.update(messagesRefused(connectionId), 1)
  const { refusalLoggedAt } = yield* OpenConnections
  const now = yield* Clock.currentTimeMillis
  if (now - (refusalLoggedAt.get(connectionId) ?? Number.NEGATIVE_INFINITY) >= warningMillis) {
    refusalLoggedAt.set(connectionId, now)
    yield* Effect.logWarning(
      `a message to connection ${connectionId} was refused: ${reason}. Further ones are not logged for a minute`
    )
  }
  return yield* new MessageRefused()
})

/** A secret of no connection. Checking against it makes the refusal take as long as that of a wrong signature. */
const decoySecret = Redacted.make("whsec_of_no_connection")
const decoyContext = "connection::webhook-secret"

/** By the key that sealed it. */
const sealedDecoys = new WeakMap<Secrets["Service"], string>()

/** For a connection that does not exist, or that can have no messages. */
export const refuseSlowly = Effect.fnUntraced(function* (
  headers: Readonly<Record<string, string | undefined>>,
  body: Uint8Array,
  receivedAt: number
) {
  const secrets = yield* Secrets
  const sealed =
    sealedDecoys.get(secrets) ??
    (yield* Effect.mapError(secrets.seal(decoySecret, decoyContext), keyStorageError("refusing a message")))
  sealedDecoys.set(secrets, sealed)
  yield* secrets.open(sealed, decoyContext).pipe(
    // As of a connection that exists: it is no refusal while the key is unavailable.
    Effect.catchTags({
      "pointsman/KeyUnavailable": (cause) => Effect.fail(keyStorageError("refusing a message")(cause)),
      "pointsman/SealBroken": () => Effect.void
    })
  )
  yield* verifySignature(headers[signatureHeader], [decoySecret], body, Math.floor(receivedAt / 1000)).pipe(
    Effect.provide(messageCrypto),
    Effect.ignore
  )
  return yield* new MessageRefused()
})
