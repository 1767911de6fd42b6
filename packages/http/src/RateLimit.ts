/**
 * How many requests an API key may make: so many a second, and after a pause twice as many at once. The limit is this
 * process's alone.
 */
import type { ApiKey } from "@pointsman/core"
import { Clock, Context, Duration, Effect, Layer, Schema } from "effect"
import { RateLimiter } from "effect/persistence"
import { bytesPerRequest } from "./api/Authorization.ts"

/** The key has used up its rate. */
export class RateExceeded extends Schema.TaggedError<RateExceeded>()("pointsman/http/RateExceeded", {
  /** Milliseconds until the next request is let through. */
  retryAfterMillis: Schema.Finite
}) {}

/**
 * Asked once for every request that showed a good key, after its scope and before its headers. Nothing is limited
 * unless a limiter is provided.
 */
export const RateLimit = Context.Reference<{
  /** `requests`: what this one counts as, at least 1. More than a second's count as those of a second. */
  readonly take: (apiKey: ApiKey, requests: number) => Effect.Effect<void, RateExceeded>
}>("pointsman/http/RateLimit", { defaultValue: () => ({ take: () => Effect.void }) })

/**
 * Reading a body costs by its bytes, so that a large one counts as several requests. One without a declared length counts
 * as the largest that its endpoint takes, `limit` bytes.
 */
export const requestsOf = (
  { "content-length": length = "" }: Readonly<Record<string, string>>,
  limit: number
): number => {
  if (limit <= bytesPerRequest) return 1
  const bytes = /^\d+$/u.test(length) ? Math.min(Number(length), limit) : limit
  return Math.max(1, Math.ceil(bytes / bytesPerRequest))
}

export interface RateLimitOptions {
  /** Requests per second and key, at least 1. */
  readonly perSecond: number
}

/** A bucket of two seconds' requests for each key, which fills up evenly. One that is refused takes nothing. */
export const layer = ({ perSecond }: RateLimitOptions): Layer.Layer<never> =>
  Layer.effect(
    RateLimit,
    Effect.map(RateLimiter.RateLimiter, (limiter) => ({
      take: (apiKey: ApiKey, requests: number) =>
        limiter
          .consume({
            algorithm: "token-bucket",
            // So that the buckets are as many as the keys that exist: the store forgets none.
            key: apiKey.hash,
            limit: 2 * perSecond,
            window: "2 seconds",
            tokens: Math.min(requests, perSecond)
          })
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
 * How many messages of providers are taken of each connection, after verification. Nothing is limited unless a limiter
 * is provided.
 */
export const MessageRateLimit = Context.Reference<{
  readonly takeConnection: (connectionId: string) => Effect.Effect<void, RateExceeded>
}>("pointsman/http/MessageRateLimit", { defaultValue: () => ({ takeConnection: () => Effect.void }) })

export interface MessageRateLimitOptions {
  /** Verified messages per second and connection, at least 1; `null` for no limit. 1,000 unless set. */
  readonly perConnection?: number | null | undefined
}

export const messagesPerConnection = 1_000

/** Buckets as those of `layer`. */
export const layerMessages = ({
  perConnection = messagesPerConnection
}: MessageRateLimitOptions = {}): Layer.Layer<never> =>
  Layer.sync(MessageRateLimit, () => {
    const connections = new Map<string, Bucket>()
    return {
      takeConnection: (connectionId) =>
        perConnection === null ? Effect.void : takeOf(connections, connectionId, perConnection)
    }
  })

/** How many requests an operator of the console may make, after the session. Nothing is limited unless a limiter is provided. */
export const OperatorRateLimit = Context.Reference<{
  /** `requests`: as those of `RateLimit`. */
  readonly take: (operatorId: string, requests: number) => Effect.Effect<void, RateExceeded>
}>("pointsman/http/OperatorRateLimit", { defaultValue: () => ({ take: () => Effect.void }) })

/** Buckets as those of `layer`: of 20 a second unless set, which is more than a person asks for. */
export const layerOperators = ({ perSecond = 20 }: Partial<RateLimitOptions> = {}): Layer.Layer<never> =>
  Layer.sync(OperatorRateLimit, () => {
    const operators = new Map<string, Bucket>()
    return { take: (operatorId, requests) => takeOf(operators, operatorId, perSecond, Math.min(requests, perSecond)) }
  })

/**
 * How often a source may fail: with messages that are not verified, API keys, and tokens of hosted pages. What succeeds is
 * never counted and never refused, whatever else comes from its source: behind a proxy everybody may be one source. So it
 * is asked after a failure, and fails where the answer says to wait. Nothing is limited unless a limiter is provided.
 */
export const FailureLimit = Context.Reference<{
  /** `connectionId`: of a message, as it was named. */
  readonly count: (failed: Failed, source: string, connectionId?: string) => Effect.Effect<void, RateExceeded>
}>("pointsman/http/FailureLimit", { defaultValue: () => ({ count: () => Effect.void }) })

export type Failed = "message" | "key" | "page"

export interface FailureLimitOptions {
  /** Messages per second and source that are not verified, at least 1; 200 unless set. */
  readonly messagesPerSource?: number | undefined
  /** Of these, per connection that they name; 50 unless set. */
  readonly messagesPerConnection?: number | undefined
  /** Wrong API keys per second and source, at least 1; 10 unless set. */
  readonly keysPerSource?: number | undefined
  /** Unknown tokens of hosted pages per second and source, at least 1; 10 unless set. */
  readonly pagesPerSource?: number | undefined
}

/** Buckets as those of `layer`. Sources are not shared between processes, each of which forgets them. */
export const layerFailures = (options: FailureLimitOptions = {}): Layer.Layer<never> =>
  Layer.sync(FailureLimit, () => {
    const buckets = new Map<string, Bucket>()
    const perSecond: Readonly<Record<Failed, number>> = {
      message: options.messagesPerSource ?? 200,
      key: options.keysPerSource ?? 10,
      page: options.pagesPerSource ?? 10
    }
    const perConnection = options.messagesPerConnection ?? 50
    return {
      count: (failed, source, connectionId) => {
        const ofSource = takeOf(buckets, `${failed} ${source}`, perSecond[failed])
        return connectionId === undefined
          ? ofSource
          : Effect.andThen(takeOf(buckets, `${failed} ${source} ${connectionId}`, perConnection), ofSource)
      }
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

const takeOf = (
  buckets: Map<string, Bucket>,
  key: string,
  perSecond: number,
  asked = 1
): Effect.Effect<void, RateExceeded> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const tokens = filled(buckets.get(key), perSecond, now)
    // Set anew, so that the first in the map is the one that was not heard of for the longest time.
    buckets.delete(key)
    buckets.set(key, { tokens: tokens < asked ? tokens : tokens - asked, at: now })
    const [oldest] = buckets.size > bucketsAtMost ? buckets.keys() : []
    if (oldest !== undefined) buckets.delete(oldest)
    return tokens < asked
      ? Effect.fail(new RateExceeded({ retryAfterMillis: ((asked - tokens) * 1000) / perSecond }))
      : Effect.void
  })
