/** The signature of webhooks, against Node's own HMAC. */
import { createHmac } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { verifySignature } from "@pointsman/core"
import { signatureOf } from "@pointsman/core/internal"
import { Effect, Layer, Redacted } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import { itRuns } from "./support/ItIn.ts"

const crypto = Mac.layerWebCrypto.pipe(Layer.provide(SecureRandom.layerWebCrypto))
const secret = Redacted.make("whsec_first")
const other = Redacted.make("whsec_second")
const now = 1_800_000_000
// No UTF-8: what is signed are the bytes, and not a text that was made from them.
const body = new Uint8Array([0x7b, 0xff, 0xfe, 0x00, 0x7d])

const tagOf = (key: string, time: number) => createHmac("sha256", key).update(`${time}.`).update(body).digest("hex")

const refusalOf = (header: string | undefined, secrets = [secret]) =>
  Effect.flip(verifySignature(header, secrets, body, now)).pipe(
    Effect.map(({ reason }) => reason),
    Effect.provide(crypto)
  )

describe("Signature", () => {
  it.effect("bytes signed with two live secrets have one v1 for each, by their text", () =>
    Effect.gen(function* () {
      const header = yield* signatureOf([secret, other], now, body)
      assert.strictEqual(header, `t=${now},v1=${tagOf("whsec_first", now)},v1=${tagOf("whsec_second", now)}`)
      yield* verifySignature(header, [secret], body, now)
      yield* verifySignature(header, [other], body, now)
    }).pipe(Effect.provide(crypto))
  )

  it.effect("only the time and its dot are signed for an empty body", () =>
    Effect.gen(function* () {
      const empty = new Uint8Array(0)
      const header = yield* signatureOf([secret], now, empty)
      assert.strictEqual(header, `t=${now},v1=${createHmac("sha256", "whsec_first").update(`${now}.`).digest("hex")}`)
      yield* verifySignature(header, [secret], empty, now)
    }).pipe(Effect.provide(crypto))
  )

  const spellings = [
    `t=${now},v1=${tagOf("whsec_first", now)}`,
    `v1=${tagOf("whsec_first", now)},t=${now}`,
    `t=${now}, v1=${"0".repeat(64)}, v1=${tagOf("whsec_first", now)}`,
    `t=${now},v0=x,v1=${tagOf("whsec_first", now)},v2=later`
  ]
  it.effect.each(spellings)("a header that a sender may write holds (%#)", (header) =>
    verifySignature(header, [other, secret], body, now).pipe(Effect.provide(crypto))
  )

  const tag = tagOf("whsec_first", now)
  const malformed: ReadonlyArray<string> = [
    "",
    tag,
    `t=${now}`,
    `v1=${tag}`,
    `t=,v1=${tag}`,
    `t=${now}.0,v1=${tag}`,
    `t=0x6b49d200,v1=${tag}`,
    `t=1e9,v1=${tag}`,
    `t=0${now},v1=${tag}`,
    `t=-${now},v1=${tag}`,
    `t=${now},t=${now},v1=${tag}`,
    `t=${now},v1=${tag.toUpperCase()}`,
    `t=${now},v1=${tag.slice(1)}`,
    `t=${now},v1=${tag}0`,
    `t=${now},v1=`
  ]
  it.effect.each(malformed)("a malformed header is refused (%#)", (header) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* refusalOf(header), "malformed")
    })
  )

  itRuns("a missing header is refused as missing", function* () {
    assert.strictEqual(yield* refusalOf(undefined), "missing")
  })

  itRuns("no secret and an empty one are refused with any signature", function* () {
    const header = `t=${now},v1=${tagOf("", now)}`
    for (const secrets of [[], [Redacted.make("")]]) {
      assert.strictEqual(yield* refusalOf(header, secrets), "not made with a known secret")
    }
  })

  itRuns("a ninth signature is not checked, also if it is ours", function* () {
    const wrong = Array.from({ length: 8 }, () => `v1=${"0".repeat(64)}`).join(",")
    assert.strictEqual(yield* refusalOf(`t=${now},${wrong},v1=${tag}`), "not made with a known secret")
  })
})
