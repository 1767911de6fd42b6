import { describe, expect, it } from "@effect/vitest"
import { itRuns } from "@pointsman/contracts/vitest"
import { NodeMac } from "@pointsman/transport-node"
import { Effect, Layer } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"

const utf8 = new TextEncoder()

const tagOf = Effect.fnUntraced(function* (algorithm: Mac.Algorithm, key: Uint8Array, data: string) {
  const mac = yield* Mac.Mac
  return Hex.encode(yield* mac.sign(yield* Mac.key(algorithm, key), utf8.encode(data)))
})

describe("NodeMac", () => {
  // https://www.rfc-editor.org/rfc/rfc4231#section-4.3
  it.effect("the tags of the key and data of RFC 4231 are those of the RFC", () =>
    Effect.gen(function* () {
      const key = utf8.encode("Jefe")
      const data = "what do ya want for nothing?"
      expect(yield* tagOf(Mac.hmacSha256, key, data)).toBe(
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      )
      expect(yield* tagOf(Mac.hmacSha512, key, data)).toBe(
        "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"
      )
    }).pipe(Effect.provide(NodeMac.layer))
  )

  itRuns("each tag of one key many times, and others between, is what WebCrypto says", function* () {
    const keys = yield* Effect.forEach([1, 2, 3], (byte) => Mac.key(Mac.hmacSha256, new Uint8Array(32).fill(byte)))
    const tags = Effect.gen(function* () {
      const mac = yield* Mac.Mac
      return yield* Effect.forEach([...keys, ...keys, ...keys], (key, index) =>
        Effect.gen(function* () {
          const message = utf8.encode(`message ${index % 2}`)
          const tag = yield* mac.sign(key, message)
          expect(yield* mac.verify(key, tag, message)).toBe(true)
          expect(yield* mac.verify(key, tag, utf8.encode("another"))).toBe(false)
          return Hex.encode(tag)
        })
      )
    })
    const webCrypto = Mac.layerWebCrypto.pipe(Layer.provide(SecureRandom.layerWebCrypto))
    expect(yield* Effect.provide(tags, NodeMac.layer)).toEqual(yield* Effect.provide(tags, webCrypto))
  })
})
