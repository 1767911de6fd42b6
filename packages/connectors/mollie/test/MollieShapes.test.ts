/**
 * Every object of the tests against Mollie's own description: as the schemas of its TypeScript library, which are generated from
 * it (`mollie-api-typescript`, BSD 2-Clause). `RequestBodies.test.ts` has the requests. The description itself
 * (https://github.com/mollie/openapi) is CC BY-NC-SA 4.0 and cannot be part of this repository.
 */

import { assert, describe, it } from "@effect/vitest"
import { CaptureResponse$inboundSchema } from "mollie-api-typescript/models/captureresponse.js"
import { EntityChargeback$inboundSchema } from "mollie-api-typescript/models/entitychargeback.js"
import { EntityWebhookEvent$inboundSchema } from "mollie-api-typescript/models/entitywebhookevent.js"
import { PaymentResponse$inboundSchema } from "mollie-api-typescript/models/paymentresponse.js"
import { ProfileResponse$inboundSchema } from "mollie-api-typescript/models/profileresponse.js"
import { RefundResponse$inboundSchema } from "mollie-api-typescript/models/refundresponse.js"
import { answer, capture, chargeback, event, opened, payment, profile, refund } from "./Mollie.ts"

interface Description {
  readonly safeParse: (value: unknown) => {
    readonly success: boolean
    readonly error?: unknown
    readonly data?: unknown
  }
}

describe("the objects of these tests", () => {
  const objects: ReadonlyArray<readonly [string, Description, object]> = [
    ["a payment", PaymentResponse$inboundSchema, payment()],
    ["an opened payment", PaymentResponse$inboundSchema, opened()],
    ["a capture", CaptureResponse$inboundSchema, capture()],
    ["a refund", RefundResponse$inboundSchema, refund()],
    ["a chargeback", EntityChargeback$inboundSchema, chargeback()],
    ["a profile", ProfileResponse$inboundSchema, profile()],
    ["an event of a payment", EntityWebhookEvent$inboundSchema, event("payment.paid", payment())],
    ["an event of a capture", EntityWebhookEvent$inboundSchema, event("capture.succeeded", capture())],
    ["an event of a refund", EntityWebhookEvent$inboundSchema, event("refund.refunded", refund())],
    ["an event of a chargeback", EntityWebhookEvent$inboundSchema, event("chargeback.received", chargeback())]
  ]
  for (const [what, description, object] of objects) {
    it(`${what} is as Mollie describes it`, () => {
      const parsed = description.safeParse(JSON.parse(JSON.stringify(object)))
      assert.isTrue(parsed.success, String(parsed.error))
    })
  }
  it("is not blind: an answer that Mollie does not describe is refused", () => {
    assert.isFalse(
      PaymentResponse$inboundSchema.safeParse({ ...JSON.parse(answer(200, payment()).body), amount: 1 }).success
    )
  })
})
