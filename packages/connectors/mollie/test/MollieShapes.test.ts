/**
 * Every request body, and every object of the tests, against Mollie's own description: as the schemas of its TypeScript library,
 * which are generated from it (`mollie-api-typescript`, BSD 2-Clause). The description itself (https://github.com/mollie/openapi)
 * is CC BY-NC-SA 4.0 and cannot be part of this repository.
 */

import { assert, describe, it } from "@effect/vitest"
import { itRuns } from "@pointsman/contracts/vitest"
import type { Connector } from "@pointsman/core/connector"
import { Effect } from "effect"
import { CaptureResponse$inboundSchema } from "mollie-api-typescript/models/captureresponse.js"
import { EntityCapture$outboundSchema } from "mollie-api-typescript/models/entitycapture.js"
import { EntityChargeback$inboundSchema } from "mollie-api-typescript/models/entitychargeback.js"
import { EntityWebhookEvent$inboundSchema } from "mollie-api-typescript/models/entitywebhookevent.js"
import { PaymentRequest$outboundSchema } from "mollie-api-typescript/models/paymentrequest.js"
import { PaymentResponse$inboundSchema } from "mollie-api-typescript/models/paymentresponse.js"
import { ProfileResponse$inboundSchema } from "mollie-api-typescript/models/profileresponse.js"
import { RefundRequest$outboundSchema } from "mollie-api-typescript/models/refundrequest.js"
import { RefundResponse$inboundSchema } from "mollie-api-typescript/models/refundresponse.js"
import { sample, scripted } from "./Calls.ts"
import {
  answer,
  apiKey,
  capture,
  chargeback,
  event,
  failure,
  opened,
  payment,
  profile,
  refund,
  webhookUrl
} from "./Mollie.ts"

interface Description {
  readonly safeParse: (value: unknown) => {
    readonly success: boolean
    readonly error?: unknown
    readonly data?: unknown
  }
}

const sends: ReadonlyArray<
  readonly [string, Description, (connector: Connector) => Effect.Effect<unknown, unknown> | undefined]
> = [
  ["a charge", PaymentRequest$outboundSchema, (connector) => connector.charge(sample.charge)],
  [
    "a direct debit",
    PaymentRequest$outboundSchema,
    (connector) => connector.charge({ ...sample.charge, method: "bank" })
  ],
  [
    "a held charge",
    PaymentRequest$outboundSchema,
    (connector) => connector.charge({ ...sample.charge, capture: false })
  ],
  ["a page for cards", PaymentRequest$outboundSchema, (connector) => connector.openCheckout?.(sample.openCheckout)],
  [
    "a page for banks",
    PaymentRequest$outboundSchema,
    (connector) => connector.openCheckout?.({ ...sample.openCheckout, method: "bank" })
  ],
  ["a capture", EntityCapture$outboundSchema, (connector) => connector.capture?.(sample.capture)],
  ["a refund", RefundRequest$outboundSchema, (connector) => connector.refund?.({ ...sample.refund, reason: "late" })]
]

/** Each name in `sent` is one of the description's, down to the metadata, which is ours. */
const assertKnown = (sent: unknown, described: unknown, path = ""): void => {
  if (typeof sent !== "object" || sent === null || path.endsWith(".metadata")) {
    if (!path.endsWith(".metadata")) assert.deepStrictEqual(described, sent, path)
    return
  }
  for (const [name, value] of Object.entries(sent)) {
    assert.property(described, name, `${path}.${name}`)
    assertKnown(value, Reflect.get(described as object, name), `${path}.${name}`)
  }
}

describe("what is sent to Mollie", () => {
  for (const [what, description, send] of sends) {
    itRuns(`${what} has the body that Mollie describes, without an unknown field`, function* () {
      const { connector, requests } = scripted([failure(422)], { apiKey, webhookUrl })
      yield* send(connector) ?? Effect.die("not supported")
      const body: unknown = JSON.parse(requests[0]?.body ?? "null")
      const parsed = description.safeParse(body)
      assert.isTrue(parsed.success, String(parsed.error))
      assertKnown(body, parsed.data)
    })
  }

  it("the description refuses a body with a wrong field", () => {
    assert.isFalse(PaymentRequest$outboundSchema.safeParse({ amount: { currency: "EUR", value: 12 } }).success)
    assert.throws(() =>
      assertKnown({ descripton: "x" }, PaymentRequest$outboundSchema.parse({ descripton: "x" } as never))
    )
  })
})

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
