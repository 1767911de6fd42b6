/** What adapters share in reading a provider's message. */
import { Effect, Layer, type Result, type Schema } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import { MessageUnreadable, MessageUnverified, type RawMessage } from "./Connector.ts"
import { verifySignature } from "./Signature.ts"
import { fieldOf } from "./WireFields.ts"

/** By the platform's own cryptography. */
export const messageCrypto = Layer.provide(Mac.layerWebCrypto, SecureRandom.layerWebCrypto)

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** No provider nests deeper, or sends as many objects, lists and fields in a message. */
const maximumDepth = 64
const maximumContainers = 10_000
const maximumCommas = 20_000

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c

/**
 * Whether a body has more structure than a message can have. To parse a megabyte of open brackets, or of
 * 80,000 fields, takes 50 ms. A signature inside the body can only be checked after parsing, so anyone who can reach the
 * endpoint could send one.
 */
const isTooMuch = (body: Uint8Array): boolean => {
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
        if (++depth > maximumDepth || ++containers > maximumContainers) return true
        break
      case 0x5d: // ]
      case 0x7d: // }
        depth--
        break
      case comma:
        if (++commas > maximumCommas) return true
    }
  }
  return false
}

/** Fails with a reason, without its cause: a parser's message quotes what it was given. */
export const messageJson = (body: Uint8Array): Effect.Effect<unknown, string> =>
  Effect.suspend(() =>
    isTooMuch(body)
      ? Effect.fail(
          `the body is nested deeper than ${maximumDepth} levels, or has more than ${maximumContainers} objects and lists, ` +
            `or more than ${maximumCommas} commas`
        )
      : Effect.try({
          try: (): unknown => JSON.parse(utf8.decode(body)),
          catch: () => "the body is not valid UTF-8 JSON"
        })
  )

/** The JSON of a message that was verified. */
export const verifiedJson = (body: Uint8Array): Effect.Effect<unknown, MessageUnreadable> =>
  Effect.mapError(messageJson(body), (reason) => new MessageUnreadable({ reason }))

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

/** Reads a message, or fails with `complaint` and where the reading stopped. */
export const messageReader =
  (complaint: string) =>
  <A>(
    read: (value: unknown) => Result.Result<A, Schema.SchemaError>,
    value: unknown
  ): Effect.Effect<A, MessageUnreadable> =>
    Effect.mapError(
      Effect.fromResult(read(value)),
      (error) => new MessageUnreadable({ reason: `${complaint}${atField(error)}` })
    )

/** ` at data.object.id`: where a reading stopped, in names of fields; nothing for the whole. */
export const atField = (error: Schema.SchemaError): string => {
  const field = fieldOf(error)
  return field === "" ? "" : ` at ${field}`
}
