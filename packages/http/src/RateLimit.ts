/**
 * How many requests an API key may make: so many a second, and after a pause twice as many at once (decisions, section
 * 11). The limit is this process's alone.
 */
import type { ApiKey } from "@pointsman/core"
import { Clock, Context, Duration, Effect, Layer, Schema } from "effect"
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

/**
 * How many messages of providers are taken: by connection those that are verified, and by the address that they come from
 * those that are not (decisions, section 11). Nothing is limited unless a limiter is provided.
 */
export const MessageRateLimit = Context.Reference<{
  /** Takes nothing. It fails for an address that sent too many which failed verification. */
  readonly admitSource: (address: string) => Effect.Effect<void, RateExceeded>
  /** For each message that fails verification. */
  readonly countRefused: (address: string) => Effect.Effect<void>
  readonly takeConnection: (connectionId: string) => Effect.Effect<void, RateExceeded>
}>("pointsman/http/MessageRateLimit", {
  defaultValue: () => ({
    admitSource: () => Effect.void,
    countRefused: () => Effect.void,
    takeConnection: () => Effect.void
  })
})

export interface MessageRateLimitOptions {
  /** Verified messages per second and connection, at least 1; `null` for no limit. 1,000 unless set. */
  readonly perConnection?: number | null | undefined
  /** Messages per second and address that fail verification, at least 1; 200 unless set. */
  readonly perSource?: number | undefined
}

export const messagesPerConnection = 1_000
const refusedPerSource = 200

/** Buckets as those of `layer`. */
export const layerMessages = ({
  perConnection = messagesPerConnection,
  perSource = refusedPerSource
}: MessageRateLimitOptions = {}): Layer.Layer<never> =>
  Layer.sync(MessageRateLimit, () => {
    const sources = new Map<string, Bucket>()
    const connections = new Map<string, Bucket>()
    return {
      admitSource: (address) => admit(sources, address, perSource),
      countRefused: (address) => Effect.ignore(takeOne(sources, address, perSource)),
      takeConnection: (connectionId) =>
        perConnection === null ? Effect.void : takeOne(connections, connectionId, perConnection)
    }
  })

/**
 * Addresses are anybody's to choose, so that no more of them are remembered at once: some 20 MB. The one that was not
 * heard of for the longest time is forgotten, which gives it a full bucket again.
 */
const bucketsAtMost = 100_000

interface Bucket {
  readonly tokens: number
  /** Epoch milliseconds. */
  readonly at: number
}

/** As it is at this time, in epoch milliseconds. */
const filled = (before: Bucket | undefined, perSecond: number, now: number): number => {
  const full = 2 * perSecond
  return before === undefined ? full : Math.min(full, before.tokens + (Math.max(0, now - before.at) * perSecond) / 1000)
}

const passed = (tokens: number, perSecond: number): Effect.Effect<void, RateExceeded> =>
  tokens < 1 ? Effect.fail(new RateExceeded({ retryAfterMillis: ((1 - tokens) * 1000) / perSecond })) : Effect.void

const admit = (buckets: Map<string, Bucket>, key: string, perSecond: number): Effect.Effect<void, RateExceeded> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => passed(filled(buckets.get(key), perSecond, now), perSecond))

const takeOne = (buckets: Map<string, Bucket>, key: string, perSecond: number): Effect.Effect<void, RateExceeded> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const tokens = filled(buckets.get(key), perSecond, now)
    // Set anew, so that the first in the map is the one that was not heard of for the longest time.
    buckets.delete(key)
    buckets.set(key, { tokens: tokens < 1 ? tokens : tokens - 1, at: now })
    const [oldest] = buckets.size > bucketsAtMost ? buckets.keys() : []
    if (oldest !== undefined) buckets.delete(oldest)
    return passed(tokens, perSecond)
  })
