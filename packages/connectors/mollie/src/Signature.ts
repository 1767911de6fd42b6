/**
 * `X-Mollie-Signature: sha256=<hex>`: the HMAC-SHA-256 of the body as it came, keyed with the webhook's secret as text
 * (https://docs.mollie.com/reference/webhooks-new#manual-signature-verification). While a secret is rotated, "each event will
 * contain two signature headers for the next 24 hours", which a web server joins by a comma. Mollie's own libraries also take
 * a signature without `sha256=` (`SignatureValidator` of https://github.com/mollie/mollie-api-php).
 */
import { MessageUnverified, messageTag } from "@pointsman/core/connector"
import { Effect, Redacted, Result } from "effect"
import { Mac } from "effect/crypto"
import { Hex } from "effect/encoding"

/** Mollie sends two; what comes after is not looked at, so that a header costs only so much. */
const signaturesAtMost = 8

const tagText = /^(?:sha256=)?([0-9a-f]{64})$/u

export const verifySignature = Effect.fnUntraced(function* (
  header: string | undefined,
  secret: Redacted.Redacted<string>,
  body: Uint8Array
): Effect.fn.Return<void, MessageUnverified> {
  if (header === undefined) return yield* new MessageUnverified({ reason: "its signature is missing" })
  const tags = header.split(",", signaturesAtMost).map((part) => tagText.exec(part.trim())?.[1])
  if (tags.length === 0 || tags.includes(undefined)) {
    return yield* new MessageUnverified({ reason: "its signature is malformed" })
  }
  // Anybody could sign with an empty secret.
  if (Redacted.value(secret) === "") return yield* wrong
  const expected = yield* messageTag(new TextEncoder().encode(Redacted.value(secret)), body)
  const isSigned = tags.some((tag) => {
    const given = Result.getOrUndefined(Hex.decode(tag ?? ""))
    return given !== undefined && Mac.timingSafeEqual(given, expected)
  })
  if (!isSigned) return yield* wrong
})

const wrong = new MessageUnverified({ reason: "its signature was not made with the webhook's secret" })
