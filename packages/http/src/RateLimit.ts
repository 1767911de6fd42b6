/**
 * How many requests an API key may make: so many a second, and after a pause twice as many at once (decisions, section
 * 11). The limit is this process's alone.
 */
import type { ApiKey } from "@pointsman/core"
import { Context, Duration, Effect, Layer, Schema } from "effect"
import { RateLimiter } from "effect/persistence"

/** The key has used up its rate. */
export class RateExceeded extends Schema.TaggedError<RateExceeded>()("pointsman/http/RateExceeded", {
  /** Milliseconds until the next request is let through. */
  retryAfterMillis: Schema.Finite
}) {}

/**
 * Asked once for every request that showed a good key, after its scope and before its headers (decisions, section
 * 4). Nothing is limited unless a limiter is provided.
 */
export const RateLimit = Context.Reference<{
  readonly take: (apiKey: ApiKey) => Effect.Effect<void, RateExceeded>
}>("pointsman/http/RateLimit", { defaultValue: () => ({ take: () => Effect.void }) })

export interface RateLimitOptions {
  /** Requests per second and key, at least 1. */
  readonly perSecond: number
}

/** A bucket of two seconds' requests for each key, which fills up evenly. One that is refused takes nothing. */
export const layer = ({ perSecond }: RateLimitOptions): Layer.Layer<never> =>
  Layer.effect(
    RateLimit,
    Effect.map(RateLimiter.RateLimiter, (limiter) => ({
      take: (apiKey: ApiKey) =>
        // By the key's hash, so that the buckets are as many as the keys that exist: the store forgets none.
        limiter
          .consume({ algorithm: "token-bucket", key: apiKey.hash, limit: 2 * perSecond, window: "2 seconds" })
          .pipe(
            Effect.catch(({ reason }) =>
              reason._tag === "RateLimitExceeded"
                ? Effect.fail(new RateExceeded({ retryAfterMillis: Duration.toMillis(reason.retryAfter) }))
                : Effect.die(reason)
            ),
            Effect.asVoid
          )
    }))
  ).pipe(Layer.provide(RateLimiter.layer.pipe(Layer.provide(RateLimiter.layerStoreMemory))))
