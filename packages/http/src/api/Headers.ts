/** Request and response headers that more than one endpoint has. */
import { Schema } from "effect"

/** Printable ASCII is U+0020 to U+007E (decisions, section 4). */
export const IdempotencyKey = Schema.String.check(Schema.isPattern(/^[ -~]{8,200}$/u))

export const idempotencyHeader = { "idempotency-key": Schema.optionalKey(IdempotencyKey) }

/** There, with this one value, when the answer replays an earlier request's. */
export const replayHeader = { "idempotent-replay": Schema.optionalKey(Schema.Literal("true")) }
