import type { ApiKey } from "@pointsman/core"
import { Context, Effect, Schema } from "effect"

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
