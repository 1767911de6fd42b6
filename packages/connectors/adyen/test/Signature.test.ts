/** Adyen's signature, by the example that Adyen publishes and by Adyen's own library. */

import { assert, describe, it } from "@effect/vitest"
import { itRuns } from "@pointsman/contracts/vitest"
import { Effect, Redacted, Result } from "effect"
import { envelope, hmacKey } from "./Adyen.ts"
import { connect } from "./Requests.ts"
import { signed, signedItem } from "./Signer.ts"

/**
 * Values of the example that Adyen's libraries are tested with
 * (`spec/utils/hmac_validator_spec.rb` of https://github.com/Adyen/adyen-ruby-api-library), as the page on
 * signatures tells how to compute it (https://docs.adyen.com/development-resources/webhooks/verify-hmac-signatures).
 */
const published = {
  pspReference: "7914073381342284",
  originalReference: "",
  merchantAccountCode: "TestMerchant",
  merchantReference: "TestPayment-1407325143704",
  amount: { value: 1130, currency: "EUR" },
  eventCode: "AUTHORISATION",
  success: "true",
  eventDate: "2014-08-06T13:39:03+02:00",
  additionalData: { hmacSignature: "coqCmt/IZ4E3CzPvMY8zTjQVL5hYJUiBRg8UU+iCWo0=" }
}

/**
 * Two items of the test of Adyen's library for Node, with its key (`src/__tests__/hmacValidator.spec.ts` of
 * https://github.com/Adyen/adyen-node-api-library): one of an event without a payment, one of an event that Adyen has not. Both
 * are verified, and say nothing that is understood.
 */
const otherKey = "DFB1EB5485895CFA84146406857104ABB4CBCABDC8AAF103A624C8F6A3EAAB00"
const others = (["REPORT_AVAILABLE", "EVENT"] as const).map((eventCode) => ({
  pspReference: "pspReference",
  originalReference: "originalReference",
  merchantAccountCode: "merchantAccount",
  merchantReference: "reference",
  amount: { currency: "EUR", value: 1000 },
  eventCode,
  eventDate: "2019-09-21T11:45:24.637Z",
  success: "true"
}))
const signatures = ["ZNBPtI+oDyyRrLyD1XirkKnQgIAlFc07Vj27TeHsDRE=", "ipnxGCaUZ4l8TUW75a71/ghd2Fe5ffvX0pV4TLTntIc="]

const read = (body: Uint8Array, secret = hmacKey, merchantAccount = "TestMerchant") => {
  const { connector } = connect([], { account: { apiKey: "AQE_made_up_0123", merchantAccount } })
  if (connector.readMessage === undefined) return Effect.die("it reads no messages")
  return Effect.result(connector.readMessage({ headers: {}, body, secret: Redacted.make(secret), receivedAt: 0 }))
}

describe("the signature", () => {
  itRuns("Adyen's example is verified", function* () {
    const message = Result.getOrThrow(yield* read(envelope(published)))
    assert.strictEqual(message.id, "7914073381342284:AUTHORISATION:true")
    assert.strictEqual(message.at, Date.UTC(2014, 7, 6, 11, 39, 3))
  })
  it("Adyen's library has the same result for Adyen's example", () => {
    const { additionalData, ...plain } = published
    assert.strictEqual(signedItem(plain).additionalData.hmacSignature, additionalData.hmacSignature)
  })
  for (const [at, other] of others.entries()) {
    const item = { ...other, additionalData: { hmacSignature: signatures[at] ?? "" } }
    itRuns(`Adyen's ${item.eventCode} is verified, and refused if a covered field differs`, function* () {
      const endOf = (given: object, secret = otherKey) =>
        Effect.map(read(envelope(given), secret, "merchantAccount"), (result) =>
          Result.isFailure(result) ? result.failure._tag : "read"
        )
      assert.strictEqual(yield* endOf(item), "pointsman/MessageUnreadable")
      const changes: ReadonlyArray<object> = [
        { pspReference: "pspReferencf" },
        { originalReference: "originalReferencf" },
        { merchantAccountCode: "merchantAccounu" },
        { merchantReference: "referencf" },
        { amount: { currency: "EUR", value: 1001 } },
        { amount: { currency: "EUS", value: 1000 } },
        { eventCode: "AUTHORISATION" },
        { success: "false" },
        { additionalData: { hmacSignature: published.additionalData.hmacSignature } }
      ]
      for (const change of changes) {
        assert.strictEqual(yield* endOf({ ...item, ...change }), "pointsman/MessageUnverified", JSON.stringify(change))
      }
      // Another account's key.
      assert.strictEqual(yield* endOf(item, hmacKey), "pointsman/MessageUnverified")
    })
  }
  itRuns("a key in small letters is the same key", function* () {
    assert.isTrue(Result.isSuccess(yield* read(envelope(published), hmacKey.toLowerCase())))
  })
  itRuns("a change of what the signature does not cover harms nothing that it covers", function* () {
    const { additionalData } = published
    const other = {
      reason: "",
      paymentMethod: "visa",
      additionalData: { ...additionalData, paymentLinkId: "PL1", "metadata.x": "y" }
    }
    assert.isTrue(Result.isSuccess(yield* read(envelope({ ...published, ...other }))))
  })
  itRuns("fields that are null or absent are signed as nothing", function* () {
    const { originalReference, ...without } = published
    assert.strictEqual(originalReference, "")
    for (const item of [without, { ...published, originalReference: null }]) {
      assert.isTrue(Result.isSuccess(yield* read(envelope(item))))
    }
  })
  itRuns("a success that is no text is signed as one", function* () {
    const message = Result.getOrThrow(yield* read(envelope({ ...published, success: true })))
    assert.strictEqual(message.id, "7914073381342284:AUTHORISATION:true")
  })
  itRuns("fields with a colon inside, which others could be signed like, are unreadable", function* () {
    const item = { ...published, additionalData: {}, merchantReference: "a:b" }
    const result = yield* read(signed(item).body)
    assert.strictEqual(Result.isFailure(result) ? result.failure._tag : "read", "pointsman/MessageUnreadable")
  })
  for (const [what, body] of [
    ["no JSON", Buffer.from("{")],
    ["bytes that are no UTF-8", Buffer.from([0x22, 0xff, 0x22])],
    ["nothing", Buffer.from("")],
    ["no items", Buffer.from('{"live":"false"}')],
    ["an invalid item", envelope([])]
  ] as const) {
    itRuns(`${what} is refused`, function* () {
      const result = yield* read(body)
      assert.strictEqual(Result.isFailure(result) ? result.failure._tag : "read", "pointsman/MessageUnverified")
    })
  }
  itRuns("a secret that is no key has a reason that does not show it", function* () {
    for (const secret of ["whsec_hunter2", ""]) {
      const result = yield* read(envelope(published), secret)
      const reason = Result.isFailure(result) ? result.failure.reason : ""
      assert.strictEqual(reason, "the connection's webhook secret is not a hexadecimal key")
    }
  })
})
