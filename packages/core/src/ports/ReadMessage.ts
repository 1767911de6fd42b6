/** What adapters share in reading a provider's message. */
import { Effect, Layer, type Redacted, Schema } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import type { ChargeName, MessageAbout } from "../model/ProviderStatement.ts"
import { MessageUnreadable, MessageUnverified, type RawMessage, type VerifiedBody } from "./Connector.ts"
import { verifySignature } from "./Signature.ts"
import { fieldOf } from "./WireFields.ts"

/** By the platform's own cryptography. */
export const messageCrypto = Layer.provide(Mac.layerWebCrypto, SecureRandom.layerWebCrypto)

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** How much structure a message may have. */
interface Structure {
  readonly depth: number
  /** Objects and lists. */
  readonly containers: number
  readonly commas: number
}

/** No provider nests deeper, or sends as many objects, lists and fields in a message. */
const ofVerified: Structure = { depth: 64, containers: 10_000, commas: 20_000 }

/**
 * Of a message whose signature is inside it, and which has to be parsed before it is verified: anybody can send one. It is
 * one notification, whose fields are texts. To parse so many takes less than 1 ms; what a verified one may have takes 15.
 */
const ofUnverified: Structure = { depth: 64, containers: 1_000, commas: 2_000 }

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c

/** More structure than a message can have: a megabyte of open brackets, or 80,000 fields, takes 50 ms to parse. */
const isTooMuch = (body: Uint8Array, most: Structure): boolean => {
  let depth = 0
  let containers = 0
  let commas = 0
  for (let at = 0; at < body.length; at++) {
    switch (body[at]) {
      case quote:
        for (at++; at < body.length && body[at] !== quote; at++) if (body[at] === backslash) at++
        break
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > most.depth || ++containers > most.containers) return true
        break
      case 0x5d: // ]
      case 0x7d: // }
        depth--
        break
      case comma:
        if (++commas > most.commas) return true
    }
  }
  return false
}

const parsed = (body: Uint8Array, most: Structure): Effect.Effect<unknown, string> =>
  Effect.suspend(() =>
    isTooMuch(body, most)
      ? Effect.fail(
          `the body is nested deeper than ${most.depth} levels, or has more than ${most.containers} objects and lists, ` +
            `or more than ${most.commas} commas`
        )
      : Effect.try({
          try: (): unknown => JSON.parse(utf8.decode(body)),
          catch: () => "the body is not valid UTF-8 JSON"
        })
  )

/**
 * The JSON of a message that is not verified yet, because its signature is inside it. Fails with a reason, without its
 * cause: a parser's message quotes what it was given.
 */
export const messageJson = (body: Uint8Array): Effect.Effect<unknown, string> => parsed(body, ofUnverified)

/** The JSON of a message that was verified. */
export const verifiedJson = (body: Uint8Array): Effect.Effect<unknown, MessageUnreadable> =>
  Effect.mapError(parsed(body, ofVerified), (reason) => new MessageUnreadable({ reason }))

/** The JSON of a message that is signed as our own webhooks are, over the bytes as they came. */
export const signedJson = Effect.fnUntraced(function* (
  { body, receivedAt, secret }: RawMessage,
  signature: string | undefined
): Effect.fn.Return<unknown, MessageUnverified | MessageUnreadable> {
  yield* verifySignature(signature, [secret], body, Math.floor(receivedAt / 1000)).pipe(
    Effect.provide(messageCrypto),
    Effect.mapError(({ reason }) => new MessageUnverified({ reason: `its signature is ${reason}` }))
  )
  return yield* verifiedJson(body)
})

/** HMAC-SHA-256 of a message's bytes, to be compared by `Mac.timingSafeEqual`. The key is not empty. */
export const messageTag = (key: Uint8Array, data: Uint8Array): Effect.Effect<Uint8Array> =>
  Effect.gen(function* () {
    const mac = yield* Mac.Mac
    return yield* mac.sign(yield* Mac.key(Mac.hmacSha256, key), data)
  }).pipe(Effect.orDie, Effect.provide(messageCrypto))

/** What no text of a message may show of its connection's webhook secrets. */
export const secretsOf = ({ otherSecret, secret }: VerifiedBody): ReadonlyArray<Redacted.Redacted<string>> =>
  otherSecret === undefined ? [secret] : [secret, otherSecret]

/**
 * Of a message that cannot be read and names a charge, that something about the charge changed: it is looked up. `charge`:
 * as the message names it; `undefined` where it names none, or is not about money.
 */
export const orChanged = <A extends { readonly about: MessageAbout }>(
  reading: Effect.Effect<A, MessageUnreadable>,
  charge: ChargeName | undefined
): Effect.Effect<A | { readonly about: MessageAbout }, MessageUnreadable> =>
  charge === undefined
    ? reading
    : Effect.catch(reading, ({ reason }) => Effect.succeed({ about: { _tag: "Changed", charge, reason } as const }))

/** Reads a message, or fails with `complaint` and where the reading stopped. */
export const messageReader =
  (complaint: string) =>
  <A>(schema: Schema.Decoder<A>, value: unknown): Effect.Effect<A, MessageUnreadable> =>
    Effect.mapError(
      Effect.fromResult(Schema.decodeUnknownResult(schema)(value)),
      (error) => new MessageUnreadable({ reason: `${complaint}${atField(error)}` })
    )

/** ` at data.object.id`: where a reading stopped, in names of fields; nothing for the whole. */
export const atField = (error: Schema.SchemaError): string => {
  const field = fieldOf(error)
  return field === "" ? "" : ` at ${field}`
}

/**
 * What is stored of a message that was read: the fields that its reader reads, by name, and nothing else of the provider's
 * text. A field inside a field that is not named is dropped with it. A text that is not JSON is kept whole.
 */
export const keptFields =
  (names: ReadonlySet<string>) =>
  (body: string): string => {
    try {
      return JSON.stringify(kept(JSON.parse(body), names))
    } catch {
      return body
    }
  }

const kept = (value: unknown, names: ReadonlySet<string>): unknown => {
  if (Array.isArray(value)) return value.map((one) => kept(one, names))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => (names.has(name) ? [[name, kept(field, names)]] : []))
  )
}
