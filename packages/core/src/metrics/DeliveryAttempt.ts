/**
 * What is recorded of an attempt to deliver a webhook: how it ended, how long it took, and a span where spans are
 * collected. Of the address only the host: a path or a query may be the receiver's secret.
 */
import { Clock, Effect, Exit, Metric, Tracer } from "effect"
import type { Delivery, DeliveryEnd } from "../model/Delivery.ts"
import type { WebhookEndpoint } from "../ports/Directory.ts"
import { deliveriesEnded, deliveryAttempts } from "./Metrics.ts"
import { endSpan, secondsSince } from "./ProviderCall.ts"

export const observeDelivery =
  (delivery: Delivery, endpoint: WebhookEndpoint) =>
  <E, R>(attempt: Effect.Effect<DeliveryEnd, E, R>): Effect.Effect<DeliveryEnd, E, R> =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const begun = clock.currentTimeNanosUnsafe()
      const isOff = (yield* Tracer.Tracer) === Tracer.nativeTracer
      const end = yield* isOff ? attempt : traced(delivery, endpoint, clock, attempt)
      yield* Metric.update(deliveriesEnded(outcomeOf(end)), 1)
      yield* Metric.update(deliveryAttempts(outcomeOf(end)), secondsSince(begun, clock))
      return end
    })

/** `2xx`, or why there was no answer. */
const outcomeOf = (end: DeliveryEnd): string =>
  end._tag === "Answered" ? `${Math.floor(end.status / 100)}xx` : end.failure

const traced = <E, R>(
  delivery: Delivery,
  endpoint: WebhookEndpoint,
  clock: Clock.Clock,
  attempt: Effect.Effect<DeliveryEnd, E, R>
): Effect.Effect<DeliveryEnd, E, R> => {
  const attributes = {
    "http.request.method": "POST",
    "http.request.resend_count": delivery.attempts - 1,
    "server.address": URL.parse(endpoint.url)?.hostname ?? "",
    "pointsman.delivery.id": delivery.id,
    "pointsman.endpoint.id": endpoint.id
  }
  return Effect.flatMap(Effect.makeSpan("POST", { kind: "client", attributes }), (span) =>
    attempt.pipe(
      Effect.withParentSpan(span),
      Effect.onExit((exit) =>
        Effect.sync(() => {
          if (Exit.isFailure(exit)) return endSpan(span, clock, "Failed")
          if (exit.value._tag === "Failed") return endSpan(span, clock, exit.value.failure)
          span.attribute("http.response.status_code", exit.value.status)
          endSpan(span, clock, exit.value.status >= 400 ? String(exit.value.status) : undefined)
        })
      )
    )
  )
}
