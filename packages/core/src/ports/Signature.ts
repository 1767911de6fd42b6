/**
 * The signature of webhooks, of those that we send and of the generic ones that we receive: `t=<unix
 * seconds>,v1=<HMAC-SHA256 of "<t>.<raw body>">`, in lower-case hex. The key is the secret's text unchanged, including
 * a prefix such as `whsec_`.
 *
 * The raw bytes are signed and checked, before anybody parses them.
 */
import { Effect, Redacted, Schema } from "effect"
import { Mac } from "effect/crypto"
import { Hex } from "effect/encoding"

export const signatureHeader = "x-service-signature"

/** How far the time of a signature may be from ours, either way. */
export const signatureToleranceSeconds = 300

/** The reason is for the operator's log; who sent the message must not learn it. */
export class SignatureRefused extends Schema.TaggedError<SignatureRefused>()("pointsman/SignatureRefused", {
  reason: Schema.Literals(["missing", "malformed", "too old or too new", "not made with a known secret"])
}) {}

const utf8 = new TextEncoder()

const signedBytes = (timestamp: string, rawBody: Uint8Array): Uint8Array => {
  const prefix = utf8.encode(`${timestamp}.`)
  const whole = new Uint8Array(prefix.length + rawBody.length)
  whole.set(prefix)
  whole.set(rawBody, prefix.length)
  return whole
}

type MacKey = Mac.Key<typeof Mac.hmacSha256>

/** For as long as the secret is held: preparing a key takes several times as long as signing with it. */
const prepared = new WeakMap<Redacted.Redacted<string>, MacKey>()

// Anybody could sign with an empty secret.
const keyOf = (secret: Redacted.Redacted<string>) =>
  Effect.suspend(() => {
    const found = prepared.get(secret)
    if (found !== undefined) return Effect.succeed(found)
    return Effect.tap(Mac.key(Mac.hmacSha256, utf8.encode(Redacted.value(secret))), (key) =>
      Effect.sync(() => prepared.set(secret, key))
    )
  })

/** The header's value, with one `v1` for each secret: two of them while a secret is replaced. None may be empty. */
export const signatureOf = Effect.fnUntraced(function* (
  secrets: ReadonlyArray<Redacted.Redacted<string>>,
  timestampSeconds: number,
  rawBody: Uint8Array
) {
  const mac = yield* Mac.Mac
  const timestamp = String(timestampSeconds)
  const data = signedBytes(timestamp, rawBody)
  const tags = yield* Effect.forEach(secrets, (secret) =>
    Effect.flatMap(keyOf(secret), (key) => mac.sign(key, data))
  ).pipe(Effect.orDie)
  return [`t=${timestamp}`, ...tags.map((tag) => `v1=${Hex.encode(tag)}`)].join(",")
})

/** No receiver has more secrets at once; what comes after is not looked at, so that a header costs only so much. */
const tagsAtMost = 8

const timestampText = /^(?:0|[1-9][0-9]{0,11})$/u
const tagText = /^[0-9a-f]{64}$/u

/** Reads a header's value; parts of other names are left to later versions of the scheme. */
const parse = (header: string): { readonly timestamp: string; readonly tags: ReadonlyArray<string> } | undefined => {
  const parts = header.split(",", 2 * tagsAtMost).map((part) => part.trim())
  const valuesOf = (name: string) =>
    parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1))
  const [timestamp, another] = valuesOf("t")
  const tags = valuesOf("v1").slice(0, tagsAtMost)
  if (timestamp === undefined || another !== undefined || !timestampText.test(timestamp)) return undefined
  return tags.length > 0 && tags.every((tag) => tagText.test(tag)) ? { timestamp, tags } : undefined
}

/**
 * Succeeds when a `v1` of the header was made with one of the secrets, and its time is at most 300 seconds from now,
 * either way. It does not notice replays: receivers know a message again by its id. `nowSeconds`: Unix time.
 */
export const verifySignature = Effect.fnUntraced(function* (
  header: string | undefined,
  secrets: ReadonlyArray<Redacted.Redacted<string>>,
  rawBody: Uint8Array,
  nowSeconds: number
) {
  if (header === undefined) return yield* new SignatureRefused({ reason: "missing" })
  const parsed = parse(header)
  if (parsed === undefined) return yield* new SignatureRefused({ reason: "malformed" })
  if (Math.abs(nowSeconds - Number(parsed.timestamp)) > signatureToleranceSeconds) {
    return yield* new SignatureRefused({ reason: "too old or too new" })
  }
  const mac = yield* Mac.Mac
  const data = signedBytes(parsed.timestamp, rawBody)
  for (const secret of secrets) {
    if (Redacted.value(secret) === "") continue
    const tag = yield* keyOf(secret).pipe(
      Effect.flatMap((key) => mac.sign(key, data)),
      Effect.orDie
    )
    const isOurs = parsed.tags.some((candidate) =>
      Mac.timingSafeEqual(utf8.encode(candidate), utf8.encode(Hex.encode(tag)))
    )
    if (isOurs) return
  }
  return yield* new SignatureRefused({ reason: "not made with a known secret" })
})
