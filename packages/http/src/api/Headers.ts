/** Request and response headers that more than one endpoint has. */
import { Schema } from "effect"
import { documented } from "./Documented.ts"

/** Printable ASCII is U+0020 to U+007E. */
export const IdempotencyKey = Schema.String.check(Schema.isPattern(/^[ -~]{8,200}$/u))

/** `meaning`: what the key does for the endpoint, and when it must be there. */
export const idempotencyHeader = (meaning: string) => ({
  "idempotency-key": Schema.optionalKey(IdempotencyKey).annotateKey(
    documented(`${meaning} 8 to 200 printable ASCII characters.`, {
      examples: ["3b0e2f6c-7d3a-4f0e-9a53-1f5d1c1f7a10"]
    })
  )
})

/** To a sandbox key, where the body has fields that do not exist. */
const ignoredFieldsHeader = {
  "x-ignored-fields": Schema.optionalKey(Schema.String).annotateKey(
    documented(
      "To a sandbox key: unknown fields of the body, which were ignored. Names joined by commas, percent-encoded, at " +
        "most ten of at most 40 characters.",
      { examples: ["currecny,simulate.chrage"] }
    )
  )
}

/** There, with this one value, when the answer replays an earlier request's. */
export const replayHeader = {
  "idempotent-replay": Schema.optionalKey(Schema.Literal("true")).annotateKey(
    documented("Present if this is the response to an earlier request with the same key.")
  )
}

/** Of every answer to a create, a capture, a void or a refund that succeeded. */
export const answerHeaders = { ...replayHeader, ...ignoredFieldsHeader }
