/**
 * What we send, judged by the package that Stripe publishes for receivers of its own webhooks: the scheme is the same,
 * so a merchant who has it needs no code from Pointsman. And its signatures are verified here.
 *
 * In one thing ours is stricter. Its tolerance is documented as the "maximum allowed age of the event in seconds", 300
 * unless set (stripe 23.1.0, `validateComputedSignature` in `Webhooks.ts`; https://docs.stripe.com/webhooks/signature):
 * a time of the future has no age and passes. Ours is 300 s either way: a message that was signed by a clock set ahead
 * could be played again until its time has come.
 */
import { assert, describe, it } from "@effect/vitest"
import { Pointsman, verifySignature } from "@pointsman/core"
import { signatureOf } from "@pointsman/core/internal"
import type { WebhookRequest } from "@pointsman/core/ports"
import { scriptedSender } from "@pointsman/core/testing"
import { Effect, Layer, Redacted } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { Stripe } from "stripe"
import { background, drawing, minute, pass, second, settle } from "./support/Delivering.ts"
import { caller, request, world } from "./support/World.ts"

const { webhooks } = Stripe
const crypto = Mac.layerWebCrypto.pipe(Layer.provide(SecureRandom.layerWebCrypto))
/** Unix seconds. */
const now = 1_800_000_000
const tolerance = 300

interface Heard {
  readonly body: Uint8Array
  readonly header: string
}

type Verdict = "accepted" | "too old" | "too old or too new" | "wrong"

const stripesWords: Readonly<Record<string, Verdict>> = {
  "Timestamp outside the tolerance zone": "too old",
  "No signatures found matching the expected signature for payload.": "wrong"
}

/** By both of its doors, which have to agree, and of bytes; with its own tolerance. */
const stripes = async ({ body, header }: Heard, secret: string, at = now): Promise<Verdict> => {
  const judge = async (open: () => unknown): Promise<Verdict> => {
    try {
      assert.deepStrictEqual(await open(), JSON.parse(new TextDecoder().decode(body)))
      return "accepted"
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) throw error
      const known = Object.entries(stripesWords).find(([words]) => error.message.startsWith(words))
      assert.isDefined(known, error.message)
      return known[1]
    }
  }
  const more = [undefined, undefined, at * 1_000] as const
  const verdict = await judge(() => webhooks.constructEvent(body, header, secret, ...more))
  assert.strictEqual(await judge(() => webhooks.constructEventAsync(body, header, secret, ...more)), verdict)
  return verdict
}

const ours = ({ body, header }: Heard, secret: string, at = now): Promise<Verdict> =>
  verifySignature(header, [Redacted.make(secret)], body, at).pipe(
    Effect.match({
      onFailure: ({ reason }): Verdict => {
        if (reason === "too old or too new") return reason
        assert.strictEqual(reason, "not made with a known secret")
        return "wrong"
      },
      onSuccess: (): Verdict => "accepted"
    }),
    Effect.provide(crypto),
    Effect.runPromise
  )

const both = async (heard: Heard, secret: string, at = now) => [
  await stripes(heard, secret, at),
  await ours(heard, secret, at)
]

const heardOf = ({ body, headers }: WebhookRequest): Heard => ({ body, header: headers["x-service-signature"] ?? "" })

/** In characters of one to four bytes, with those that JSON writes in a way of its own. */
const reference = 'Löwe "7" № 9 – 日本 🚂\u2028\\\u0001'

/** What a payment's endpoint is sent by the real delivery, by `passing` so many milliseconds each. */
const deliver = (options: {
  readonly status?: (number: number) => number
  readonly sealedPreviousSecret?: string
  readonly passing?: ReadonlyArray<number>
}): Promise<ReadonlyArray<Heard>> => {
  const sender = scriptedSender()
  sender.onSend = (_request, number) => Effect.succeed(options.status?.(number) ?? 200)
  const { sealedPreviousSecret } = options
  const own = world({
    sender,
    webhookEndpoints: [
      {
        id: "shop",
        events: ["payment.captured"],
        ...(sealedPreviousSecret === undefined ? {} : { sealedPreviousSecret })
      }
    ]
  })
  return Effect.gen(function* () {
    yield* TestClock.setTime(now * 1_000)
    yield* background
    yield* (yield* Pointsman).create(caller, request({ details: { reference } }))
    yield* settle
    for (const millis of options.passing ?? []) yield* pass(millis)
    return sender.sent.map(heardOf)
  }).pipe(Effect.provide(own.layer), drawing(0.5), Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise)
}

const deliverOne = async (options: Parameters<typeof deliver>[0] = {}): Promise<Heard> => {
  const [heard, ...others] = await deliver(options)
  assert.lengthOf(others, 0)
  assert.isDefined(heard)
  return heard
}

/** The character at `index` made another one. */
const altered = (text: string, index: number): string =>
  `${text.slice(0, index)}${text[index] === "0" ? "1" : "0"}${text.slice(index + 1)}`

const flipped = (bytes: Uint8Array, index: number): Uint8Array =>
  bytes.map((byte, place) => (place === index ? byte ^ 1 : byte))

describe("our deliveries at Stripe's receiver", () => {
  it("a delivery judged as it came is accepted, with its whole text", async () => {
    const heard = await deliverOne()
    assert.deepStrictEqual(await both(heard, "whsec_shop"), ["accepted", "accepted"])
    const text = new TextDecoder().decode(heard.body)
    const more = [undefined, undefined, now * 1_000] as const
    const event: unknown = webhooks.constructEvent(text, heard.header, "whsec_shop", ...more)
    assert.nestedPropertyVal(event, "data.reference", reference)
    assert.isAbove(heard.body.length, text.length)
  })

  it("a delivery with any other byte, secret, time or signature digit is refused", async () => {
    const { body, header } = await deliverOne()
    const secret = "whsec_shop"
    const isWrong = async (heard: Partial<Heard>, by = secret) =>
      assert.deepStrictEqual(await both({ body, header, ...heard }, by), ["wrong", "wrong"])
    for (const index of body.keys()) await isWrong({ body: flipped(body, index) })
    for (const other of [body.subarray(1), body.subarray(0, -1), new Uint8Array([...body, 0x20])]) {
      await isWrong({ body: other })
    }
    const others = [...secret].map((_, index) => altered(secret, index))
    for (const other of [...others, "shop", "WHSEC_SHOP", "whsec_shop ", "whsec_shop0"]) await isWrong({}, other)
    const tag = header.slice(`t=${now},v1=`.length)
    assert.match(tag, /^[0-9a-f]{64}$/u)
    for (const seconds of [-1, 1, -tolerance, tolerance]) await isWrong({ header: `t=${now + seconds},v1=${tag}` })
    for (const index of [...tag].keys()) await isWrong({ header: `t=${now},v1=${altered(tag, index)}` })
  })

  const ages: ReadonlyArray<readonly [seconds: number, stripes: Verdict, ours: Verdict]> = [
    [tolerance, "accepted", "accepted"],
    [tolerance + 1, "too old", "too old or too new"],
    [86_400, "too old", "too old or too new"],
    [-tolerance, "accepted", "accepted"],
    // Here ours is stricter: see the head of this file.
    [-tolerance - 1, "accepted", "too old or too new"],
    [-86_400, "accepted", "too old or too new"]
  ]
  it.each(ages)("a delivery that is %i s old is %s by Stripe and %s by us", async (age, ...verdicts) => {
    assert.deepStrictEqual(await both(await deliverOne(), "whsec_shop", now + age), verdicts)
  })

  it("either secret is accepted during a replacement, and no other", async () => {
    const heard = await deliverOne({ sealedPreviousSecret: "webhook-endpoint:shop:secret|whsec_old" })
    assert.match(heard.header, /^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/u)
    for (const secret of ["whsec_shop", "whsec_old"]) {
      assert.deepStrictEqual(await both(heard, secret), ["accepted", "accepted"])
    }
    assert.deepStrictEqual(await both(heard, "whsec_other"), ["wrong", "wrong"])
    assert.deepStrictEqual(await both(await deliverOne(), "whsec_old"), ["wrong", "wrong"])
  })

  it("each attempt of a failed delivery is accepted only in its own time", async () => {
    const attempts = await deliver({
      status: (number) => (number < 3 ? 500 : 200),
      passing: [5 * second, 5 * minute]
    })
    const times = [0, 5, 305]
    assert.lengthOf(attempts, times.length)
    for (const [index, heard] of attempts.entries()) {
      assert.deepStrictEqual(await both(heard, "whsec_shop", now + (times[index] ?? 0)), ["accepted", "accepted"])
    }
    const [first] = attempts as [Heard, ...Array<Heard>]
    assert.deepStrictEqual(await both(first, "whsec_shop", now + 305), ["too old", "too old or too new"])
  })
})

/** Stripe's refuses a secret of white space alone as no secret at all. */
const secrets = fc.string({ unit: "binary", minLength: 1, maxLength: 80 }).filter((text) => /\S/u.test(text))
/** To an HMAC a secret is the same with zero bytes behind it. */
const differently = { selector: (secret: string) => secret.replace(/\0+$/u, "") }
const times = fc.integer({ min: 1, max: 99_999_999_999 })
const bodies = fc
  .oneof(fc.jsonValue({ stringUnit: "binary" }), fc.jsonValue({ stringUnit: "grapheme" }))
  .map((value) => new TextEncoder().encode(JSON.stringify(value)))

describe("any body and secret", () => {
  it("Stripe's code accepts any of them signed by us, and none that is altered", () =>
    fc.assert(
      fc.asyncProperty(
        bodies,
        fc.uniqueArray(secrets, { minLength: 3, maxLength: 3, ...differently }),
        times,
        fc.nat(),
        async (...one) => {
          const [body, [live = "", previous = "", other = ""], time, place] = one
          const header = await signatureOf(
            [live, previous].map((secret) => Redacted.make(secret)),
            time,
            body
          ).pipe(Effect.provide(crypto), Effect.runPromise)
          assert.deepStrictEqual(await both({ body, header }, live, time), ["accepted", "accepted"])
          assert.deepStrictEqual(await both({ body, header }, previous, time), ["accepted", "accepted"])
          assert.deepStrictEqual(await both({ body, header }, other, time), ["wrong", "wrong"])
          const otherBody = flipped(body, place % body.length)
          assert.deepStrictEqual(await both({ body: otherBody, header }, live, time), ["wrong", "wrong"])
        }
      ),
      { numRuns: 200 }
    ))

  it("we accept any of them signed by Stripe's code, and none that is altered", () =>
    fc.assert(
      fc.asyncProperty(
        bodies,
        fc.uniqueArray(secrets, { minLength: 2, maxLength: 2, ...differently }),
        times,
        fc.nat(),
        async (...one) => {
          const [body, [secret = "", other = ""], timestamp, place] = one
          const payload = new TextDecoder().decode(body)
          const header = webhooks.generateTestHeaderString({ payload, secret, timestamp })
          assert.strictEqual(await ours({ body, header }, secret, timestamp), "accepted")
          assert.strictEqual(await ours({ body, header }, other, timestamp), "wrong")
          assert.strictEqual(
            await ours({ body: flipped(body, place % body.length), header }, secret, timestamp),
            "wrong"
          )
          for (const seconds of [-tolerance - 1, tolerance + 1]) {
            assert.strictEqual(await ours({ body, header }, secret, timestamp + seconds), "too old or too new")
          }
        }
      ),
      { numRuns: 200 }
    ))
})
